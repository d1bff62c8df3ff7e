import CommandLineKit
import Domain

/// Everything bb-notes reaches outside itself, as ports. Commands see only this.
struct Environment: Sendable {
  /// Where the episodes come from.
  var episodes: any RecordSource
  /// The format called so.
  var exporter: @Sendable (_ name: String) throws(Problem) -> any Exporter
  /// Standard output.
  var standardOutput: @Sendable () -> any ByteSink
  /// Temporary files.
  var scratch: any ScratchSpace
  /// Removes what must not outlive the process, then ends it.
  var cleanUp: @Sendable (_ end: () -> Void) -> Void
  /// What is said on standard error.
  var report: Report
}
