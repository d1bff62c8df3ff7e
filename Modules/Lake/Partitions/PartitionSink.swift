public import Domain
import Query
public import Rows

/// Writes the rows of each partition to files of their own, in any format: cuts the rows into partitions, encodes them
/// in groups on several cores, and writes the groups in order.
@safe public final class PartitionSink: RowSink, @unchecked Sendable {
  /// The contents of the files, and their places.
  public struct Configuration: Sendable {
    let format: any Exporter, options: ExportOptions
    /// The most rows of a file, and the bytes from which on it is complete.
    public var maximumRows = Int.max, completeBytes = Int.max
    /// Whether a file may have some more groups, so that these are encoded concurrently.
    var isSizeApproximate = false
    /// Where files end, so that most files stay the same when some rows change; nil to fill them.
    var pieces: RowPieces?
    /// Called with the path and the digest of each piece before it is complete.
    var digested: @Sendable (_ path: String, _ digest: RowDigest) -> Void = { (_, _) in }
    /// The date of the export, for `{date}`.
    public var date = ""
    /// The number of row groups that are encoded at the same time, at least 1.
    public var threads = 1
    /// Wraps the sink of a file: compression, digests.
    public var wrap: @Sendable (_ sink: any ByteSink, _ path: String) throws(Problem) -> any ByteSink = {
      (sink, _) throws(Problem) in sink
    }
    let open: @Sendable () throws(Problem) -> any OutputFileSet

    /// Creates a configuration.
    public init(
      _ format: any Exporter, _ options: ExportOptions,
      open: @escaping @Sendable () throws(Problem) -> any OutputFileSet
    ) { (self.format, self.options, self.open) = (format, options, open) }
  }

  /// The columns of the paths.
  public let order: [String]
  private let configuration: Configuration
  private let pattern: PathPattern
  /// The columns of the rows, and those of the files with their positions.
  private let schema: Schema, inner: Schema
  private let kept: [Int]
  private let columns: [Int]
  /// A file that is never opened: it knows what the format measures, and checks its options.
  private let model: any RowSink
  private var metrics = ColumnMetrics()
  private var set: (any OutputFileSet)?
  private var fileGroupBytes = 0

  /// The partition of the last row, the number of its next file, and its rows that are not encoded yet.
  private var values: [PartitionValue]?
  private var number = 0
  private var pending: [RowBatch] = []
  private var pendingRows = 0, pendingBytes = 0

  private struct OpenFile {
    let description: PartitionFile, sink: any RowSink
    var rows = 0
  }
  /// The digest of the file that is written.
  private var digest = RowDigest()
  /// The file that gets the next rows.
  private var file: OpenFile?
  /// A step of writing files. Steps run in order; batches are encoded concurrently.
  private enum Step {
    case part(Task<Result<(PreparedRows, RowDigest), Problem>, Never>, OpenFile)
    case close(OpenFile)
  }
  private var steps: [Step] = []
  private var groupsUnderWay = 0
  private var files: [PartitionFile] = []

  /// - Throws: `usage` for a column that the table does not have, or whose values cannot be in a path.
  public init(_ schema: Schema, to pattern: PathPattern, _ configuration: Configuration) async throws(Problem) {
    for name in pattern.columns {
      guard let position = schema.position(of: name) else {
        throw Problem(
          .usage, "\(schema.name) has no column “\(name)” for the path", hint: schema.remedy(for: name))
      }
      let type = schema.columns[position].type
      if type.isNested || type == .bytes {
        throw Problem(.usage, "column “\(name)” of type \(type.name) cannot be part of a path")
      }
    }
    if pattern.hiveColumns.count == schema.width {
      throw Problem(.usage, "no column is left for the files: all are in the path", hint: "omit one from the path")
    }
    (self.schema, self.pattern, self.configuration) = (schema, pattern, configuration)
    order = pattern.columns
    kept = schema.columns.indices.filter { !pattern.isHive(schema.columns[$0].name) }
    inner = schema.projected(to: kept)
    columns = pattern.columns.compactMap { schema.position(of: $0) }
    model = try await configuration.format.sink(for: inner, options: configuration.options) { () throws(Problem) in
      throw Problem(.bug, "internal error: a file without a path")
    }
  }

  /// The measurements of the format in the columns of the files.
  public var measuring: ExporterDescriptor.Measuring { model.measuring }
  /// As the format.
  public func measure(_ batch: RowBatch, into metrics: inout ColumnMetrics) {
    model.measure(batch.projected(to: kept), into: &metrics)
  }

  /// Opens the files.
  public func begin(_ metrics: ColumnMetrics) async throws(Problem) {
    self.metrics = metrics
    self.metrics.head = metrics.head.map { $0.projected(to: kept) }
    self.metrics.decimals = [:]
    for (position, column) in kept.enumerated() { self.metrics.decimals[position] = metrics.decimals[column] }
    try await model.begin(self.metrics)
    fileGroupBytes = max(model.groupBytes, 256 << 10)
    set = try configuration.open()
  }

  private func opened() throws(Problem) -> any OutputFileSet {
    guard let set else { throw Problem(.bug, "internal error: the files are not open") }
    return set
  }

  // MARK: - Rows

