import CommandLineKit
import Domain
import Exporters
import Glibc
import Persistence
import Snapshot

extension Environment {
  /// The one place where adapters are named.
  static func live(_ report: Report) -> Environment {
    let exporters = ExporterRegistry()
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
    return Environment(
      episodes: SnapshotSource(),
      exporter: { (name) throws(Problem) in try exporters.exporter(named: name) },
      standardOutput: { DescriptorSink.standardOutput },
      scratch: TemporaryScratch(folder: Directories(folder.map { ["TMPDIR": $0] } ?? [:]).temporary),
      cleanUp: { end in Temporaries.removeAll(ending: end) },
      report: report)
  }
}
