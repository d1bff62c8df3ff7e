/// The text between two records that begin on their own lines, from `}` to `{`.
///
/// Where it occurs again, a record probably ends: a string cannot contain a raw line feed, and nested values are
/// usually indented deeper. The parser of the piece detects mistakes.
struct JSONRecordBoundary: Sendable {
  private let bytes: [UInt8]
  private let lineFeed: Int

  /// The seam after the record that ends before `border`, in text that ends at `end`; nil if the next record begins on
  /// the same line, or is not complete yet.
  init?(behind border: Int, _ base: UnsafePointer<UInt8>, to end: Int) {
    var at = border
    while at < end, unsafe base[at] == UInt8(ascii: ",") || base[at] <= 0x20 { at += 1 }
    guard at < end, unsafe base[border - 1] == UInt8(ascii: "}") && base[at] == UInt8(ascii: "{") else { return nil }
    bytes = unsafe Array(UnsafeBufferPointer(start: base + border - 1, count: at - border + 2))
    guard let found = bytes.lastIndex(of: 0x0A) else { return nil }
    lineFeed = found
  }

  /// The offset after the last record between `start` and `end` that the seam follows.
  func lastBorder(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
    var at = end - (bytes.count - lineFeed)
    while at >= start + lineFeed {
      if unsafe base[at] == 0x0A, bytes.indices.allSatisfy({ unsafe base[at - lineFeed + $0] == bytes[$0] }) {
        return at - lineFeed + 1
      }
      at -= 1
    }
    return nil
  }
}
