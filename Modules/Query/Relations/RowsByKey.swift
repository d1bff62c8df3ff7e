/// The numbers of rows by a key, those of a key one after another in the order in which they were added.
final class RowsByKey: Sendable {
  private let keys: KeyTable
  /// The place of the first row of each key, and the end.
  private let starts: [Int32]
  private let rows: [Int32]
  let longest: Int

  init(_ builder: consuming Builder) {
    var starts: [Int32] = [], rows: [Int32] = []
    starts.reserveCapacity(builder.firsts.count + 1)
    rows.reserveCapacity(builder.rows.count)
    for first in builder.firsts {
      starts.append(Int32(rows.count))
      var entry = Int(first)
      while entry >= 0 {
        rows.append(builder.rows[entry])
        entry = Int(builder.nexts[entry])
      }
    }
    starts.append(Int32(rows.count))
    longest = zip(starts, starts.dropFirst()).reduce(0) { max($0, Int($1.1 - $1.0)) }
    (self.starts, self.rows) = (starts, rows)
    keys = builder.keys
  }

  subscript(place: Int) -> Int { Int(rows[place]) }

  func range(_ buffer: borrowing KeyBuffer, _ number: Int) -> Range<Int> {
    let known = keys.find(buffer.value(number), buffer.hash(number))
    return known < 0 ? 0..<0 : Int(starts[known])..<Int(starts[known + 1])
  }

  /// Fetches what finding a key needs, some keys ahead of it.
  func prefetch(_ buffer: borrowing KeyBuffer, before number: Int) {
    if number + 24 < buffer.count { keys.prefetch(buffer.hash(number + 24)) }
    if number + 16 < buffer.count {
      keys.prefetchKey(of: buffer.hash(number + 8), andPlaceOf: buffer.hash(number + 16))
    }
  }

  struct Builder: ~Copyable {
    fileprivate var keys = KeyTable()
    /// The first and the last entry of each key.
    fileprivate var firsts: [Int32] = []
    private var lasts: [Int32] = []
    /// An entry: the number of a row, and the next entry of the same key; -1 for none.
    fileprivate var rows: [Int32] = [], nexts: [Int32] = []

    mutating func add(_ row: Int, _ buffer: borrowing KeyBuffer, _ number: Int) {
      let key = buffer.value(number), hash = buffer.hash(number), entry = Int32(rows.count)
      let known = keys.find(key, hash)
      if known < 0 {
        keys.add(key, hash)
        firsts.append(entry)
        lasts.append(entry)
      } else {
        let last = Int(lasts[known])
        // A list may name a record twice.
        if rows[last] == Int32(row) { return }
        nexts[last] = entry
        lasts[known] = entry
      }
      rows.append(Int32(row))
      nexts.append(-1)
    }
  }
}
