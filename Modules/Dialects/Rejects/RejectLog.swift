internal import Codecs
public import Rows
internal import Synchronization

/// The records that repair changed or dropped, of all files of a command, as a table.
///
/// A file that is read again begins again.
public final class RejectLog: Sendable {
  /// The columns of the table.
  public static let schema = Schema(
    "rejects", "Records that were changed or dropped.",
    columns: [
      ColumnDescription("file", .text), ColumnDescription("line", .integer), ColumnDescription("offset", .integer),
      ColumnDescription("bytes", .integer), ColumnDescription("reason", .text), ColumnDescription("action", .text),
      ColumnDescription("detail", .text, nullable: true), ColumnDescription("raw", .text, nullable: true),
      ColumnDescription("raw_base64", .text, nullable: true),
    ])

  private struct Part {
    var file: String, reader: Int
    var pending: [Reject] = [], pendingBytes = 0
    var rows: SpillBuffer
    var counts: [Kind: Int] = [:]
    /// The file, if it was read to its end.
    var input: ReadInput?
  }
  /// A fault, and what happened to the record.
  public struct Kind: Sendable, Hashable {
    /// The fault.
    public let reason: Reject.Reason
    /// What happened.
    public let action: Reject.Action
  }
  private struct State {
    var parts: [Part] = []
    /// Whether text that is in no row must not be lost, and whether files had no header.
    var refusesLoss = false, lacksHeader: Bool?
    var readers = 0
  }
  private let state = Mutex(State())
  let scratch: any ScratchSpace

  /// An empty log; what it cannot keep in memory goes to `scratch`.
  public init(scratch: any ScratchSpace) { self.scratch = scratch }

  /// A new reading of a file, which replaces the earlier ones.
  func begin(_ file: String) -> Int {
    let schema = Self.schema, scratch = scratch
    return state.withLock { state in
      state.readers += 1
      let part = Part(
        file: file, reader: state.readers, rows: SpillBuffer(schema: schema, scratch: scratch, memoryLimit: 1 << 20))
      if let index = state.parts.firstIndex(where: { $0.file == file }) {
        state.parts[index] = part
      } else {
        state.parts.append(part)
      }
      return state.readers
    }
  }

