import AppShell
import Codecs
import CommandLineKit
import Documents
import Domain
import Exporters
import Rows
import Synchronization

/// Files, standard output and standard input in memory.
final class MemoryFiles: OutputFiles, TerminalPort {
  private struct State {
    var files: [String: String] = [:]
    var output = ""
    var heldBack: [Bool] = []
  }
  private let state: Mutex<State>
  let width: Int?
  private let text: String
  var isInteractive: Bool { false }

  init(_ files: [String: String] = [:], width: Int? = nil, input text: String = "") {
    state = Mutex(State(files: files))
    self.width = width
    self.text = text
  }

  /// The files by name.
  var files: [String: String] { state.withLock { $0.files } }
  /// Standard output.
  var output: String { state.withLock { $0.output } }
  /// Whether standard output was held back, each time it was opened.
  var heldBack: [Bool] { state.withLock { $0.heldBack } }

  func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink {
    if !replaces, isFile(path) { throw Problem(.cannotCreate, "the file exists", at: path) }
    return MemorySink(path) { text in self.state.withLock { $0.files[path] = text } }
  }
  func check(_ path: String, replaces: Bool) throws(Problem) -> String {
    _ = try sink(path, replaces: replaces)
    return path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }
  func isFile(_ path: String) -> Bool { files[path] != nil }
  func images(in directory: String, for page: String, isEmbedded: Bool) throws(Problem) -> PageImages { PageImages() }
  func storedImages(in directory: String, for page: String?) throws(Problem) -> PageImages { PageImages() }
  func imageFiles(in directory: String) -> [[UInt8]: ImageFile] { [:] }
  func makeDirectory(_ path: String) throws(Problem) -> Bool { true }
  func removeDirectory(_ path: String) {}
  func directory(_ path: String, replaces: Bool) throws(Problem) -> any OutputDirectory {
    throw Problem(.cannotCreate, "no directories in memory", at: path)
  }
  func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle { .plain }
  func output(_ use: TerminalUse) throws(Problem) -> any ByteSink {
    state.withLock { $0.heldBack.append(use.isHeldBack) }
    return MemorySink("standard output") { text in self.state.withLock { $0.output += text } }
  }
  func write(_ text: String) throws(Problem) { state.withLock { $0.output += text } }
  func input() -> [UInt8] { Array(text.utf8) }
  var dialog: Dialog { Dialog(tell: { (_) in }, ask: { (_) in nil }) }
  func editor() -> any TextEditor { NoEditor() }
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
struct BuiltInExporters: ExporterCatalogue {
  private let registry = ExporterRegistry()
  var all: [any Exporter] { registry.exporters }
  func named(_ name: String) throws(Problem) -> any Exporter { try registry.exporter(named: name) }
  func forPath(_ path: String) -> (any Exporter)? { registry.exporter(forPath: path) }
  func options(_ assignments: [String], for chosen: [any Exporter]) throws(Problem) -> [String: ExportOptions] {
    try registry.options(assignments, for: chosen)
  }
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter {
    let files = files.map { MetadataExporter.File(name: $0.name, format: $0.format, options: $0.options) }
    return form == .csvw ? MetadataExporter.csvw(files[0]) : MetadataExporter.dataPackage(files)
  }
}

/// The text that a program writes to standard error.
final class Lines: Sendable {
  private let text = Mutex("")
  var all: String { text.withLock { $0 } }
  func add(_ text: String) { self.text.withLock { $0 += text } }
}
