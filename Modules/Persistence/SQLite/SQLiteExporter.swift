import Codecs
public import Domain
import Glibc
public import Rows
import Synchronization

/// An SQLite database with one table, as a storage has it: types and all come back from it.
///
/// The encoder's bytes are the batches themselves; the sink behind it puts them aside, and in the end makes the database of them.
public struct SQLiteExporter: Exporter {
  private let folder: String

  /// Databases are made in `folder`, and copied to where they go.
  public init(temporaryFolder folder: String) { self.folder = folder }

  /// `sqlite`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "sqlite", fileExtensions: ["sqlite", "db", "sqlite3", "db3"], mediaType: "application/vnd.sqlite3",
      summary: "An SQLite database with the table; also a storage", isExact: true,
      limits: ExporterDescriptor.Limits(columns: SQLiteTableLimits.columns))
  }

  /// An encoder of batches for the sink.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: Layout
  ) throws(Problem) -> any RowEncoder {
    guard schema.width > 0 else { throw Problem(.usage, "sqlite: a table needs at least one column") }
    try schema.checkForSQL()
    return BatchEncoder()
  }

  /// The maker of the database.
  /// - Throws: `cannotCreate` when it would take the place of a database with more in it than this table.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink {
    try SQLiteReplacement.check(sink.name, table: schema.name)
    return DatabaseSink(sink, schema, folder: folder)
  }
}

/// Writes a batch as it is in memory: how many rows, how many bytes of cells and of text, then these.
private struct BatchEncoder: RowEncoder {
  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    let cellBytes = batch.count * batch.width * MemoryLayout<Cell>.stride
    let headBytes = 3 * MemoryLayout<Int>.stride
    let room = unsafe out.room(headBytes + cellBytes + batch.chunk.count)
    for (place, number) in [batch.count, cellBytes, batch.chunk.count].enumerated() {
      unsafe UnsafeMutableRawPointer(room).storeBytes(
        of: number, toByteOffset: place * MemoryLayout<Int>.stride, as: Int.self)
    }
    let cells = unsafe UnsafeMutableRawPointer(room + headBytes)
    unsafe cells.copyMemory(from: batch.cells.base, byteCount: cellBytes)
    unsafe (room + headBytes + cellBytes).update(from: batch.chunk.base, count: batch.chunk.count)
    unsafe out.commit(room + headBytes + cellBytes + batch.chunk.count)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
}

extension RowBatch {
  /// The batch that `BatchEncoder` wrote at the beginning of `bytes`, and how many bytes it has.
  fileprivate static func decoded(_ bytes: UnsafeRawPointer, width: Int) -> (batch: RowBatch, count: Int) {
    let head = (0..<3).map {
      unsafe bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Int>.stride, as: Int.self)
    }
    let headBytes = head.count * MemoryLayout<Int>.stride, (rows, cellBytes, textBytes) = (head[0], head[1], head[2])
    let cells = CellBlock(capacity: rows * width)
    unsafe UnsafeMutableRawPointer(cells.base).copyMemory(from: bytes + headBytes, byteCount: cellBytes)
    let chunk = Chunk(capacity: max(textBytes, Chunk.usualCapacity))
    unsafe UnsafeMutableRawPointer(chunk.base).copyMemory(from: bytes + headBytes + cellBytes, byteCount: textBytes)
    chunk.count = textBytes
    return (RowBatch(width: width, count: rows, cells: cells, chunk: chunk), headBytes + cellBytes + textBytes)
  }
}

/// Puts batches aside, and in the end hands on the bytes of a database that holds them.
private final class DatabaseSink: ByteSink {
  let name: String
  private let inner: any ByteSink
  private let schema: Schema
  private let folder: String
  private let spool: Mutex<Spool>

  init(_ inner: any ByteSink, _ schema: Schema, folder: String) {
    name = inner.name
    self.inner = inner
    self.schema = schema
    self.folder = folder
    spool = Mutex(Spool(schema: schema, scratch: TemporaryScratch(folder: folder), memoryLimit: 4 << 20))
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let width = schema.width
    try bytes.read { (span) throws(Problem) in
      try spool.withLock { (spool) throws(Problem) in
        try unsafe span.withUnsafeBytes { (raw) throws(Problem) in
          guard var next = raw.baseAddress else { return }
          let end = unsafe next + raw.count
          while unsafe next < end {
            let (batch, count) = unsafe RowBatch.decoded(next, width: width)
            try spool.append(batch)
            unsafe next += count
          }
        }
      }
    }
  }

  func commit() async throws(Problem) {
    let path = Temporaries.name(beside: "\(folder)/export.db")
    Temporaries.expect(path)
    defer {
      for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
      Temporaries.forget(path)
    }
    var load = TableLoad("export", time: SystemClock().timestamp, schema, spool.withLock { $0.stream() })
    load.isRemembered = false
    do throws(Problem) {
      try await SQLiteStore(path: path).load(load)
      // A file that is handed on has no journal beside it.
      try SQLiteConnection.open(path: path, .writing).execute("PRAGMA journal_mode=DELETE")
    } catch {
      var problem = error
      if problem.place.contains(path) { problem.place = name }
      throw problem
    }
    try await copy(try FileByteSource(path: path))
    try await inner.commit()
  }

  private func copy(_ file: FileByteSource) async throws(Problem) {
    let chunk = Chunk()
    while try file.read(into: chunk, limit: chunk.capacity) > 0 {
      var bytes = ByteBuffer(capacity: chunk.count)
      let room = unsafe bytes.room(chunk.count)
      unsafe room.update(from: chunk.base, count: chunk.count)
      unsafe bytes.commit(room + chunk.count)
      try await inner.write(bytes)
      chunk.count = 0
    }
  }

  func abandon() async { await inner.abandon() }
}
