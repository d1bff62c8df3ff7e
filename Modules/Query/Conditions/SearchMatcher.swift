import Codecs
public import Rows

/// A search made ready for a schema: every word of the query begins a word of the row.
public struct SearchMatcher: Sendable {
  /// The words, each once.
  private let words: [FoldedNeedle]
  /// Columns that are searched: text, and lists of text.
  private let columns: [(position: Int, isList: Bool)]

  /// The words of `query` in the texts of `schema`.
  package init(_ query: String, for schema: Schema) {
    var words: [[UInt8]] = []
    for word in Words.folded(query) where !words.contains(word) { words.append(word) }
    self.words = words.map(FoldedNeedle.init(folded:))
    columns = Self.columns(of: schema).map { ($0, schema.columns[$0].type == .list(.text)) }
  }

  /// The columns that are searched: text, and lists of text.
  public static func columns(of schema: Schema) -> [Int] {
    schema.columns.indices.filter { [.text, .list(.text)].contains(schema.columns[$0].type) }
  }

  /// Appends the words that a search finds in a value of a column of `type`, folded, each followed by a space: for a
  /// store with its own index.
  public static func appendWords(of value: [UInt8], _ type: ColumnType, to text: inout [UInt8]) {
    func append(_ folded: [UInt8]) {
      for range in Words.ranges(of: folded) {
        text += folded[range]
        text.append(0x20)
      }
    }
    guard type == .list(.text) else { return append(Fold.folded(value)) }
    _ = unsafe value.withUnsafeBytes { bytes in
      unsafe ListText.first(in: bytes) { element in
        append(Fold.folded(element))
        return false
      }
    }
  }

  package func rows(of batch: RowBatch) -> [Int] {
    var rows = (0..<Int32(batch.count)).map { $0 }, scratch: [UInt8] = []
    filter(CellReader(batch), &rows, &scratch)
    return rows.map(Int.init)
  }

  func filter(_ reader: CellReader, _ rows: inout [Int32], _ scratch: inout [UInt8]) {
    if let word = words.first, words.count == 1, !columns.contains(where: \.isList) {
      let columns = self.columns.map(\.position)
      word.searching { search in
        rows.removeAll { row in
          guard let search else { return !matches(reader, Int(row), &scratch) }
          var isCertain = true
          for column in columns {
            guard let text = reader.text(of: reader.cell(Int(row), column)) else { continue }
            switch search.isFound(in: text) {
            case true?: return false
            case false?: break
            case nil: isCertain = false
            }
          }
          return isCertain || !matches(reader, Int(row), &scratch)
        }
      }
    } else {
      rows.removeAll { !matches(reader, Int($0), &scratch) }
    }
  }

  /// Whether a row matches: one row after the other, the law for `filter`.
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
        } else if unsafe !strikeUnfolded(bytes, from: first, &missing) {
          scratch.removeAll(keepingCapacity: true)
          unsafe Fold.append(bytes, to: &scratch)
          strike(scratch, from: first, &missing)
        }
      }
      if missing != 0 { return false }
    }
    return true
  }

  /// Takes off the words that a word of a text begins with; false if the text must be folded to find others.
  private func strikeUnfolded(_ text: UnsafeRawBufferPointer, from first: Int, _ missing: inout UInt64) -> Bool {
    var left = missing, isCertain = true
    while left != 0 {
      let bit = left.trailingZeroBitCount
      left &= left - 1
      switch unsafe words[first + bit].isFound(in: text, atWord: true) {
      case true?: missing &= ~(1 << UInt64(bit))
      case false?: break
      case nil: isCertain = false
      }
    }
    return isCertain
  }

  /// Takes off the words that a word of folded text begins with.
  private func strike(_ text: [UInt8], from first: Int, _ missing: inout UInt64) {
    Words.forEachStart(in: text) { start in
      var left = missing
      while left != 0 {
        let bit = left.trailingZeroBitCount
        left &= left - 1
        if Words.begins(text, at: start, with: words[first + bit].bytes) { missing &= ~(1 << UInt64(bit)) }
      }
      return missing != 0
    }
  }
}
