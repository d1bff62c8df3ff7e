import Synchronization

/// A buffer of batches that can be read any number of times: in memory up to a limit, then in a private temporary file.
public final class SpillBuffer {
  /// Bytes kept in memory before the file is used.
  public static let memoryLimit = 64 << 20

  /// The schema of the rows.
  public let schema: Schema
  /// The number of buffered rows.
  public private(set) var count = 0
  private let scratch: any ScratchSpace
  private let limit: Int
  private var kept: [RowBatch] = []
  private var keptBytes = 0
  private var file: (any ScratchFile)?
  /// Where each batch begins in the file.
  private var places: [Place] = []

  /// A batch in the file: its cells, then its bytes.
  fileprivate struct Place: Sendable {
    let offset: Int, rows: Int, cellBytes: Int, chunkBytes: Int
  }

  /// An empty spool.
  public init(schema: Schema, scratch: any ScratchSpace, memoryLimit: Int = SpillBuffer.memoryLimit) {
    self.schema = schema
    self.scratch = scratch
    limit = memoryLimit
  }

  /// Appends a batch.
  /// - Throws: `io` if the file cannot be written.
  public func append(_ batch: RowBatch) throws(Problem) {
    guard batch.count > 0 else { return }
    count += batch.count
    if file == nil, keptBytes + batch.memory <= limit {
      kept.append(batch)
      keptBytes += batch.memory
      return
    }
    let file: any ScratchFile
    if let open = self.file { file = open } else { file = try scratch.makeFile() }
    self.file = file
    let cellBytes = batch.count * batch.width * MemoryLayout<Cell>.stride
    let place = Place(offset: file.count, rows: batch.count, cellBytes: cellBytes, chunkBytes: batch.chunk.count)
    var bytes = ByteBuffer(capacity: cellBytes + batch.chunk.count)
    let room = unsafe bytes.room(cellBytes + batch.chunk.count)
    unsafe room.update(
      from: UnsafeRawPointer(batch.cells.base).assumingMemoryBound(to: UInt8.self), count: cellBytes)
    unsafe (room + cellBytes).update(from: batch.chunk.base, count: batch.chunk.count)
    unsafe bytes.commit(room + cellBytes + batch.chunk.count)
    try file.append(bytes)
    places.append(place)
  }

  /// The rows buffered so far, in order.
  public func stream() -> any RowStream { batches() }

  /// The rows buffered so far, in order, without waiting.
  package func batches() -> SpilledRows {
    SpilledRows(schema: schema, kept: kept, file: file, places: places)
  }
}

extension RowBatch {
  /// The memory a batch holds on to, in bytes.
  public var memory: Int { chunk.capacity + cells.capacity * MemoryLayout<Cell>.stride }
}

/// A spool, read from its beginning.
package final class SpilledRows: RowStream {
  package let schema: Schema
  private let kept: [RowBatch]
  private let file: (any ScratchFile)?
  private let places: [SpillBuffer.Place]
  private let position = Mutex(0)

  fileprivate init(schema: Schema, kept: [RowBatch], file: (any ScratchFile)?, places: [SpillBuffer.Place]) {
    self.schema = schema
    self.kept = kept
    self.file = file
    self.places = places
  }

  package func next() async throws(Problem) -> BatchTask? { nextTask() }

  /// The next piece, without waiting.
  package func nextTask() -> BatchTask? {
    let index = position.withLock { position in
      defer { position += 1 }
      return position
    }
    if index < kept.count { return BatchTask(ready: kept[index]) }
    guard let file, index - kept.count < places.count else { return nil }
    let place = places[index - kept.count]
    let width = schema.width
    return BatchTask { () throws(Problem) in
      let cells = CellBlock(capacity: place.rows * width)
      let raw = Chunk(capacity: place.cellBytes)
      try file.fill(raw, from: place.offset, count: place.cellBytes)
      unsafe UnsafeMutableRawPointer(cells.base).copyMemory(from: raw.base, byteCount: place.cellBytes)
      let chunk = Chunk(capacity: max(place.chunkBytes, Chunk.usualCapacity))
      try file.fill(chunk, from: place.offset + place.cellBytes, count: place.chunkBytes)
      return RowBatch(width: width, count: place.rows, cells: cells, chunk: chunk)
    }
  }
}

extension ScratchFile {
  /// Reads exactly `count` bytes.
  fileprivate func fill(_ chunk: Chunk, from offset: Int, count: Int) throws(Problem) {
    var done = 0
    while done < count {
      let got = try read(at: offset + done, length: count - done, into: chunk)
      guard got > 0 else { throw Problem(.io, "a temporary file was truncated", at: "temporary file") }
      done += got
    }
  }
}
