/// A search made ready for a schema: every word of the query begins a word of the row.
struct SearchMatcher: Sendable {
  /// The words, each once.
  private let words: [[UInt8]]
  /// Columns that are searched: text, and lists of text.
  private let columns: [(position: Int, isList: Bool)]

  /// The words of `query` in the texts of `schema`.
  init(_ query: String, for schema: Schema) {
    var words: [[UInt8]] = []
    for word in Words.folded(query) where !words.contains(word) { words.append(word) }
    self.words = words
    columns = schema.columns.enumerated().compactMap { position, column in
      switch column.type {
      case .text: (position, false)
      case .list(.text): (position, true)
      case .integer, .real, .decimal, .boolean, .bytes, .date, .timestamp, .url, .list, .json: nil
      }
    }
  }

  func matches(_ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool {
    // The words of 64 at a time that were not found yet, a bit each; so a text is folded once for all of them.
    for first in stride(from: 0, to: words.count, by: 64) {
      let count = min(64, words.count - first)
      var missing: UInt64 = count == 64 ? .max : 1 << UInt64(count) - 1
      for column in columns where missing != 0 {
        guard let bytes = unsafe reader.bytes(of: reader.cell(row, column.position)) else { continue }
        if column.isList {
          _ = unsafe ListText.first(in: bytes) { text in
            strike(Fold.folded(text), from: first, &missing)
            return missing == 0
          }
        } else {
          scratch.removeAll(keepingCapacity: true)
          unsafe Fold.append(bytes, to: &scratch)
          strike(scratch, from: first, &missing)
        }
      }
      if missing != 0 { return false }
    }
    return true
  }

  /// Takes off the words that a word of folded text begins with.
  private func strike(_ text: [UInt8], from first: Int, _ missing: inout UInt64) {
    Words.forEachStart(in: text) { start in
      var left = missing
      while left != 0 {
        let bit = left.trailingZeroBitCount
        left &= left - 1
        if Words.begins(text, at: start, with: words[first + bit]) { missing &= ~(1 << UInt64(bit)) }
      }
      return missing != 0
    }
  }
}
