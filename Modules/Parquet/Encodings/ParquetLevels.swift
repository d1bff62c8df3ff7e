import Rows

/// The levels and values of a leaf in some rows.
final class ParquetLevels {
  var repetition: [UInt32] = [], definition: [UInt32] = []
  var cells: [Cell] = []
  var arena = ArenaBuilder(capacity: 1 << 12)
  var level = 0, value = 0

  var isAtEnd: Bool { level == definition.count }
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
