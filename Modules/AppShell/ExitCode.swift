import Synchronization

/// The exit code of a command that ends without an error.
package final class ExitCode: Sendable {
  private let state = Mutex<Int32>(0)

  /// Creates an exit code of 0.
  init() {}

  package var value: Int32 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
