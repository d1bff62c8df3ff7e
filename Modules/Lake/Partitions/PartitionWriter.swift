import Codecs
import Domain
import Rows

/// Cuts rows into partitions, encodes them in groups on several cores, and writes the groups in order. One task at a
/// time uses it.
final class PartitionWriter: @unchecked Sendable {
  private let format: any Exporter
  private let encoder: any RowEncoder
  /// The columns of the rows, and those of the files with their positions.
  private let schema: Schema, inner: Schema
  private let kept: [Int]
  private let pattern: PathPattern
  private let columns: [Int]
  private let configuration: PartitionedExporter.Configuration
  private let set: any OutputFileSet
  private let groupBytes: Int

  /// The partition of the last row, the number of its next file, and its rows that are not encoded yet.
  private var values: [PartitionValue]?
  private var number = 0
  private var pending: [RowBatch] = []
  private var pendingRows = 0, pendingBytes = 0
  /// Whether a file is open, and its rows so far.
  private var isInFile = false
  private var rowsInFile = 0

  /// A step of writing files. Steps run in order; batches are encoded concurrently.
  private enum Step: Sendable {
    case open(PartitionFile)
    case part(Task<Result<EncodedBatch, Problem>, Never>)
    case close
  }
  private var steps: [Step] = []
  private var groupsUnderWay = 0

  /// The file that is being written, and those that are complete.
  private var sink: (any ByteSink)?
  private var file: PartitionFile?
  private var written = EncodedPart()
  private var bytesInFile = 0
  private var files: [PartitionFile] = []

  init(
    _ format: any Exporter, _ encoder: any RowEncoder, _ schema: Schema, _ inner: Schema, _ kept: [Int],
    _ pattern: PathPattern, _ configuration: PartitionedExporter.Configuration, _ set: any OutputFileSet
  ) {
    (self.format, self.encoder, self.schema, self.inner, self.kept) = (format, encoder, schema, inner, kept)
    (self.pattern, self.configuration, self.set) = (pattern, configuration, set)
    columns = pattern.columns.compactMap { schema.position(of: $0) }
    groupBytes = max(encoder.groupBytes, 256 << 10)
  }

  // MARK: - Rows

  func write(_ batch: RowBatch) async throws(Problem) {
    let reader = PartitionReader(batch, columns, schema)
    var start = 0
    while start < batch.count {
      var end = start + 1
      while end < batch.count, reader.isSame(end - 1, end) { end += 1 }
      let values = reader.values(start)
      if values != self.values {
        try await endFile()
        (self.values, number) = (values, 0)
      }
      try await add(batch, start..<end)
      start = end
    }
  }

  /// Adds rows of the same partition.
  private func add(_ batch: RowBatch, _ rows: Range<Int>) async throws(Problem) {
    var rows = rows
    while !rows.isEmpty {
      if !isInFile { try await beginFile() }
      let count = min(rows.count, configuration.maximumRows - rowsInFile)
      let range = rows.lowerBound..<rows.lowerBound + count
      let isWhole = range == 0..<batch.count && kept.count == batch.width
      let part = isWhole ? batch : batch.selecting(range)
      pending.append(kept.count == batch.width ? part : part.projected(to: kept))
      pendingRows += count
      rowsInFile += count
      pendingBytes += batch.memory * count / batch.count
      rows = range.upperBound..<rows.upperBound
      if pendingBytes >= groupBytes { try await encodePending() }
      if rowsInFile >= configuration.maximumRows { try await endFile() }
    }
  }

  /// Begins the next file of the partition.
  private func beginFile() async throws(Problem) {
    let values = self.values ?? []
    var path = try pattern.path(values, number: number, date: configuration.date)
    while try await !set.isFree(path) {
      guard pattern.isNumbered else {
        throw Problem(.cannotCreate, "already exists", at: path, hint: "add {n} to the path")
      }
      number += 1
      path = try pattern.path(values, number: number, date: configuration.date)
    }
    number += 1
    isInFile = true
    steps.append(.open(PartitionFile(path: path, values: values)))
  }

  /// Completes the last file; the next rows begin another.
  private func endFile() async throws(Problem) {
    guard isInFile else { return }
    try await encodePending()
    steps.append(.close)
    (isInFile, rowsInFile) = (false, 0)
    try await work(leaving: configuration.threads)
  }

  /// Encodes the rows since the last group, on any core.
  private func encodePending() async throws(Problem) {
    guard pendingRows > 0 else { return }
    let group = pending, encoder = self.encoder
    (pending, pendingRows, pendingBytes) = ([], 0, 0)
    groupsUnderWay += 1
    steps.append(
      .part(
        Task {
          let encoded = EncodedBatch(count: 1)
          do throws(Problem) {
            try encoded.encode(group, with: encoder, lane: 0)
            return .success(encoded)
          } catch {
            return .failure(error)
          }
        }))
    let isMeasured = configuration.completeBytes < .max
    // The size of a file is known when its groups are encoded.
    try await work(leaving: isMeasured && !configuration.isSizeApproximate ? 0 : configuration.threads)
    let isWritten = !steps.contains { if case .open = $0 { true } else { false } }
    if isMeasured, isInFile, isWritten, bytesInFile >= configuration.completeBytes { try await endFile() }
  }

  // MARK: - Files

  /// Writes what is ready, until at most `count` groups are left.
  private func work(leaving count: Int) async throws(Problem) {
    while let step = steps.first {
      if case .part = step, groupsUnderWay <= count { return }
      steps.removeFirst()
      switch step {
      case .open(let next):
        let path = next.path
        sink = try format.sink(
          around: try configuration.wrap(try set.sink(path), path), of: inner, options: configuration.options)
        (file, written, bytesInFile) = (next, EncodedPart(), 0)
        try await put { (text) throws(Problem) in try encoder.begin(&text) }
      case .part(let task):
        groupsUnderWay -= 1
        let part: EncodedBatch
        do throws(Problem) { part = try await task.value.get() } catch { throw error.located(at: file?.path ?? "") }
        if written.rows > 0 { try await put { (text) throws(Problem) in text.append(encoder.separator) } }
        try await sink?.write(part.buffers[0].bytes)
        bytesInFile += part.buffers[0].bytes.count
        written.merge(part.buffers[0].part)
      case .close:
        let written = self.written
        try await put { (text) throws(Problem) in try encoder.finish(written, &text) }
        try await sink?.commit()
        sink = nil
        if var file {
          file.rows = written.rows
          try set.complete(file, written)
          files.append(file)
        }
      }
    }
  }

  private func put(_ make: (inout ByteBuffer) throws(Problem) -> Void) async throws(Problem) {
    var text = ByteBuffer(capacity: 1 << 12)
    try make(&text)
    if text.count > 0 { try await sink?.write(text) }
  }

  /// Writes what is left and makes the files visible.
  func publish() async throws(Problem) -> [PartitionFile] {
    try await endFile()
    try await work(leaving: 0)
    try await set.publish(files, of: schema)
    return files
  }

  func abandon() async {
    for case .part(let task) in steps { task.cancel() }
    steps = []
    await sink?.abandon()
    sink = nil
    await set.abandon()
  }
}
