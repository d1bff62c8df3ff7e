import Codecs
package import CommandLineKit
import Domain
package import Rows
import Synchronization

/// An output of several tables: a database, a workbook, or a directory with a file for each of them. Nothing is
/// published before all tables are complete.
package final class CombinedOutput: Sendable {
  private let path: String
  private let container: (any TableContainer)?
  /// The extension of the files in a directory.
  private let suffix: String
  private let held = Mutex<[any ByteSink]>([])
  /// Removes the directory if it was created here and is empty.
  private let undo: @Sendable () -> Void

  /// Whether an output of a command line can have several tables.
  package static func isPossible(_ invocation: Invocation, _ services: AppServices) throws(Problem) -> Bool {
    try invocation.locations(OutputOptions.output).contains {
      isDirectory($0) || format(of: $0, invocation, services) != nil
    }
  }

  /// Whether the outputs of a command line have a table for each input, rather than one for all.
  /// - Throws: `usage` if that holds only for some of several outputs.
  package static func isWanted(_ invocation: Invocation, _ services: AppServices, inputs: Int) throws(Problem) -> Bool {
    let paths = try invocation.locations(OutputOptions.output)
    let wanted = paths.filter { isDirectory($0) || inputs > 1 && format(of: $0, invocation, services) != nil }
    guard wanted.isEmpty || paths.count == 1 else {
      throw Problem(
        .usage, "-o \(wanted[0].shown) has a table for each input file and cannot be used together with other outputs",
        hint: "run the command once for each output")
    }
    return !wanted.isEmpty
  }

  /// Opens the output of a command line.
  /// - Parameter tables: the names of the tables.
  /// - Throws: `usage` for options that apply only to a single table, `cannotCreate`.
  package init(_ invocation: Invocation, _ services: AppServices, tables: [String]) throws(Problem) {
    let location = try invocation.locations.location(PathPattern.plainPath(invocation[OutputOptions.output] ?? "-"))
    let isDirectory = Self.isDirectory(location), place = location.place
    path = location.text
    for option in [OutputOptions.dataPackage, OutputOptions.verify] + (isDirectory ? [] : [OutputOptions.summary])
    where invocation.has(option) {
      throw Problem(
        .usage, "--\(option.name) cannot be used with several tables in \(location.shown)",
        hint: "omit --\(option.name)")
    }
    if isDirectory {
      var policy = OutputPolicy()
      policy.follow(invocation, first: invocation.all("from").first)
      let (format, compression) = FileCompression.split(
        invocation.setting(OutputOptions.format) ?? policy.defaultFormat)
      let exporter = try services.exporters.named(format)
      suffix = (exporter.descriptor.fileExtensions.first ?? format) + (compression.map { "." + $0.fileExtension } ?? "")
      container = nil
      let isNew = try place.makeDirectory()
      undo = { if isNew { place.removeDirectory() } }
      return
    }
    suffix = ""
    undo = {}
    guard let format = Self.format(of: location, invocation, services) else {
      throw Problem(.bug, "internal error: \(location.shown) cannot hold several tables")
    }
    let threads = try invocation.integer(OutputOptions.threads, in: 1...1024) ?? services.cores
    var sink = try place.sink(replaces: !invocation.isOn(OutputOptions.noClobber))
    if let compression = FileCompression.split(path).compression {
      sink = try CompressingSink(sink, compression, threads: threads)
    }
    let existing = try OutputPlan.existing(invocation, format, OutputPolicy())
    container = try format.container(of: tables, in: sink, scratch: services.scratch, existing: existing)
  }

  private static func isDirectory(_ location: Location) -> Bool { location.text.hasSuffix("/") && !location.isTable }

  private static func format(
    of location: Location, _ invocation: Invocation, _ services: AppServices
  ) -> (any Exporter)? {
    if location.text == "-" || location.isTable { return nil }
    var format = try? services.exporters.forPath(FileCompression.split(location.text).path)
    if format == nil, let name = invocation[OutputOptions.format] { format = try? services.exporters.named(name) }
    return format?.descriptor.holdsSeveralTables == true ? format : nil
  }

  package func path(of table: String) -> String { container == nil ? "\(path)\(table).\(suffix)" : path }

  func sink(
    for schema: Schema, _ target: OutputTarget, _ open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    if let container { return try await container.sink(for: schema, options: target.options) }
    return try await target.exporter.sink(for: schema, options: target.options) { () throws(Problem) in
      HeldSink(try await open()) { sink in self.held.withLock { $0.append(sink) } }
    }
  }

  package func commit() async throws(Problem) {
    try await container?.commit()
    for sink in held.withLock({ $0 }) { try await sink.commit() }
  }

  /// Removes what was not published.
  package func abandon() async {
    await container?.abandon()
    for sink in held.withLock({ $0 }) { await sink.abandon() }
    undo()
  }
}

/// A sink that is not published when it is complete, but with others.
private final class HeldSink: ByteSink {
  var name: String { inner.name }
  private let inner: any ByteSink
  private let hold: @Sendable (any ByteSink) -> Void

  init(_ inner: any ByteSink, _ hold: @escaping @Sendable (any ByteSink) -> Void) {
    self.inner = inner
    self.hold = hold
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { try await inner.write(bytes) }
  func commit() async throws(Problem) { hold(inner) }
  func abandon() async { await inner.abandon() }
}
