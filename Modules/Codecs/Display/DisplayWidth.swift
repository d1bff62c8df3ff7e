internal import CMasks

/// The number of terminal cells of a text.
///
/// East Asian wide characters and emoji take two; marks, joiners and variation selectors none; an emoji sequence
/// (joined, with a skin tone, a flag) takes as many as one emoji. The text must not contain control characters
/// (`VisibleText`).
package struct DisplayWidth {
  private let text: ByteRun
  private var position = 0

  /// A walk over `text`, which is valid UTF-8.
  init(_ text: ByteRun) { self.text = text }

  package static func of(_ text: ByteRun) -> Int {
    var walk = DisplayWidth(text), width = 0
    while let cluster = walk.next() { width += cluster.width }
    return width
  }

  /// The longest beginning of the text that takes at most `width` cells: its bytes, and the cells it takes.
  package static func prefix(of text: ByteRun, width: Int) -> (count: Int, width: Int) {
    var walk = DisplayWidth(text), taken = 0, end = 0
    while let cluster = walk.next() {
      let left = width - taken
      if cluster.width > left {
        // A stretch of ASCII comes as one; it may be cut anywhere.
        return cluster.end - end == cluster.width ? (end + left, width) : (end, taken)
      }
      taken += cluster.width
      end = cluster.end
    }
    return (end, taken)
  }

  /// The next characters that are shown together: where they end, and the cells they take; nil at the end.
  private mutating func next() -> (end: Int, width: Int)? {
    guard position < text.count else { return nil }
    let plain = printableASCII()
    // A mark may follow the last of them.
    if plain > 1 {
      position += plain - 1
      return (position, plain - 1)
    }
    let base = scalar()
    var width = Self.isRegionalIndicator(base) ? 2 : Self.cells(base)
    if Self.isRegionalIndicator(base), let second = peek(), Self.isRegionalIndicator(second.scalar) {
      position = second.end
    }
    while let follower = peek() {
      switch follower.scalar {
      case 0xFE0F:  // shown as an emoji
        if width == 1, Unicode.Scalar(base)?.properties.isEmoji == true { width = 2 }
      case 0x200D:  // joins the next one
        position = follower.end
        guard width == 2, let joined = peek(), Self.cells(joined.scalar) > 0 else { continue }
        position = joined.end
        continue
      case 0x1F3FB...0x1F3FF where width == 2: break  // a skin tone
      default:
        if Self.cells(follower.scalar) > 0 { return (position, width) }
      }
      position = follower.end
    }
    return (position, width)
  }

  /// The number of printable ASCII bytes from this position on.
  private func printableASCII() -> Int {
    var count = 0
    while position + count < text.count {
      let left = text.count - position - count
      var other = unsafe bb_write_unprintable_mask16(text.start + position + count)
      if left < 16 { other |= 1 << UInt32(left) }
      if other != 0 { return count + other.trailingZeroBitCount }
      count += 16
    }
    return count
  }

  private func peek() -> (scalar: UInt32, end: Int)? {
    guard position < text.count else { return nil }
    var copy = self
    let scalar = copy.scalar()
    return (scalar, copy.position)
  }

  /// Takes the next code point; bytes that are not UTF-8 count as one each.
  private mutating func scalar() -> UInt32 {
    let first = text[position]
    position += 1
    let more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
    guard more > 0, position + more <= text.count else { return UInt32(first) }
    var scalar = UInt32(first) & (0x3F >> UInt32(more))
    for offset in 0..<more { scalar = scalar << 6 | UInt32(text[position + offset] & 0x3F) }
    position += more
    return scalar
  }

  private static func isRegionalIndicator(_ scalar: UInt32) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar) }

  private static func cells(_ scalar: UInt32) -> Int {
    if scalar < 0x300 { return 1 }
    if contains(scalar, DisplayWidthTable.none) { return 0 }
    return scalar >= 0x1100 && contains(scalar, DisplayWidthTable.two) ? 2 : 1
  }

  private static func contains(_ scalar: UInt32, _ ranges: [UInt32]) -> Bool {
    var low = 0, high = ranges.count / 2
    while low < high {
      let middle = (low + high) / 2
      if scalar > ranges[middle * 2 + 1] { low = middle + 1 } else { high = middle }
    }
    return low * 2 < ranges.count && scalar >= ranges[low * 2]
  }
}
