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
  case integers(bits: Int), reals(bits: Int)
  /// Structures, maps and other lists, which are JSON here and everywhere else.
  case nested
  /// Types of Parquet that no column has here: UUIDs, bytes of a fixed length, intervals, reals of 16 bits, unsigned
  /// integers of at most 32 bits, and decimals of more than 38 digits.
  case foreign
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

  /// The warning of formats that have the types of Parquet, but do not write all of them; nil if all are kept.
  public var typesWarning: Warning? {
    let names = columns.filter { $0.stored == .foreign }.map(\.name)
    if names.isEmpty { return nestedWarning }
    let nested = nestedWarning.map { "\($0.message); " } ?? ""
    let columns = names.count == 1 ? "type of 1 column is" : "types of \(names.count) columns are"
    return "\(nested)the \(columns) not kept (\(names.joined(separator: ", ")))"
  }
}
