import Rows

/// A position in sorted rows that sees whether the rows before and after it have the same key.
struct DifferenceCursor: Sendable {
  /// The name of the table in messages.
  let name: String
  /// The batch of the row; nil after the last row.
  private(set) var batch: RowBatch?
  private(set) var row = 0
  /// Whether the row before, or the row after, has the same key.
  private(set) var isRepeated = false
  /// The number of rows with the same key as the row before.
  private(set) var repetitions = 0
  /// The first such key, for messages.
  private(set) var repeatedKey: String?
  private let rows: any RowStream
  private let key: SortOrder
  private var following: RowBatch?
  private var repeatsNext = false

  /// A position at the first row of rows that are sorted by `key`.
  init(_ rows: any RowStream, named name: String, by key: SortOrder) async throws(Problem) {
    (self.rows, self.key, self.name) = (rows, key, name)
    batch = try await Self.nextBatch(of: rows)
    try await look()
    isRepeated = repeatsNext
  }

  /// Goes to the next row.
  mutating func advance() async throws(Problem) {
    guard let batch else { return }
    let repeats = repeatsNext
    if repeats {
      repetitions += 1
      if repeatedKey == nil { repeatedKey = text(of: batch) }
    }
    row += 1
    if row == batch.count {
      self.batch = following
      following = nil
      row = 0
    }
    try await look()
    isRepeated = repeats || repeatsNext
  }

  /// Compares the row with the one after it.
  private mutating func look() async throws(Problem) {
    repeatsNext = false
    guard let batch else { return }
    if row + 1 < batch.count {
      let reader = CellReader(batch)
      repeatsNext = key.compare(reader, row, reader, row + 1) == 0
      return
    }
    following = try await Self.nextBatch(of: rows)
    guard let following else { return }
    repeatsNext = key.compare(CellReader(batch), row, CellReader(following), 0) == 0
  }

  /// The key of the row, for messages.
  private func text(of batch: RowBatch) -> String {
    key.keys.map { StoredKey([batch.value(row, $0.column)]).text }.joined(separator: "/")
  }

  private static func nextBatch(of rows: any RowStream) async throws(Problem) -> RowBatch? {
    while let batch = try await rows.next()?.batch() { if batch.count > 0 { return batch } }
    return nil
  }
}
