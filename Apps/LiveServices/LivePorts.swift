import AppShell
import Codecs
import CommandLineKit
import Domain
import Exporters
import Glibc
import Networking
import Persistence
import Query
import Rows

struct InstalledExporters: ExporterCatalogue {
  let builtIn: ExporterRegistry
  let plugins: PluginRegistry
  let report: Report
  let sources: LiveSources

  var all: [any Exporter] { builtIn.exporters }
  func named(_ name: String) throws(Problem) -> any Exporter {
    if name.hasPrefix("singer:") { return try plugins.target(String(name.dropFirst("singer:".count))) }
    let isBuiltIn = all.contains { $0.descriptor.name == name }
    guard !isBuiltIn, let plugin = try plugins.plugin(named: name) else { return try builtIn.exporter(named: name) }
    return try plugins.exporter(plugin)
  }
  func forPath(_ path: String) throws(Problem) -> (any Exporter)? {
    if PostgresLocation.isLocation(path) { return PostgresExporter(try PostgresLocation(path)) }
    if DeltaLocation.isLocation(path) {
      let location = try DeltaLocation(path)
      return DeltaExporter(
        location, in: try sources.table(location), format: ParquetExporter(),
        threads: WorkThread.cores, now: milliseconds)
    }
    if let exporter = builtIn.exporter(forPath: path) { return exporter }
    return try plugins.exporter(forPath: path) { report.warning("\($0)") }
  }
  func options(_ assignments: [String], for chosen: [any Exporter]) throws(Problem) -> [String: ExportOptions] {
    try builtIn.options(assignments, for: chosen)
  }
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter {
    let files = files.map { MetadataExporter.File(name: $0.name, format: $0.format, options: $0.options) }
    return form == .csvw ? MetadataExporter.csvw(files[0]) : MetadataExporter.dataPackage(files)
  }
}

struct FileSystem: OutputFiles {
  let sources: LiveSources

  func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink {
    if S3Location.isLocation(path) {
      let location = try object(path)
      return try sources.storage(location).sink(location.key, replaces: replaces)
    }
    return try OutputFile.sink(path, replaces: replaces)
  }
  func check(_ path: String, replaces: Bool) throws(Problem) -> String {
    if S3Location.isLocation(path) {
      _ = try sources.storage(try object(path))
      return path
    }
    if DescriptorSink.isDevice(path) { return path }
    // Created and removed again.
    _ = try OutputFile.sink(path, replaces: replaces)
    return try OutputFile.place(path)
  }
  /// The location of an object to write.
  private func object(_ path: String) throws(Problem) -> S3Location {
    let location = try S3Location(path)
    guard !location.key.isEmpty, !location.key.hasSuffix("/") else {
      throw Problem(.usage, "the URL names no object", at: location.text, hint: "use s3://BUCKET/KEY")
    }
    return location
  }
  /// - Throws: `usage` for a location in a bucket, which has no directories.
  private func refuseObject(_ path: String) throws(Problem) {
    guard S3Location.isLocation(path) else { return }
    throw Problem(
      .usage, "cannot write a directory to S3", at: try S3Location(path).text, hint: "write objects: s3://BUCKET/KEY")
  }
  func images(in directory: String, for page: String, isEmbedded: Bool) throws(Problem) -> PageImages {
    try FetchedImages.images(in: directory, for: page, isEmbedded: isEmbedded)
  }
  func storedImages(in directory: String, for page: String?) throws(Problem) -> PageImages {
    try FetchedImages.stored(in: directory, for: page)
  }
  func imageFiles(in directory: String) throws(Problem) -> [[UInt8]: ImageFile] {
    try FetchedImages.files(in: directory)
  }
  func makeDirectory(_ path: String) throws(Problem) -> Bool {
    guard S3Location.isLocation(path) else { return try OutputFile.makeDirectory(path) }
    // A bucket has no directories: the names of its objects begin with the path.
    _ = try sources.storage(try S3Location(path))
    return false
  }
  func removeDirectory(_ path: String) { OutputFile.removeDirectory(path) }
  func directory(_ path: String, replaces: Bool) throws(Problem) -> any OutputDirectory {
    try refuseObject(path)
    return try StagedDirectory(path: path, replaces: replaces)
  }
  func files(_ pattern: PathPattern, existing: ExistingFiles) throws(Problem) -> any OutputFileSet {
    if S3Location.isLocation(pattern.root) {
      return try S3FileSet(try sources.storage(try S3Location(pattern.root)), pattern, existing: existing)
    }
    return try StagedFiles(pattern, existing: existing)
  }
  func isFile(_ path: String) -> Bool {
    unsafe !S3Location.isLocation(path) && !DescriptorSink.isDevice(path) && access(path, F_OK) == 0
  }
}

