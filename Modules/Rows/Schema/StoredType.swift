/// The type of a column in its source, if it says more than its `ColumnType`. Formats that have it use it.
public enum StoredType: Sendable, Hashable {
  /// Signed integers of 8, 16 or 32 bits.
  case integer(bits: Int)
  /// Unsigned integers of 64 bits, which are decimals here.
  case unsigned
  /// Reals of 32 bits.
  case float
  /// Decimals of a fixed number of digits after the point.
  case decimal(DecimalSize)
  /// Times of day, which are texts here, and timestamps with or without a zone, by the number of units per second.
  case time(perSecond: Int64, isUTC: Bool), timestamp(perSecond: Int64)
  /// Lists of numbers, of which some may be null: JSON here.
  case integers, reals
  /// Structures, maps and other lists, which are JSON here and everywhere else.
  case nested
}

extension StoredType {
  /// The digits of decimals, those of unsigned integers included; nil for other types.
  public var decimalSize: DecimalSize? {
    switch self {
    case .decimal(let size): size
    case .unsigned: DecimalSize(precision: 20, scale: 0)
    default: nil
    }
  }
}

extension Schema {
  /// The warning of formats that have types for nested values, but write JSON; nil if there are none in the source.
  public var nestedWarning: Warning? {
    let names = columns.filter { $0.stored == .nested }.map(\.name)
    return names.isEmpty ? nil : "nested values are written as JSON (\(names.joined(separator: ", ")))"
  }
}
