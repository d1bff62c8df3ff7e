package import AppShell
package import Codecs
package import CommandLineKit
package import Documents
package import Domain
import Glibc
import Exporters
import Query
package import Rows
import Synchronization

/// Files, standard output and standard input in memory.
package final class MemoryFiles: OutputFiles, TerminalPort {
  private struct State {
    var files: [String: String] = [:]
    var output = ""
    var heldBack: [Bool] = []
  }
  private let state: Mutex<State>
  package let width: Int?
  private let text: String
  package var isInteractive: Bool { false }

  package init(_ files: [String: String] = [:], width: Int? = nil, input text: String = "") {
    state = Mutex(State(files: files))
    self.width = width
    self.text = text
  }

  /// The files by name.
  package var files: [String: String] { state.withLock { $0.files } }
  /// Standard output.
  package var output: String { state.withLock { $0.output } }
  /// Whether standard output was held back, each time it was opened.
  package var heldBack: [Bool] { state.withLock { $0.heldBack } }

  func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink {
    if !replaces, isFile(path) { throw Problem(.cannotCreate, "the file exists", at: path) }
    return MemorySink(path) { text in self.state.withLock { $0.files[path] = text } }
  }
  func check(_ path: String, replaces: Bool) throws(Problem) -> String {
    _ = try sink(path, replaces: replaces)
    return path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }
  func isFile(_ path: String) -> Bool { unsafe files[path] != nil || access(path, F_OK) == 0 }
  package func imageFiles(in directory: String?, ofStore stored: String?) -> [[UInt8]: ImageFile] { [:] }
  package func images(_ files: [[UInt8]: ImageFile], for page: String?, first dataset: String?) -> PageImages {
    PageImages()
  }
  package func directory(_ path: String, list: String, replaces: Bool) throws(Problem) -> any OutputDirectory {
    throw Problem(.cannotCreate, "no directories in memory", at: path)
  }
  package func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle { .plain }
  package func output(_ use: TerminalUse) throws(Problem) -> any ByteSink {
    state.withLock { $0.heldBack.append(use.isHeldBack) }
    return MemorySink("standard output") { text in self.state.withLock { $0.output += text } }
  }
  package func write(_ text: String) throws(Problem) { state.withLock { $0.output += text } }
  package func input() -> [UInt8] { Array(text.utf8) }
  package var dialog: Dialog { Dialog(tell: { (_) in }, ask: { (_) in nil }) }
  package func editor() -> any TextEditor { NoEditor() }
}

extension MemoryFiles {
  /// Kinds of locations whose files are written to memory, and read from the disk.
  package func kinds(_ others: LocationKinds = LocationKinds([])) -> LocationKinds {
    let disk = others.all.first
    return LocationKinds(
      [
        LocationKind { (text) throws(Problem) in
          MemoryPlace(shown: text, files: self, disk: try disk?.place(text))
        }
      ] + others.all.dropFirst())
  }
}

/// A file that is written to memory.
private struct MemoryPlace: Place {
  let shown: String
  let files: MemoryFiles
  let disk: (any Place)?
  var path: String? { shown }
  var isRemote: Bool { false }
  var isFile: Bool { files.isFile(shown) }
  func source(_ options: FileInputOptions, isPartitioned: Bool) async throws(Problem) -> any RecordSource {
    guard let disk else { throw Problem(.noInput, "no disk", at: shown) }
    return try await disk.source(options, isPartitioned: isPartitioned)
  }
  func members() async throws(Problem) -> [String]? { isFile ? nil : try await disk?.members() }
  func size() async throws(Problem) -> Int { try await disk?.size() ?? 0 }
  func sink(replaces: Bool, follows: Bool) throws(Problem) -> any ByteSink {
    try files.sink(shown, replaces: replaces)
  }
  func check(replaces: Bool) throws(Problem) -> String { try files.check(shown, replaces: replaces) }
  func makeDirectory() throws(Problem) -> Bool { true }
}

private struct NoEditor: TextEditor {
  func edit(fileAt path: String) async throws(Problem) -> Int32 { throw Problem(.usage, "no editor") }
}

/// A sink that keeps its bytes, and hands them over when they are complete.
private final class MemorySink: ByteSink {
  let name: String
  private let bytes = Mutex<[UInt8]>([])
  private let finish: @Sendable (String) -> Void

  init(_ name: String, _ finish: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.finish = finish
  }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let piece = bytes.read { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    self.bytes.withLock { $0 += piece }
  }
  func commit() async throws(Problem) { finish(String(decoding: bytes.withLock { $0 }, as: UTF8.self)) }
  func abandon() async {}
}

/// The built-in formats.
package struct BuiltInExporters: ExporterCatalogue {
  package init() {}
  private let registry = ExporterRegistry()
  package var all: [any Exporter] { registry.exporters }
  package func named(_ name: String) throws(Problem) -> any Exporter { try registry.exporter(named: name) }
  package func forPath(_ path: String) -> (any Exporter)? { registry.exporter(forPath: path) }
  package func options(_ assignments: [String], for chosen: [any Exporter]) throws(Problem) -> [String: ExportOptions] {
    try registry.options(assignments, for: chosen)
  }
  package func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter {
    let files = files.map { MetadataExporter.File(name: $0.name, format: $0.format, options: $0.options) }
    return form == .csvw ? MetadataExporter.csvw(files[0]) : MetadataExporter.dataPackage(files)
  }
}

/// The text that a program writes to standard error.
package final class Lines: Sendable {
  package init() {}
  private let text = Mutex("")
  package var all: String { text.withLock { $0 } }
  package func add(_ text: String) { self.text.withLock { $0 += text } }
}
