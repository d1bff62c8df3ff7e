/// Where bytes go. `write` returns when the bytes are accepted: a slow sink slows the export, and memory stays flat.
public protocol ByteSink: Sendable {
  /// The name in messages: a path, or `standard output`.
  var name: String { get }
  /// Accepts all the bytes.
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem)
  /// Publishes the output (fsync, rename). Without it the output is abandoned and nothing is left.
  func commit() async throws(Problem)
  /// Gives the output up: removes what was written. Does nothing after `commit`.
  func abandon() async
}
