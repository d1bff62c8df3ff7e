import Codecs
package import Domain
import Synchronization

/// The source of the rows of a command, and the age of its responses, as `--summary json` reports them.
package final class Provenance: Sendable {
  private struct State {
    var source: String?
    /// In seconds since 1970.
    var fetched: Int64?
    var isFallback = false
    var members: [MemberFinding] = []
    var failures: [SourceFailure] = []
  }
  private let state = Mutex(State())

  /// Creates the provenance of a command that has opened no source.
  init() {}

  /// The name of the source: of an API, `snapshot`, a file or a store; nil for a command that reads none.
  var source: String? { state.withLock { $0.source } }
  /// When the oldest response that was used was fetched, RFC 3339 in UTC; nil for anything but an API.
  var fetchedAt: String? { state.withLock { $0.fetched }.map { Instant(seconds: $0).timestamp } }
  /// Whether the built-in data took the place of an API that was asked.
  var isFallback: Bool { state.withLock { $0.isFallback } }

  /// The members of records that differ from the descriptions of their APIs; each once.
  package var members: [MemberFinding] { state.withLock { $0.members } }

  /// The requests that failed while the rest was read.
  package var failures: [SourceFailure] { state.withLock { $0.failures } }

  package func note(_ failure: SourceFailure) { state.withLock { $0.failures.append(failure) } }

  package func note(_ findings: [MemberFinding]) {
    state.withLock { state in
      for finding in findings where !state.members.contains(finding) { state.members.append(finding) }
    }
  }

  /// Notes a source that is opened; the first is the one the rows come from.
  package func open(_ name: String) { state.withLock { state in if state.source == nil { state.source = name } } }

  package func fetch(at seconds: Int64) {
    state.withLock { $0.fetched = min($0.fetched ?? seconds, seconds) }
  }

  /// Notes that the snapshot is read instead.
  package func fallBack() { state.withLock { $0 = State(source: "snapshot", isFallback: true) } }
}
