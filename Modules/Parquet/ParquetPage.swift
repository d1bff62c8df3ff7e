import Codecs
/// The entry of a page of data in the indexes.
struct ParquetPage: Sendable, Hashable {
  /// Where the page begins, counted from the beginning of its row group, and its size with its header.
  var offset = 0, size = 0
  /// The position of its first row in the row group.
  var firstRow = 0
  var nullCount = 0
  /// The number of values that are not null.
  var valueCount = 0
  var bounds = ParquetBounds()
}

/// The entry of a column in a row group in the footer.
struct ParquetChunk: Sendable, Hashable {
  /// Where the dictionary page begins, counted from the beginning of the row group; nil without one.
  var dictionaryOffset: Int?
  /// The values, nulls and empty lists.
  var levelCount = 0
  var uncompressedSize = 0, compressedSize = 0
  /// The numbers of the encodings in use.
  var encodings: [Int] = []
  var pages: [ParquetPage] = []
  /// Where the bloom filter begins, counted from the beginning of the row group, and its size; nil without one.
  var bloomFilter: Place?

  struct Place: Sendable, Hashable { var offset: Int, size: Int }

  /// The bounds of all pages; without an upper one where a page has none.
  var bounds: ParquetBounds {
    pages.reduce(into: ParquetBounds()) { $0.merge($1.bounds) }
  }
  var nullCount: Int { pages.reduce(0) { $0 + $1.nullCount } }
}

/// The entry of a row group in the footer.
struct ParquetRowGroup: Sendable, Hashable {
  var rowCount: Int
  var chunks: [ParquetChunk]
  /// The shapes of columns of decimals, by position.
  var decimals: [Int: DecimalShape] = [:]
}
