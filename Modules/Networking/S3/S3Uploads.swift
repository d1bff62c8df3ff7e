import Dispatch
import Rows
import Synchronization

/// The uploads of the process that are not complete, to be aborted when it is interrupted.
public enum S3Uploads {
  private struct State {
    var isEnding = false
    var next = 0
    /// Nil while the server has not named the upload yet.
    var uploads: [Int: (@Sendable () async -> Void)?] = [:]
  }
  private static let state = Mutex(State())

  /// Announces an upload.
  /// - Throws: `cancelled` if the process is about to end.
  static func begin(_ place: String) throws(Problem) -> Int {
    let ticket = state.withLock { state -> Int? in
      if state.isEnding { return nil }
      state.next += 1
      state.uploads.updateValue(nil, forKey: state.next)
      return state.next
    }
    guard let ticket else { throw Problem(.cancelled, "interrupted", at: place) }
    return ticket
  }

  /// Notes how to abort an upload.
  static func note(_ ticket: Int, _ abort: @escaping @Sendable () async -> Void) {
    state.withLock { _ = $0.uploads.updateValue(abort, forKey: ticket) }
  }

  /// Forgets an upload that is complete or aborted.
  static func end(_ ticket: Int) { state.withLock { _ = $0.uploads.removeValue(forKey: ticket) } }

  /// Aborts all uploads; waits at most five seconds. May be called from the thread that waits for signals.
  public static func abortAll() {
    let isIdle = state.withLock { state in
      state.isEnding = true
      return state.uploads.isEmpty
    }
    if isIdle { return }
    let done = DispatchSemaphore(value: 0)
    Task {
      while true {
        let (aborts, isEmpty) = state.withLock { ($0.uploads.values.compactMap(\.self), $0.uploads.isEmpty) }
        if isEmpty { break }
        await withTaskGroup { group in for abort in aborts { group.addTask { await abort() } } }
        // Those whose beginning is under way.
        if aborts.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
      }
      done.signal()
    }
    _ = done.wait(timeout: .now() + 5)
  }
}
