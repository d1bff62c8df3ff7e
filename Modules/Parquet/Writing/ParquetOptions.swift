public import Codecs
public import Rows

/// The options of a Parquet file.
public struct ParquetOptions: Sendable, Hashable {
  /// The compression of pages.
  public var compression = PageCompression.snappy
  /// The most rows of a page, at least 1.
  public var pageRows = 20_000
  /// Whether columns with repeated values have a dictionary.
  public var usesDictionaries = true
  /// Whether pages and column chunks have the bounds of their values.
  public var writesStatistics = true
  /// The types of columns of dates and timestamps.
  public var dates = EpochTime.Storage.automatic
  /// The types of columns of decimals.
  public var decimals = Decimals.automatic
  /// The names of columns that have a bloom filter in each row group.
  public var bloomFilters: [String] = []

  /// The sizes that the user gave columns of decimals, by position.
  public var decimalSizes: [Int: DecimalSize] = [:]

  /// The types that store decimals.
  public enum Decimals: String, Sendable, Hashable, CaseIterable {
    /// Doubles if they hold all numbers, else `exact`.
    case automatic = "double"
    /// Decimals of 38 digits, else `text`.
    case exact
    case text
  }

  /// The defaults.
  public init() {}
}

extension StoredType {
  /// Whether the type has the number that a text represents; true for other types than those of numbers.
  public func holds(_ text: [UInt8]) -> Bool {
    guard let number = DecimalNumber(text) else { return false }
    switch self {
    case .integer(let bits):
      guard let value = number.unscaled(precision: 18, scale: 0) else { return false }
      return value >> Int128(bits - 1) == (value < 0 ? -1 : 0)
    case .float: return number.float != nil
    case .decimal(let size): return number.unscaled(precision: size.precision, scale: size.scale) != nil
    default: return true
    }
  }

  /// Parses the name that Delta tables and Spark use for a type of numbers; nil for other types.
  public init?(_ name: String) {
    switch name {
    case "integer": self = .integer(bits: 32)
    case "short": self = .integer(bits: 16)
    case "byte": self = .integer(bits: 8)
    case "float": self = .float
    default:
      guard let size = DecimalSize(name) else { return nil }
      self = .decimal(size)
    }
  }
}
