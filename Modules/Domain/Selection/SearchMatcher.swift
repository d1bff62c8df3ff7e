/// A search made ready for a schema: every word of the query begins a word of the row.
struct SearchMatcher: Sendable {
  private let words: [[UInt8]]
  /// Columns that are searched: text, and lists of text.
  private let columns: [(position: Int, isList: Bool)]

  /// The words of `query` in the texts of `schema`.
  init(_ query: String, for schema: Schema) {
    words = Words.folded(query)
    columns = schema.columns.enumerated().compactMap { position, column in
      switch column.type {
      case .text: (position, false)
      case .list(.text): (position, true)
      case .integer, .real, .decimal, .boolean, .bytes, .date, .timestamp, .url, .list, .json: nil
      }
    }
  }

  func matches(_ reader: CellReader, _ row: Int, _ scratch: inout [UInt8]) -> Bool {
    words.allSatisfy { word in
      columns.contains { column in
        guard let bytes = unsafe reader.bytes(of: reader.cell(row, column.position)) else { return false }
        if column.isList {
          return unsafe ListText.first(in: bytes) { Words.anyBegins(Fold.folded($0), with: word) }
        }
        scratch.removeAll(keepingCapacity: true)
        unsafe Fold.append(bytes, to: &scratch)
        return Words.anyBegins(scratch, with: word)
      }
    }
  }
}
