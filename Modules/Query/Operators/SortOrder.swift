import Codecs
import Rows

/// Rows whose cells can be read: those of a batch or of a run.
protocol ReadableRows {
  func cell(_ row: Int, _ column: Int) -> Cell
  var reader: CellReader { get }
}

extension CellReader: ReadableRows {
  var reader: CellReader { self }
}

/// The order of rows: by columns, then by the key; text as bytes, numbers and times by value, nulls last.
struct SortOrder: Sendable {
  struct Key: Sendable {
    let column: Int
    let isDescending: Bool
  }
  let keys: [Key]
  /// The way in which the values of each key become words.
  let kinds: [WordKind]
  /// Whether a key has timestamps.
  private let hasTimes: Bool

  init(_ keys: [Key], _ schema: Schema) {
    let named = Set(keys.map(\.column))
    self.keys = keys + schema.key.filter { !named.contains($0) }.map { Key(column: $0, isDescending: false) }
    kinds = self.keys.map { WordKind(schema.columns[$0.column].type) }
    hasTimes = kinds.contains { if case .time = $0 { true } else { false } }
  }

  /// Below zero when the row of the first reader comes first, above when the other one does, zero when the order of
  /// arrival decides.
  func compare<Rows: ReadableRows>(_ a: Rows, _ rowA: Int, _ b: Rows, _ rowB: Int) -> Int {
    for (place, key) in keys.enumerated() {
      var x = a.cell(rowA, key.column), y = b.cell(rowB, key.column)
      switch (x.isNull, y.isNull) {
      case (true, true): continue
      case (true, false): return 1
      case (false, true): return -1
      case (false, false): break
      }
      if hasTimes, case .time = kinds[place] { (x, y) = (a.reader.time(x), b.reader.time(y)) }
      let order = Self.compare(a.reader, x, b.reader, y)
      if order != 0 { return key.isDescending ? -order : order }
    }
    return 0
  }

  /// Compares two values that are not null; timestamps are given as `CellReader.time` makes them.
  static func compare(_ a: CellReader, _ x: Cell, _ b: CellReader, _ y: Cell) -> Int {
    if case .text(let start, let length) = x, case .text(let otherStart, let otherLength) = y {
      return unsafe precedes(a.bytes(start, length), b.bytes(otherStart, otherLength))
    }
    if let m = a.integer(of: x), let n = b.integer(of: y) { return m < n ? -1 : m == n ? 0 : 1 }
    if case .boolean(let p) = x, case .boolean(let q) = y { return p == q ? 0 : q ? -1 : 1 }
    if let m = a.nearestDouble(of: x), let n = b.nearestDouble(of: y), let order = m.order(to: n) { return order }
    if let m = a.number(of: x), let n = b.number(of: y) { return m < n ? -1 : m == n ? 0 : 1 }
    if let m = unsafe a.bytes(of: x), let n = unsafe b.bytes(of: y), rank(x) == rank(y) { return unsafe precedes(m, n) }
    return rank(x) - rank(y)
  }

  /// The order between values of different kinds in one column.
  static func rank(_ cell: Cell) -> Int {
    switch cell {
    case .null: 0
    case .boolean: 1
    case .integer, .real, .number: 2
    case .text: 3
    case .json: 4
    case .bytes: 5
    }
  }
}