struct Stores: StoreOpening {
  let registry: StoreRegistry
  let directories: Directories

  func open(_ location: String) throws(Problem) -> any RecordStore { try registry.open(location) }
  func exists(_ location: String) throws(Problem) -> Bool { try registry.exists(try registry.location(location)) }
  func absolute(_ location: String) throws(Problem) -> String {
    let place = try registry.location(location)
    let isFile = !PostgresLocation.isLocation(location) && !place.path.isEmpty && !place.path.hasPrefix("~")
    return isFile ? "\(place.scheme):\(AbsolutePath.of(place.path))" : location
  }
  func claim(_ location: String) async throws(Problem) { try await registry.claim(try registry.location(location)) }
  func defaultLocation() throws(Problem) -> (location: String, origin: String) { try directories.defaultStorage() }
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)] {
    let place = try registry.location(location), source = try registry.location(old.name)
    return try await registry.make(place, withPicturesOf: source) { (new) async throws(Problem) in
      try await Migration.copy(old, to: new)
    }
  }
}

struct StandardStreams: TerminalPort {
  let width = Terminal.width(1)
  let isInteractive = Terminal.isInteractive
  let scratch: any ScratchSpace
  let report: Report
  let variables: [String: String]
  let directories: Directories

  func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle {
    TerminalStyle(color, variables, isTerminal: Terminal.isTerminal(ofErrors ? 2 : 1))
  }
  func output(_ use: TerminalUse) throws(Problem) -> any ByteSink {
    var output: any ByteSink = DescriptorSink.standardOutput
    if Terminal.isTerminal(1) {
      let height = Terminal.height(1) ?? 24
      if use.isPaged, isInteractive,
        let pager = PagerSink(
          variables, preferred: try directories.settings()[.pager]?.value, height: height,
          headerLines: use.headerLines)
      {
        output = pager
      } else if use.headerLines > 0 {
        output = RepeatedHeaderSink(output, headerLines: use.headerLines, height: height)
      }
      if !use.isStyled { output = VisibleSink(output) { [report] in report.warning($0) } }
    }
    return use.isHeldBack ? try SpooledSink(output, scratch: scratch) : output
  }
  func write(_ text: String) throws(Problem) { try Terminal.write(text, to: 1) }
  func input() throws(Problem) -> [UInt8] { try FileByteSource().bytes(limit: 64 << 20) }
  var dialog: Dialog { .onTerminal }
  func editor() throws(Problem) -> any TextEditor {
    TerminalEditor(variables, preferred: try directories.settings()[.editor]?.value)
  }
}

struct UserDesktop: DesktopPort {
  let variables: [String: String]
  let directories: Directories
  /// Whether the program makes HTML pages that the desktop may open.
  let ownsPages: Bool

  var isPresent: Bool { ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0] != nil } }
  func open(_ url: String) -> Bool {
    Desktop.open(url, variables: variables, ownFiles: ownsPages ? directories.state : nil)
  }
  func open(page path: String) -> (url: String, isOpen: Bool) {
    let place = (try? OutputFile.place(path)) ?? path
    let url = String(decoding: PageAddress(file: place).text, as: UTF8.self)
    return (url, Desktop.open(url, variables: variables, isOwn: true))
  }
  func keep(page html: [UInt8]) async throws(Problem) -> String {
    "file://" + (try await StoredImages.keep(page: html, in: directories.state))
  }
}

struct MachineIdentifiers: IdentifierSource {
  private let identifiers = RecordIdentifiers()

  func next() -> String {
    var generator = SystemRandomNumberGenerator()
    let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    // The machine's clock, whatever time is written: records are listed in the order in which they were added.
    return identifiers.next(milliseconds: milliseconds(), random: random)
  }
}

/// The time now in milliseconds since 1970.
private func milliseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
