import Codecs
import CommandLineKit
import Domain
import Query
import Rows
import Synchronization

/// Where rows go and in what formats: `-o`, `-f`, `--option`, `--summary`.
struct Outputs {
  /// One file, or standard output.
  private struct Target {
    let path: String
    let exporter: any Exporter
    let options: ExportOptions

    /// The directory of the path with its slash; empty for the current one.
    var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
    var described: DescribedFile {
      DescribedFile(name: String(path.dropFirst(folder.count)), format: exporter.descriptor, options: options)
    }
  }

  private let environment: Environment
  private let targets: [Target]
  private let replaces: Bool
  /// The number of workers that write, and of cores that read.
  let threads: Int
  private let showsProgress: Bool
  private let tellsSummary: Bool
  private let defaultFormat: String

  init(_ invocation: Invocation, _ environment: Environment, defaultFormat: String = "markdown") throws(Problem) {
    self.environment = environment
    self.defaultFormat = defaultFormat
    replaces = !invocation.has(Options.noClobber)
    threads = try invocation.integer(Options.threads, in: 1...1024) ?? environment.cores
    tellsSummary = invocation.has(Options.summary)
    showsProgress = invocation.showsProgress
    var named: (any Exporter)?
    if let format = invocation[Options.format] { named = try environment.exporter(format) }
    let formats = OutputFormats(
      named: named, fallback: try environment.exporter(invocation.setting(Options.format) ?? defaultFormat),
      exporters: environment.exporters,
      forPath: environment.exporterForPath)
    let chosen = try formats.choose(for: invocation.all(Options.output))
    let exporters = chosen.map(\.exporter)
    let shortcuts = Options.formatShortcuts.filter { invocation.has($0.option) }.map { option, key in
      "\(key)=\(option.placeholder == nil ? (option == Options.noHeaders ? "no" : "yes") : invocation[option] ?? "")"
    }
    let options = try environment.formatOptions(shortcuts + invocation.all(Options.formatOption), exporters)
    let targets = chosen.map { path, exporter in
      var own = options[exporter.descriptor.name] ?? ExportOptions()
      if path == "-" { own.terminalWidth = environment.terminalWidth }
      return Target(path: path, exporter: exporter, options: own)
    }
    self.targets = targets + (try Self.descriptions(of: targets, invocation, environment))
    // Reported before any request or read.
    var places: [String: String] = [:]
    for target in self.targets where target.path != "-" {
      let place = try environment.checkFile(target.path, replaces)
      guard let other = places.updateValue(target.path, forKey: place) else { continue }
      throw Problem(.usage, "\(other) and \(target.path) are the same file", hint: "use a different file name")
    }
  }

  /// A file that exists and that an output would take the place of; nil for none.
  var replacedFile: String? {
    targets.first { $0.path != "-" && environment.replacesFile($0.path) }?.path
  }

  /// The metadata files of the outputs.
  private static func descriptions(
    of targets: [Target], _ invocation: Invocation, _ environment: Environment
  ) throws(Problem) -> [Target] {
    var descriptions: [Target] = []
    let files = targets.filter { $0.path != "-" }
    if invocation.has(Options.csvw) {
      let described = files.filter { ["csv", "tsv"].contains($0.exporter.descriptor.name) }
      if described.isEmpty {
        throw Problem(.usage, "--csvw requires a CSV or TSV output file", hint: "add -o FILE.csv")
      }
      for file in described {
        let exporter = environment.metadata(.csvw, [file.described])
        descriptions.append(Target(path: "\(file.path)-metadata.json", exporter: exporter, options: ExportOptions()))
      }
    }
    if invocation.has(Options.dataPackage) {
      guard let folder = files.first?.folder else {
        throw Problem(.usage, "--datapackage requires an output file", hint: "add -o FILE")
      }
      if let other = files.first(where: { $0.folder != folder }) {
        throw Problem(
          .usage, "--datapackage requires all outputs in one directory, but \(other.path) is elsewhere",
          hint: "write all outputs to the same directory")
      }
      let exporter = environment.metadata(.dataPackage, files.map(\.described))
      descriptions.append(Target(path: "\(folder)datapackage.json", exporter: exporter, options: ExportOptions()))
    }
    for description in descriptions where targets.contains(where: { $0.path == description.path }) {
      throw Problem(
        .usage, "-o \(description.path) would overwrite the column metadata", hint: "use a different file name")
    }
    return descriptions
  }

  /// Writes what `selection` makes of `rows`; everything or nothing.
  @discardableResult
  func write(
    _ rows: any RowStream, selection: Selection = Selection(), related: RelatedTables = .none
  ) async throws(Problem) -> Export.Summary {
    // A file that has appeared since is not replaced by built-in data either.
    let environment = self.environment, replaces = self.replaces && !environment.provenance.isFallback
    let tellsSummary = self.tellsSummary
    let isOptimistic = rows.isOptimistic
    let opened = Opened()
    let outputs = targets.map { target in
      let path = target.path
      return Export.Output(target.exporter, target.options) { () throws(Problem) in
        let sink = path == "-" ? try environment.standardOutput(isOptimistic) : try environment.file(path, replaces)
        guard tellsSummary else { return sink }
        let digesting = environment.digesting(sink)
        opened.set(path, digesting)
        return digesting
      }
    }
    let progress = showsProgress ? Progress(environment.report) : nil
    let export = Export(to: outputs, threads: threads, scratch: environment.scratch) {
      progress?.update(rows: $0, bytes: $1)
    }
    let summary = try await export.run(rows) { (stream) throws(Problem) in
      try selection.apply(to: stream, scratch: environment.scratch, related: related)
    }
    progress?.finish()
    var told: Set<String> = []
    for warning in summary.warnings where told.insert(warning).inserted { environment.report.warning(warning) }
    for (target, written) in zip(targets, summary.outputs) {
      let name = target.path == "-" ? "standard output" : target.path
      environment.report.detail(
        "\(name): \(target.exporter.descriptor.name), rows: \(summary.rows), bytes: \(written.bytes)")
    }
    if tellsSummary { tell(summary, opened, environment.started.duration(to: .now)) }
    return summary
  }

  private func tell(_ summary: Export.Summary, _ opened: Opened, _ time: Duration) {
    let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    let padded = String(1000 + milliseconds % 1000).dropFirst()
    let files = zip(targets, summary.outputs).map { target, written in
      let sink = opened.get(target.path)
      let digest = sink?.digest ?? "", bytes = sink?.count ?? written.bytes
      let name = JSONText.quoted(target.path)
      return
        "{\"file\":\(name),\"format\":\"\(target.exporter.descriptor.name)\",\"rows\":\(summary.rows),\"bytes\":\(bytes),\"sha256\":\"\(digest)\"}"
    }
    let source = environment.provenance.source.map { JSONText.quoted($0) } ?? "null"
    let fetched = environment.provenance.fetchedAt.map { JSONText.quoted($0) } ?? "null"
    environment.report.line(
      "{\"bb\":1,\"seconds\":\(milliseconds / 1000).\(padded),\"source\":\(source),\"fetched_at\":\(fetched),\"outputs\":[\(files.joined(separator: ","))]}"
    )
  }
}

/// The sinks that were opened last, by path.
private final class Opened: Sendable {
  private let sinks = Mutex<[String: any DigestingSink]>([:])
  func set(_ path: String, _ sink: any DigestingSink) { sinks.withLock { $0[path] = sink } }
  func get(_ path: String) -> (any DigestingSink)? { sinks.withLock { $0[path] } }
}
