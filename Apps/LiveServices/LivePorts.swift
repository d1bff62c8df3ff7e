import Access
import AppShell
import Codecs
import CommandLineKit
import Documents
import Domain
import Exporters
import Files
import Glibc
import Persistence
import Plugins
import Query
import Rows

struct InstalledExporters: ExporterCatalogue {
  let builtIn: ExporterRegistry
  let plugins: PluginRegistry
  let report: Report

  var all: [any Exporter] { builtIn.exporters }
  var places: [PlaceOptions] { PlaceOptions.shared + PlaceOptions.tables }
  func named(_ name: String) throws(Problem) -> any Exporter {
    if name.hasPrefix("singer:") { return try plugins.target(String(name.dropFirst("singer:".count))) }
    if let description = MetadataExporter.description(named: name) { return description }
    let isBuiltIn = all.contains { $0.descriptor.name == name }
    guard !isBuiltIn, let plugin = try plugins.plugin(named: name) else { return try builtIn.exporter(named: name) }
    return try plugins.exporter(plugin)
  }
  func forPath(_ path: String) throws(Problem) -> (any Exporter)? {
    if path.hasSuffix(".schema.json") { return MetadataExporter.description(named: "json-schema") }
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
  func isSame(_ path: String, as other: String) -> Bool { OutputFile.isSame(path, as: other) }
  func imageFiles(in directory: String?, ofStore stored: String?) throws(Problem) -> [[UInt8]: ImageFile] {
    try FetchedImages.files(in: directory, ofStore: stored)
  }
  func images(
    _ files: [[UInt8]: ImageFile], for page: String?, first dataset: String?
  ) throws(Problem) -> PageImages {
    try FetchedImages.images(files, for: page, first: dataset)
  }
  func directory(_ path: String, list: String, replaces: Bool) throws(Problem) -> any OutputDirectory {
    try StagedDirectory(path: path, list: list, replaces: replaces)
  }
}

struct Stores: StoreOpening {
  let registry: StoreRegistry
  let directories: Directories

  func open(_ location: String) throws(Problem) -> any RecordStore { try registry.open(location) }
  func exists(_ location: String) throws(Problem) -> Bool { try registry.exists(try registry.location(location)) }
  func absolute(_ location: String) throws(Problem) -> String {
    let place = try registry.location(location)
    let isFile = [.file, .directory].contains(registry.kind(of: place)) && !place.path.hasPrefix("~")
    return isFile ? "\(place.scheme):\(AbsolutePath.of(place.path))" : location
  }
  func isNamed(_ text: String) -> Bool { registry.isNamed(text) }
  func claim(_ location: String) async throws(Problem) { try await registry.claim(try registry.location(location)) }
  func mergeTables(of location: String) throws(Problem) {
    try registry.mergeTables(of: try registry.location(location))
  }
  func merge(base: String, ours: String, theirs: String, of path: String) async throws(Problem) -> Int? {
    try await registry.merge(base: base, ours: ours, theirs: theirs, of: path)
  }
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
  var destination: StandardOutput {
    Terminal.isTerminal(1) ? .terminal : Terminal.outputFile.map { .file($0) } ?? .other
  }
  var isAppended: Bool { Terminal.outputSize ?? 0 > 0 }
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
          headerLines: use.headerLines, warn: { [report] in report.warning($0) })
      {
        output = pager
      } else if use.headerLines > 0 {
        output = RepeatedHeaderSink(output, headerLines: use.headerLines, height: height)
      }
      if !use.isStyled { output = VisibleSink(output) { [report] in report.warning($0) } }
    }
    guard use.isHeldBack else { return output }
    if let removable = try DescriptorSink.removable() { return removable }
    return try SpooledSink(output, scratch: scratch)
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
    return identifiers.next(milliseconds: SystemClock.milliseconds(), random: random)
  }
}
