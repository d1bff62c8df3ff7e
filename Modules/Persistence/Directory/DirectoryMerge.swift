import Codecs
import Domain
import Files
import Query
import Rows

struct DirectoryEdit {
  let key: StoredKey
  let action: Action
  /// Checked before: the record as it is now.
  var check: ((_ before: [Value]?) throws(Problem) -> Void)?

  enum Action {
    /// Only `check`.
    case look
    /// Put a row, as wide as the change's schema, in its place.
    case put([Value])
    case delete
    /// Completes an interrupted change: sets `after` if the record is `before`.
    case finish(before: [Value]?, after: [Value]?)
  }
}

/// Writes the records of a table and the edits of a change, both in order of the key, as one new file.
struct DirectoryMerge: ~Copyable {
  private let kept: Schema
  private let columns: ColumnMap
  private let codec: any DirectoryCodec
  private let encoder: any DirectoryEncoder
  private let sink: FileSink
  /// New records that may be larger than what is read.
  private var large: [[Value]] = []
  /// Bytes of values from which a record is checked: they may take six times as many in the file.
  private static let largeFrom = 2 << 20
  private var out = ByteBuffer()
  private var changed: RowBatchBuilder
  private var isEmpty = true
  private(set) var outcome = TableOutcome()
  private var nulls: NullTally
  /// The records that are different, if they are kept.
  private(set) var images: TableRevisions
  private let keepsImages: Bool

  /// A new file of `kept` in `sink`, for edits of `schema`.
  /// - Parameter keepsImages: whether the records that are different are kept in memory.
  init(_ schema: Schema, kept: Schema, _ format: DirectoryFormat, _ sink: FileSink, keepsImages: Bool = true) {
    self.kept = kept
    self.keepsImages = keepsImages
    self.sink = sink
    columns = ColumnMap(schema, in: kept)
    codec = format.codec
    encoder = codec.encoder(kept)
    changed = RowBatchBuilder(width: kept.width)
    images = TableRevisions(schema: kept)
    nulls = NullTally(kept)
  }

  /// Writes everything.
  /// - Parameters:
  ///   - removesOthers: whether records without an edit go.
  ///   - next: the next edit; nil at the end.
  mutating func run(
    _ rows: (any RowStream)?, removesOthers: Bool, next: () async throws(Problem) -> DirectoryEdit?
  ) async throws(Problem) {
    try encoder.begin(&out)
    var edit = try await next()
    while let batch = try await rows?.next()?.batch() {
      var start = 0
      for row in 0..<batch.count {
        if edit == nil, !removesOthers { break }
        var order = 1
        while let current = edit {
          order = KeyOrder.compare(batch, row, kept.key, current.key)
          if order <= 0 { break }
          try await copy(batch, start..<row)
          start = row
          try make(current, nil)
          edit = try await next()
        }
        let isEdited = edit != nil && order == 0
        guard isEdited || removesOthers else { continue }
        try await copy(batch, start..<row)
        start = row + 1
        let before = try StoredRow.normalised((0..<batch.width).map { batch.value(row, $0) }, kept)
        if isEdited, let current = edit {
          try make(current, before)
          edit = try await next()
        } else {
          count(before, nil)
        }
        if changed.isFull { try await writeChanged() }
      }
      try await copy(batch, start..<batch.count)
    }
    while let current = edit {
      try make(current, nil)
      if changed.isFull { try await writeChanged() }
      edit = try await next()
    }
    outcome.nulled = nulls.found
    try await writeChanged()
    try encoder.finish(isEmpty: isEmpty, &out)
    try await flush()
  }

  private mutating func make(_ edit: DirectoryEdit, _ before: [Value]?) throws(Problem) {
    try edit.check?(before)
    let after: [Value]?
    switch edit.action {
    case .look: after = before
    case .put(let row): after = columns.widened(row, over: before)
    case .delete: after = nil
    case .finish(let known, let wanted): after = StoredRow.areSame(before, known) ? wanted : before
    }
    if case .look = edit.action {
    } else {
      if let before, let after { nulls.add(before, after) }
      count(before, after)
    }
    guard let after else { return }
    for value in after { changed.append(value: value) }
    if after.reduce(0, { $0 + $1.byteCount }) >= Self.largeFrom { large.append(after) }
  }

  private mutating func count(_ before: [Value]?, _ after: [Value]?) {
    _ = outcome.count(before, after, &images)
    if !keepsImages { images.rows.removeAll(keepingCapacity: true) }
  }

  /// Refuses a record that is larger than what is read: the table could not be read again.
  private func checkSize(of record: [Value]) async throws(Problem) {
    var builder = RowBatchBuilder(width: kept.width), text = ByteBuffer()
    for value in record { builder.append(value: value) }
    let encoder = codec.encoder(kept)
    try encoder.begin(&text)
    try encoder.write(builder.finish(), isFirst: true, &text)
    try encoder.finish(isEmpty: false, &text)
    do throws(Problem) {
      let rows = try codec.rows(MemoryByteSource(text.bytes(), name: ""), kept, columns: nil)
      while let work = try await rows.next() { _ = try work.batch() }
    } catch {
      let name = kept.key.isEmpty ? "a record" : "record \(StoredKey(of: record, kept).text)"
      throw Problem(
        .badData, "\(name): \(error.message)", at: sink.name,
        hint: "use an SQLite store, which has no such limit")
    }
  }

  private mutating func copy(_ batch: RowBatch, _ range: Range<Int>) async throws(Problem) {
    guard !range.isEmpty else { return }
    try await writeChanged()
    try await write(range.count == batch.count ? batch : batch.selecting(range))
  }

  private mutating func writeChanged() async throws(Problem) {
    for record in large { try await checkSize(of: record) }
    large = []
    if changed.count > 0 { try await write(changed.takeBatch()) }
  }

  private mutating func write(_ batch: RowBatch) async throws(Problem) {
    try encoder.write(batch, isFirst: isEmpty, &out)
    isEmpty = false
    if out.count >= 1 << 18 { try await flush() }
  }

  private mutating func flush() async throws(Problem) {
    try await sink.write(out)
    out.removeAll()
  }
}
