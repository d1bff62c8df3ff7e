import Codecs
import Domain
import Query
import Rows

/// The rows of a dataset while its pages are read: in memory up to a limit, then in a temporary file.
struct RESTCollector {
  private let reader: RESTRecordReader
  private let scratch: (any ScratchSpace)?
  private let buffer: SpillBuffer
  /// Rows that are not yet a batch.
  private var pending: [[Value]] = []
  private var pendingBytes = 0
  private var lastRow: [Value]?
  private var bytes = 0
  /// Whether the rows so far are in the order of the key, each key once.
  private var isOrdered = true
  private(set) var notes = RESTNotes()
  private(set) var members: RESTMembers
  /// Some records, if a column found its member in none.
  private(set) var samples: [RESTDriftSample] = []

  /// Bytes of rows that are sorted as values; more are sorted in temporary files.
  private static let sortedInMemory = 8 << 20

  /// Rows that become batches together: pages may be small, and batches have a least size.
  private static let batchSize = 2048
  /// Bytes of rows that become batches together.
  private static let batchBytes = 4 << 20
  /// Bytes of rows in memory before a temporary file is used, and for sorting.
  private static let buffered = 16 << 20, sorting = 24 << 20

  /// - Parameter scratch: temporary files; nil to keep all rows in memory.
  init(_ reader: RESTRecordReader, scratch: (any ScratchSpace)?) {
    self.reader = reader
    self.scratch = scratch
    buffer = SpillBuffer(
      schema: reader.rowSchema, scratch: scratch ?? NoScratch(),
      memoryLimit: scratch == nil ? .max : Self.buffered)
    members = reader.members
  }

  /// Adds the rows of a page.
  /// - Throws: `io` if a temporary file cannot be written.
  mutating func add(_ part: RESTRows) throws(Problem) {
    notes.add(part.notes)
    members.add(part.members)
    if samples.isEmpty { samples = part.samples }
    let key = reader.dataset.schema.key
    for row in part.rows {
      if isOrdered, !key.isEmpty {
        if let lastRow, reader.precedes(lastRow, row, by: key) != true { isOrdered = false }
        lastRow = row
      }
      pending.append(row)
      pendingBytes += row.reduce(0) { $0 + $1.byteCount }
      if pending.count >= Self.batchSize || pendingBytes >= Self.batchBytes { try flush() }
    }
  }

  private mutating func flush() throws(Problem) {
    for batch in reader.batches(of: pending) {
      bytes += batch.memory
      try buffer.append(batch)
    }
    pending = []
    pendingBytes = 0
  }

  /// The findings about members of the records.
  func findings(isPartial: Bool) -> [MemberFinding] {
    members.findings(reader.dataset.schema.name, isPartial: isPartial)
      + notes.findings(reader.dataset, records: members.records)
  }

  /// All rows in key order, after `body` has changed them in parts.
  /// - Parameters:
  ///   - body: completes rows; nil to leave them unchanged.
  mutating func finish(
    _ body: ((inout [[Value]]) async throws(Problem) -> Void)?
  ) async throws(Problem) -> any RowStream {
    try flush()
    let schema = reader.dataset.schema
    if isOrdered, body == nil, reader.dataset.occurrence == nil { return buffer.stream() }
    if scratch == nil || bytes <= Self.sortedInMemory {
      var rows = try await Self.values(of: buffer.stream())
      reader.count(&rows, &notes)
      reader.sort(&rows)
      if let body { try await body(&rows) }
      return BufferedRows(schema: schema, batches: batches(of: rows))
    }
    return try await finishInFile(body)
  }

  /// The same for more rows than fit into memory.
  private mutating func finishInFile(
    _ body: ((inout [[Value]]) async throws(Problem) -> Void)?
  ) async throws(Problem) -> any RowStream {
    guard let scratch else { return buffer.stream() }
    let schema = reader.dataset.schema, counter = reader.dataset.occurrence.flatMap(schema.position)
    let key = schema.key.filter { $0 != counter }
    var stream = buffer.stream()
    if !isOrdered, !key.isEmpty {
      var order = Selection()
      order.sort = key.map { Selection.SortKey(schema.columns[$0].name) }
      stream = try order.apply(to: stream, scratch: scratch, memory: Self.sorting)
    }
    notes.counter = reader.dataset.occurrence
    notes.keyName = key.map { schema.columns[$0].name }.joined(separator: ", ")
    let output = SpillBuffer(schema: schema, scratch: scratch, memoryLimit: Self.buffered)
    var last: [Value]?, times: Int64 = 0
    while let batch = try await stream.next()?.batch() {
      var rows = Self.values(of: batch)
      for position in rows.indices where !key.isEmpty {
        let values = key.map { rows[position][$0] }
        times = values == last ? times + 1 : 1
        last = values
        if times == 2 { notes.repeatedKeys.append(values.map(RESTRecordReader.shown).joined(separator: " ")) }
        if let counter { rows[position][counter] = .integer(times) }
      }
      if let body { try await body(&rows) }
      for batch in batches(of: rows) { try output.append(batch) }
    }
    return output.stream()
  }

  private static func values(of batch: RowBatch) -> [[Value]] {
    (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
  }
  private static func values(of stream: any RowStream) async throws(Problem) -> [[Value]] {
    var rows: [[Value]] = []
    while let batch = try await stream.next()?.batch() { rows += values(of: batch) }
    return rows
  }

  /// The rows with the columns of the dataset alone.
  private func batches(of rows: [[Value]]) -> [RowBatch] {
    let width = reader.dataset.schema.width, batches = reader.batches(of: rows)
    guard reader.rowSchema.width > width else { return batches }
    return batches.map { $0.projected(to: Array(0..<width)) }
  }
}