  /// Cuts the batches into partitions.
  public func write(_ rows: PreparedRows) async throws(Problem) {
    for batch in rows.batches { try await write(batch) }
  }

  private func write(_ batch: RowBatch) async throws(Problem) {
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

  private func add(_ batch: RowBatch, _ rows: Range<Int>) async throws(Problem) {
    var rows = rows
    while !rows.isEmpty {
      if file == nil { file = try await beginFile() }
      var count = min(rows.count, configuration.maximumRows - (file?.rows ?? 0)), isEnd = false
      if let pieces = configuration.pieces {
        (count, isEnd) = pieces.end(of: batch, rows.lowerBound..<rows.lowerBound + count, after: file?.rows ?? 0)
      }
      let range = rows.lowerBound..<rows.lowerBound + count
      let isWhole = range == 0..<batch.count && kept.count == batch.width
      let part = isWhole ? batch : batch.selecting(range)
      pending.append(kept.count == batch.width ? part : part.projected(to: kept))
      pendingRows += count
      file?.rows += count
      pendingBytes += batch.memory * count / batch.count
      rows = range.upperBound..<rows.upperBound
      if pendingBytes >= fileGroupBytes { try await encodePending() }
      if let file, isEnd || file.rows >= configuration.maximumRows { try await endFile() }
    }
  }

  private func beginFile() async throws(Problem) -> OpenFile {
    let values = self.values ?? [], set = try opened()
    var path = try pattern.path(values, number: number, date: configuration.date)
    while try await !set.isFree(path) {
      guard pattern.isNumbered else {
        throw Problem(.cannotCreate, "already exists", at: path, hint: "add {n} to the path")
      }
      number += 1
      path = try pattern.path(values, number: number, date: configuration.date)
    }
    number += 1
    let wrap = configuration.wrap
    let sink = try await configuration.format.sink(for: inner, options: configuration.options) {
      [path] () throws(Problem) in try wrap(try set.sink(path), path)
    }
    try await sink.begin(metrics)
    return OpenFile(description: PartitionFile(path: path, values: values), sink: sink)
  }

  /// Completes the last file; the next rows begin another.
  private func endFile() async throws(Problem) {
    try await encodePending()
    guard let file else { return }
    steps.append(.close(file))
    self.file = nil
    try await work(leaving: configuration.threads)
  }

  /// Encodes the rows since the last group, on any core.
  private func encodePending() async throws(Problem) {
    guard pendingRows > 0, let file else { return }
    let rows = PreparedRows(pending), sink = file.sink
    (pending, pendingRows, pendingBytes) = ([], 0, 0)
    groupsUnderWay += 1
    let schema = configuration.pieces == nil ? nil : inner
    let task = Task {
      Result { () throws(Problem) in
        var digest = RowDigest()
        // Encoding frees the batches.
        if let schema { for batch in rows.batches { digest.add(batch, of: schema) } }
        try sink.prepare(rows)
        return (rows, digest)
      }
    }
    steps.append(.part(task, file))
    let isMeasured = configuration.completeBytes < .max
    // The size of a file is known when its groups are encoded.
    try await work(leaving: isMeasured && !configuration.isSizeApproximate ? 0 : configuration.threads)
    if isMeasured, file.sink.bytes >= configuration.completeBytes { try await endFile() }
  }

  // MARK: - Files

  private var openPath: String?

  private func open(_ file: OpenFile) async throws(Problem) {
    guard openPath != file.description.path else { return }
    openPath = file.description.path
    try await file.sink.open()
  }

  /// Writes what is ready, until at most `count` groups are left.
  private func work(leaving count: Int) async throws(Problem) {
    while let step = steps.first {
      switch step {
      case .part(let task, let file):
        if groupsUnderWay <= count { return }
        try await open(file)
        groupsUnderWay -= 1
        let rows: PreparedRows, own: RowDigest
        do throws(Problem) { (rows, own) = try await task.value.get() } catch {
          throw error.located(at: file.description.path)
        }
        digest.add(own)
        try await file.sink.write(rows)
      case .close(let file):
        try await open(file)
        configuration.digested(file.description.path, digest)
        digest = RowDigest()
        try await file.sink.finish()
        let written = try await file.sink.commit()
        var description = file.description
        description.rows = written.part.rows
        try opened().complete(description, written)
        files.append(description)
      }
      steps.removeFirst()
    }
  }

  /// Writes what is left.
  public func finish() async throws(Problem) {
    try await endFile()
    try await work(leaving: 0)
  }

  /// Makes the files visible.
  public func commit() async throws(Problem) -> WrittenRows {
    let pattern = self.pattern, date = configuration.date
    files = try await opened().publish(files, of: schema) { (file, number) throws(Problem) in
      pattern.isNumbered ? try pattern.path(file.values, number: number, date: date) : nil
    }
    var written = WrittenRows("partitions")
    written.files = files
    return written
  }

  /// Removes the files.
  public func abandon() async {
    for case .part(let task, _) in steps { task.cancel() }
    for step in steps {
      switch step {
      case .part(_, let file), .close(let file): await file.sink.abandon()
      }
    }
    steps = []
    await file?.sink.abandon()
    file = nil
    await set?.abandon()
  }
}
