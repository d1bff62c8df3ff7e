public import Rows
import Synchronization

/// The bytes of a compressed file, decompressed: all its members or frames.
public final class DecompressingSource: ByteSource {
  /// The file's name.
  public let name: String
  /// Unknown.
  public var size: Int? { nil }
  private let inner: any ByteSource
  private let compression: FileCompression
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let decompressor: any Decompressor
    /// Compressed bytes, those before `taken` used, and the offset of the first one in the file.
    var input = ArenaBuilder(), taken = 0, offset = 0
    var isWithin = false
    /// Whether there may be output that had no room.
    var hasMore = false
    /// The number of members or frames that are complete.
    var count = 0

    var rest: Int { input.count - taken }
  }

  /// Decompresses the bytes of `inner`.
  /// - Throws: `unavailable` if the library is missing.
  public init(_ inner: any ByteSource, _ compression: FileCompression) throws(Problem) {
    name = inner.name
    self.inner = inner
    self.compression = compression
    state = Mutex(State(decompressor: try compression.decompressor()))
  }

  /// Appends the next bytes.
  /// - Throws: `badData` with the offset in the file if it is damaged or truncated; the errors of the file.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      while true {
        if state.rest == 0, !state.hasMore {
          state.offset += state.taken
          state.input.removeAll()
          state.taken = 0
          if try inner.read(into: &state.input, limit: state.input.room) == 0 {
            guard state.isWithin || state.count == 0 else { return 0 }
            throw problem("truncated", at: state.offset)
          }
        }
        if !state.isWithin {
          if state.count > 0, compression.ignoresPadding, state.input[state.taken] == 0 {
            state.taken += 1
            continue
          }
          if state.count > 0 { state.decompressor.restart() }
          state.isWithin = true
        }
        let step = state.decompressor.step(
          state.input.run(state.taken, state.rest), into: &text, limit: limit)
        state.taken += step.taken
        if let damage = step.damage { throw problem("damaged", at: state.offset + state.taken, damage) }
        state.hasMore = step.made == limit && !step.isDone
        if step.isDone {
          state.isWithin = false
          state.count += 1
        }
        if step.made > 0 { return step.made }
      }
    }
  }

  private func problem(_ what: String, at offset: Int, _ why: String = "") -> Problem {
    let reason = why.isEmpty ? "" : ": \(why)"
    return Problem(
      .badData, "\(what) \(compression.name) data at byte \(offset)\(reason)", at: name,
      hint: "copy or download the file again")
  }

  /// The same bytes, decompressed again; nil if the file cannot be read again.
  public func reopened() throws(Problem) -> (any ByteSource)? {
    guard let again = try inner.reopened() else { return nil }
    return try DecompressingSource(again, compression)
  }
}
