public import Rows
import Synchronization

/// Compresses what is written, on several cores: every megabyte is a member or frame of its own, which readers can
/// decompress independently. Files of Zstandard end with a table of their frames.
public final class CompressingSink: ByteSink {
  private static let pieceBytes = 1 << 20

  /// The name of the inner sink.
  public let name: String
  private let inner: any ByteSink
  private let compression: FileCompression
  private let threads: Int
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var pending = ArenaBuilder(capacity: pieceBytes)
    /// Pieces that are being compressed, in order.
    var tasks: [Task<Result<Piece, Problem>, Never>] = []
    var frames: [FileCompression.Frame] = []
  }

  private final class Piece: @unchecked Sendable {
    let plainCount: Int
    var bytes = ByteBuffer(capacity: 1 << 18)
    init(plainCount: Int) { self.plainCount = plainCount }
  }

  /// - `inner`: gets the compressed bytes.
  /// - `threads`: the number of pieces that are compressed at the same time.
  /// - Throws: `unavailable` if the library is missing.
  public init(_ inner: any ByteSink, _ compression: FileCompression, threads: Int) throws(Problem) {
    try compression.load()
    name = inner.name
    self.inner = inner
    self.compression = compression
    self.threads = threads
  }

  /// Compresses the bytes, and writes what is complete.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    var at = 0
    while at < bytes.count {
      at += bytes.read { span in
        state.withLock { state in
          let count = min(Self.pieceBytes - state.pending.count, span.byteCount - at)
          state.pending.append(span.extracting(at..<at + count))
          if state.pending.count == Self.pieceBytes { compressPending(&state) }
          return count
        }
      }
      try await writePieces(leaving: threads)
    }
  }

  private func compressPending(_ state: inout State) {
    var full = ArenaBuilder(capacity: Self.pieceBytes)
    swap(&full, &state.pending)
    let arena = full.freeze()
    let compression = self.compression
    state.tasks.append(
      Task {
        let piece = Piece(plainCount: arena.count)
        let isDone = arena.read { compression.compress($0, &piece.bytes) }
        return isDone ? .success(piece) : .failure(Problem(.io, "out of memory"))
      })
  }

  /// Writes the first pieces until only `count` are left.
  private func writePieces(leaving count: Int) async throws(Problem) {
    while let task = state.withLock({ $0.tasks.count > count ? $0.tasks.removeFirst() : nil }) {
      let piece = try await task.value.get()
      state.withLock { $0.frames.append(.init(compressed: piece.bytes.count, plain: piece.plainCount)) }
      try await inner.write(piece.bytes)
    }
  }

  /// Writes what is left, and publishes the output.
  public func commit() async throws(Problem) {
    state.withLock { state in
      if state.pending.count > 0 || state.tasks.isEmpty && state.frames.isEmpty { compressPending(&state) }
    }
    try await writePieces(leaving: 0)
    var end = ByteBuffer(capacity: 4096)
    state.withLock { compression.end($0.frames, &end) }
    if end.count > 0 { try await inner.write(end) }
    try await inner.commit()
  }

  /// Gives the output up.
  public func abandon() async {
    let tasks = state.withLock { state in
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { _ = await task.value }
    await inner.abandon()
  }
}
