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
  /// Whether dates and timestamps are written as text.
  public var writesDatesAsText = false
  /// The names of columns that have a bloom filter in each row group.
  public var bloomFilters: [String] = []

  /// The defaults.
  public init() {}
}
