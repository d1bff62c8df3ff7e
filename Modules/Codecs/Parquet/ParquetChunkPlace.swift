/// The location of the values of one leaf in one row group, from the footer.
struct ParquetChunkPlace: Sendable {
  let codec: Int, levelCount: Int
  /// The offset of the first page, and the end of the last one.
  private(set) var range: Range<Int>
  /// Whether the values have a dictionary, or share prefixes: their texts may be longer than the pages.
  var hasDictionary = false, hasPrefixes = false

  /// Moves the end by at most `slack` bytes in a file of `length` bytes.
  mutating func extend(by slack: Int, in length: Int) {
    if levelCount > 0 { range = range.lowerBound..<range.upperBound + min(slack, length - range.upperBound) }
  }
}
