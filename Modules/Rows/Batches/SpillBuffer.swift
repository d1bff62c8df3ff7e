import Synchronization

/// A buffer of batches that can be read any number of times: in memory up to a limit, then in a private temporary file.
public final class SpillBuffer {
  /// Bytes kept in memory before the file is used.
  public static let memoryLimit = 64 << 20
  /// Bytes of text that are written at once.
  private static let portion = 1 << 20

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
    let offset: Int, rows: Int, cellBytes: Int, textBytes: Int
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
    let offset = file.count
    let cellBytes = batch.count * batch.width * MemoryLayout<Cell>.stride, textBytes = batch.arena.count
    var bytes = ByteBuffer(capacity: cellBytes + min(textBytes, Self.portion))
    batch.cells.readBytes { bytes.append($0) }
    // A text may be as large as all memory that is left.
    for start in stride(from: 0, through: textBytes, by: Self.portion) {
      batch.arena.read { bytes.append($0.extracting(start..<min(start + Self.portion, textBytes))) }
      try file.append(bytes)
      bytes.removeAll()
    }
    places.append(Place(offset: offset, rows: batch.count, cellBytes: cellBytes, textBytes: textBytes))
  }

  /// The rows buffered so far, in order.
  public func stream() -> any RowStream { batches() }

  /// The rows buffered so far, in order, without waiting.
  package func batches() -> SpilledRows {
    SpilledRows(schema: schema, kept: kept, file: file, places: places)
  }
}

/// A spool, read from its beginning.
package final class SpilledRows: ExactRowStream {
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
    task(
      at: position.withLock { position in
        defer { position += 1 }
        return position
      })
  }

  /// The piece with a number, from 0; nil if there are not as many.
  package func task(at index: Int) -> BatchTask? {
    if index < kept.count { return BatchTask(ready: kept[index]) }
    guard let file, index - kept.count < places.count else { return nil }
    let place = places[index - kept.count]
    let width = schema.width
    return BatchTask { () throws(Problem) in
      let cells = try file.bytes(at: place.offset, count: place.cellBytes)
      let arena = try file.bytes(at: place.offset + place.cellBytes, count: place.textBytes)
      return RowBatch(
        width: width, count: place.rows, cells: cells.read { unsafe Cells(bytes: $0) }, arena: arena)
    }
  }
}

extension ScratchFile {
  /// Exactly `count` bytes.
  package func bytes(at offset: Int, count: Int) throws(Problem) -> Arena {
    var bytes = ArenaBuilder(capacity: max(count, Arena.usualCapacity))
    while bytes.count < count {
      let got = try read(at: offset + bytes.count, length: count - bytes.count, into: &bytes)
      guard got > 0 else { throw Problem(.io, "a temporary file was truncated", at: "temporary file") }
    }
    return bytes.freeze()
  }
}
