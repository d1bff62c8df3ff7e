import Rows

/// The levels and values of a leaf in some rows.
final class ParquetLevels {
  var repetition: [UInt8] = [], definition: [UInt8] = []
  var cells: [Cell] = []
  var arena = ArenaBuilder(capacity: 1 << 12)
  var level = 0, value = 0

  var isAtEnd: Bool { level == definition.count }
  /// The bytes of memory, about.
  var size: Int { arena.count + definition.count * (2 + MemoryLayout<Cell>.stride) }
}

/// The levels of a page: one if all are the same, as in columns without nulls and of nothing but nulls.
struct ParquetPageLevels {
  private var values: [UInt8] = [], same: UInt8 = 0

  /// Levels of 0.
  init() {}

  init(_ values: [UInt8]) {
    same = values.first ?? 0
    if values.contains(where: { [same] in $0 != same }) { self.values = values }
  }

  @inline(__always) subscript(place: Int) -> UInt8 { values.isEmpty ? same : values[place] }

  /// Whether all levels are `level`.
  func areAll(_ level: UInt8) -> Bool { values.isEmpty && same == level }

  /// The number of those in a range that are `level`.
  func count(of level: UInt8, in range: Range<Int>) -> Int {
    if values.isEmpty { return same == level ? range.count : 0 }
    return values[range].reduce(0) { $0 + ($1 == level ? 1 : 0) }
  }
}

extension Cell {
  /// The range of its bytes; nil for a value without.
  var range: Range<Int>? {
    switch self {
    case .text(let start, let length), .number(let start, let length), .json(let start, let length),
      .bytes(let start, let length):
      Int(start)..<Int(start) + Int(length)
    case .null, .integer, .real, .boolean: nil
    }
  }

  /// The same value with its bytes `distance` further on.
  @inline(__always) func moved(by distance: Int) -> Cell {
    switch self {
    case .text(let start, let length): .text(UInt32(Int(start) + distance), length)
    case .number(let start, let length): .number(UInt32(Int(start) + distance), length)
    case .json(let start, let length): .json(UInt32(Int(start) + distance), length)
    case .bytes(let start, let length): .bytes(UInt32(Int(start) + distance), length)
    case .null, .integer, .real, .boolean: self
    }
  }
}
