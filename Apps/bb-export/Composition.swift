import CommandLineKit
import Domain
import Exporters
import Glibc
import Networking
import Persistence
import Snapshot

extension Environment {
  /// The one place where adapters are named.
  static func live(_ report: Report) -> Environment {
    Signals.install { Temporaries.removeAll() }
    let variables = processVariables()
    let directories = Directories(variables)
    let exporters = ExporterRegistry()
    let scratch = TemporaryScratch(folder: directories.temporary)
    return Environment(
      variables: variables,
      exporters: exporters.exporters,
      exporter: { (name) throws(Problem) in try exporters.exporter(named: name) },
      exporterForPath: { exporters.exporter(forPath: $0) },
      formatOptions: { (assignments, chosen) throws(Problem) in try exporters.options(assignments, for: chosen) },
      sources: [],
      source: { (choice) throws(Problem) in
        switch choice {
        case .snapshot, .live, .file: SnapshotSource()
        }
      },
      file: { (path, replaces) throws(Problem) in
        if DescriptorSink.isDevice(path) { return try DescriptorSink(device: path) }
        return try FileSink(path: path, replaces: replaces)
      },
      standardOutput: { (isHeldBack) throws(Problem) in
        let output = DescriptorSink.standardOutput
        return isHeldBack ? try SpooledSink(output, scratch: scratch) as any ByteSink : output
      },
      terminalWidth: Terminal.width(1),
      hasProgress: Terminal.isTerminal(2),
      cores: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      scratch: scratch,
      digesting: { DigestSink($0) },
      launch: { Desktop.open($0, variables: variables) },
      folders: [("cache", directories.cache), ("data", directories.data), ("temporary files", directories.temporary)],
      report: report)
  }
}

extension DigestSink: DigestingSink {}

/// The process's environment; of a name that stands twice, the first.
private func processVariables() -> [String: String] {
  var variables: [String: String] = [:]
  var entry = unsafe environ
  while let text = unsafe entry.pointee {
    let pair = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if pair.count == 2, variables[String(pair[0])] == nil { variables[String(pair[0])] = String(pair[1]) }
    unsafe entry += 1
  }
  return variables
}
