import Rows
internal import Synchronization

/// A piece of a file that is parsed once, because parsing changes its text; later calls return the same batch.
final class PieceTask<Piece: ~Copyable & Sendable>: Sendable {
  private enum State: ~Copyable {
    case waiting(Piece)
    case parsed(Result<RowBatch, Problem>)
  }
  private let state: Mutex<State>

  init(_ piece: consuming Piece) { state = Mutex(.waiting(piece)) }

  /// Calls `body` with the piece, unless it was parsed.
  func inspect<Failure: Error>(_ body: (borrowing Piece) throws(Failure) -> Void) throws(Failure) {
    try state.withLock { (state) throws(Failure) in
      switch state {
      case .waiting(let piece): try body(piece)
      case .parsed: break
      }
    }
  }

  /// The batch that `parse` makes of the piece.
  func batch(_ parse: (consuming Piece) -> Result<RowBatch, Problem>) throws(Problem) -> RowBatch {
    let result = state.withLock { state in
      let result =
        switch consume state {
        case .waiting(let piece): parse(piece)
        case .parsed(let result): result
        }
      state = .parsed(result)
      return result
    }
    return try result.get()
  }
}
