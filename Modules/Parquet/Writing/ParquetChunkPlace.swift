/// The location of the values of one leaf in one row group, from the footer.
struct ParquetChunkPlace: Sendable {
  let codec: Int, levelCount: Int
  /// The offset of the first page, and the end of the last one.
  let range: Range<Int>
}
