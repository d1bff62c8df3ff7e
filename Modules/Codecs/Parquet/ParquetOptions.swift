/// The options of a Parquet file.
public struct ParquetOptions: Sendable, Hashable {
  /// How pages are compressed.
  public var compression = PageCompression.snappy
  /// The most rows of a page, at least 1.
  public var pageRows = 20_000
  /// Whether columns with repeated values have a dictionary.
  public var usesDictionaries = true
  /// Whether pages and column chunks have the bounds of their values.
  public var writesStatistics = true
  /// The types of columns of dates and timestamps.
  public var dates = Dates.automatic
  /// The names of columns that have a bloom filter in each row group.
  public var bloomFilters: [String] = []

  /// The types of columns of dates and timestamps.
  public enum Dates: String, Sendable, Hashable, CaseIterable {
    /// Their own if the first rows can be read back as they are, otherwise text.
    case automatic = "auto"
    /// Days, and millionths of a second; zeros at the end of a fraction are lost.
    case native
    /// Text.
    case text
  }

  /// The defaults.
  public init() {}
}