  /// Adds records of the reading `reader` of a file.
  /// - Throws: `io` if a temporary file cannot be written.
  func add(_ rejects: [Reject], of reader: Int) throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      guard !rejects.isEmpty, let index = state.parts.firstIndex(where: { $0.reader == reader }) else { return }
      // A copy of a reject would cost more than its work here.
      for at in rejects.indices {
        let reason = rejects[at].reason, action = rejects[at].action, isExpected = rejects[at].isExpected
        if !isExpected || reason == .shortRow || reason == .longRow {
          state.parts[index].counts[Kind(reason: reason, action: action), default: 0] += 1
        }
        state.parts[index].pendingBytes += rejects[at].count
        if state.refusesLoss, !isExpected, action == .dropped && !rejects[at].isBlank || action == .surplusCut {
          throw Problem(
            .badData, "the record would be lost (\(reason.rawValue))",
            at: "\(state.parts[index].file):\(rejects[at].line)", hint: .set(.rejects, for: "keep such records"))
        }
      }
      state.parts[index].pending += rejects
      if state.parts[index].pendingBytes > 1 << 16 || state.parts[index].pending.count > 1 << 10 {
        try Self.flush(&state.parts[index])
      }
    }
  }

  private static func flush(_ part: inout Part) throws(Problem) {
    let pending = part.pending
    var next = 0, batch = RowBatchBuilder(width: schema.width)
    (part.pending, part.pendingBytes) = ([], 0)
    while next < pending.count {
      // One record may have several rejects.
      let first = next
      repeat { next += 1 } while next < pending.count && pending[next].isOfRecord(pending[first])
      guard let stored = pending[first].stored else {
        let raw = pending[first].raw
        unsafe append(pending[first..<next], raw.span.bytes, at: pending[first].offset, part.file, to: &batch)
        continue
      }
      var offset = pending[first].offset
      try stored.forEachPart { (bytes) throws(Problem) in
        // A part ends with a whole character.
        let valid = ByteText.firstInvalid(Span(_bytes: bytes))
        let count = bytes.byteCount - valid < 4 && valid > 0 ? valid : bytes.byteCount
        append(pending[first..<next], bytes.extracting(..<count), at: offset, part.file, to: &batch)
        offset += count
        if batch.isFull { try part.rows.append(batch.takeBatch()) }
        return count
      }
    }
    try part.rows.append(batch.finish())
  }

  /// Adds the rows of a record, or of a part of it.
  private static func append(
    _ rejects: ArraySlice<Reject>, _ raw: RawSpan, at offset: Int, _ file: String, to batch: inout RowBatchBuilder
  ) {
    let bytes = Span<UInt8>(_bytes: raw)
    let isText = ByteText.firstInvalid(bytes) == bytes.count && !ByteText.contains(bytes, [0])
    for at in rejects.indices {
      let isFirst = offset == rejects[at].offset
      batch.append(text: file)
      batch.append(integer: Int64(rejects[at].line))
      batch.append(integer: Int64(offset))
      batch.append(integer: Int64(bytes.count))
      batch.append(text: rejects[at].reason.rawValue)
      batch.append(text: (isFirst ? rejects[at].action : .continued).rawValue)
      if isFirst, !rejects[at].detail.isEmpty { batch.append(text: rejects[at].detail) } else { batch.appendNull() }
      if isText { batch.append(text: raw) }
      batch.appendNull()
      if !isText { batch.append(text: Base64.encoded(bytes.indices.map { bytes[$0] })) }
    }
  }

  /// Refuses to drop text of which no row has anything.
  public func refuseLoss() { state.withLock { $0.refusesLoss = true } }
  /// Notes whether the columns of a file have names.
  public func note(hasHeader: Bool) { state.withLock { $0.lacksHeader = $0.lacksHeader != false && !hasHeader } }
  /// Whether no file had names of columns.
  public var lacksHeader: Bool { state.withLock { $0.lacksHeader == true } }
  /// Whether no record was changed or dropped.
  public var isEmpty: Bool { state.withLock { $0.parts.allSatisfy(\.counts.isEmpty) } }
  /// Forgets what was read.
  public func removeAll() { state.withLock { ($0.parts, $0.lacksHeader) = ([], nil) } }

  /// The report at the end of a file.
  func notes(on file: String) -> [Warning] {
    state.withLock { state in
      state.parts.filter { $0.file == file }.compactMap { part in
        guard !part.counts.isEmpty else { return nil }
        let total = part.counts.values.reduce(0, +)
        let list = Self.sorted(part.counts).map { kind, records in
          "\(records) \(kind.reason.rawValue), \(kind.action.rawValue)"
        }
        let records = "\(total) record\(total == 1 ? "" : "s")"
        return Warning("\(file): \(records) changed, dropped or doubtful (\(list.joined(separator: "; ")))")
      }
    }
  }

  private static func sorted(_ counts: [Kind: Int]) -> [(kind: Kind, records: Int)] {
    counts.map { ($0.key, $0.value) }.sorted { left, right in
      left.1 != right.1
        ? left.1 > right.1
        : (left.0.reason.rawValue, left.0.action.rawValue) < (right.0.reason.rawValue, right.0.action.rawValue)
    }
  }

  /// The files, and how many of their records were changed or dropped, and why.
  public var counts: [(file: String, kinds: [(kind: Kind, records: Int)])] {
    state.withLock { $0.parts.map { ($0.file, Self.sorted($0.counts)) } }
  }

  /// Notes that a file was read to its end.
  func end(_ reader: Int, _ input: ReadInput) {
    state.withLock { state in
      if let index = state.parts.firstIndex(where: { $0.reader == reader }) { state.parts[index].input = input }
    }
  }

  /// Reads the files again without the records in the table, which must be there byte by byte: so no byte is lost.
  /// - Returns: the files and their SHA-256 digests.
  /// - Throws: `io` if a byte of a file is neither in a row nor in the table; `usage` for a file that was not read to
  ///   its end, or cannot be read again.
  public func verify() throws(Problem) -> [(file: String, digest: String)] {
    try state.withLock { (state) throws(Problem) in
      var digests: [(String, String)] = []
      for index in state.parts.indices {
        try Self.flush(&state.parts[index])
        let part = state.parts[index]
        guard let input = part.input, let source = try input.source.reopened() else {
          throw Problem(
            .usage, "only input that is read to its end, and can be read again, can be verified", at: part.file,
            hint: "save it to a file, and do not limit the rows")
        }
        digests.append((part.file, try InputVerification.digest(of: source, input, part.rows)))
      }
      return digests
    }
  }

  /// The table.
  /// - Throws: `io` if a temporary file cannot be written.
  public func rows() throws(Problem) -> any RowStream {
    try state.withLock { (state) throws(Problem) in
      var streams: [any RowStream] = []
      for index in state.parts.indices {
        try Self.flush(&state.parts[index])
        streams.append(state.parts[index].rows.stream())
      }
      return RejectRows(streams)
    }
  }
}

/// The tables of several files, one after another.
private final class RejectRows: ExactRowStream {
  let schema = RejectLog.schema
  private let streams: [any RowStream]
  private let current = Mutex(0)

  init(_ streams: [any RowStream]) { self.streams = streams }

  func next() async throws(Problem) -> BatchTask? {
    while case let index = current.withLock({ $0 }), index < streams.count {
      if let task = try await streams[index].next() { return task }
      current.withLock { $0 += 1 }
    }
    return nil
  }
}
