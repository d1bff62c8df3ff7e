public import Codecs
public import Rows

/// The widths of the values of a column on a page.
public struct HTMLMetrics: Sendable, Hashable {
  /// The widths of the widest line of each value, and the longest word.
  public private(set) var widths = ColumnWidths()
  /// Whether a value is the address of an image, or the name of a file in a store.
  public private(set) var hasImages = false
  /// Whether no row has a value.
  public var isEmpty: Bool { widths.isEmpty }

  /// The widths of the columns of `batches`.
  public static func measure(_ batches: [RowBatch], _ schema: Schema) -> [HTMLMetrics] {
    var all = [HTMLMetrics](repeating: HTMLMetrics(), count: schema.width)
    var text = ByteBuffer(capacity: 4096), line = ByteBuffer(capacity: 4096)
    for batch in batches {
      for row in 0..<batch.count {
        for column in 0..<batch.width {
          text.removeAll()
          DisplayText.appendPlain(batch[row, column], batch.arena, to: &text)
          text.run { all[column].add($0, &line) }
        }
      }
    }
    return all
  }

  /// Longer texts are measured as far as this.
  private static let longest = 2048

  private mutating func add(_ text: ByteRun, _ line: inout ByteBuffer) {
    let isList = text.count > 2 && text[0] == UInt8(ascii: "[") && text[1] == UInt8(ascii: "\"")
    let first = isList ? text.slice(from: 2, atMost: text.count - 2) : text
    if WebAddress.begins(first) || Self.isFileOfStore(first) { hasImages = true }
    var widest = 0, longestWord = 0, start = 0
    let end = min(text.count, Self.longest)
    while start < end {
      var stop = start
      while stop < end, text[stop] > 0x20 { stop += 1 }
      line.removeAll()
      _ = VisibleText.append(text.slice(from: start, atMost: stop - start), to: &line)
      longestWord = max(longestWord, line.run(DisplayWidth.of))
      start = stop + 1
    }
    start = 0
    while start < end {
      var stop = start
      while stop < end, text[stop] != 0x0A { stop += 1 }
      line.removeAll()
      _ = VisibleText.append(text.slice(from: start, atMost: stop - start), to: &line)
      widest = max(widest, line.run(DisplayWidth.of))
      start = stop + 1
    }
    widths.add(widest, word: longestWord)
  }

  private static func isFileOfStore(_ text: ByteRun) -> Bool {
    let prefix = Array("images/".utf8)
    guard text.count > 7 else { return false }
    return (0..<7).allSatisfy { text[$0] == prefix[$0] }
  }
}
