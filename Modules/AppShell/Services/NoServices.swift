import Codecs
import CommandLineKit
import Documents
import Domain
import Query
import Rows
import Sources
import Synchronization

/// The clock that always shows the same time.
struct FixedClock: WallClock {
  private let instant: Instant
  /// Creates a clock that shows `instant`.
  init(_ instant: Instant) { self.instant = instant }
  /// The time given at creation.
  package func now() -> Instant { instant }
}

struct NoExporters: ExporterCatalogue {
  var all: [any Exporter] { [] }
  func named(_ name: String) throws(Problem) -> any Exporter { throw Problem(.bug, "no formats") }
  func forPath(_ path: String) -> (any Exporter)? { nil }
  func options(_ assignments: [String], for chosen: [any Exporter]) -> [String: ExportOptions] { [:] }
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter { PlainLines() }
}

struct NoFiles: OutputFiles {
  func imageFiles(in directory: String?, ofStore stored: String?) -> [[UInt8]: ImageFile] { [:] }
  func images(_ files: [[UInt8]: ImageFile], for page: String?, first dataset: String?) -> PageImages { PageImages() }
  func directory(_ path: String, list: String, replaces: Bool) throws(Problem) -> any OutputDirectory {
    throw Problem(.bug, "no files")
  }
}

struct NoStores: StoreOpening {
  func open(_ location: String) throws(Problem) -> any RecordStore { throw Problem(.bug, "no stores") }
  func exists(_ location: String) -> Bool { false }
  func isNamed(_ text: String) -> Bool { false }
  func absolute(_ location: String) -> String { location }
  func defaultLocation() throws(Problem) -> (location: String, origin: String) { throw Problem(.bug, "no stores") }
  func claim(_ location: String) async throws(Problem) { throw Problem(.bug, "no stores") }
  func mergeTables(of location: String) throws(Problem) { throw Problem(.bug, "no stores") }
  func merge(base: String, ours: String, theirs: String, of path: String) -> Int? { nil }
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)] {
    throw Problem(.bug, "no stores")
  }
}

struct NoTerminal: TerminalPort {
  var width: Int? { nil }
  var isInteractive: Bool { false }
  func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle { .plain }
  func output(_ use: TerminalUse) throws(Problem) -> any ByteSink { throw Problem(.bug, "no output") }
  func write(_ text: String) throws(Problem) { throw Problem(.bug, "no output") }
  func input() throws(Problem) -> [UInt8] { [] }
  var dialog: Dialog { Dialog(tell: { (_) in }, ask: { (_) in nil }) }
  func editor() throws(Problem) -> any TextEditor { throw Problem(.bug, "no editor") }
}

struct NoSources: SourceServices {
  private struct Nothing: RecordSource {
    let name = "nothing"
    func tables() -> [Schema] { [] }
    func rows(of table: String, _ request: RowRequest) throws(Problem) -> any RowStream {
      throw Problem(.noInput, "no sources")
    }
  }
  var snapshot: any RecordSource { Nothing() }
  func open(_ choice: SourceChoice) throws(Problem) -> any RecordSource { throw Problem(.bug, "no sources") }
  func television(_ lookup: ShowLookup, _ options: APIOptions) throws(Problem) -> any RecordSource {
    throw Problem(.bug, "no sources")
  }
  func query(_ sql: String, over sources: [any RecordSource], cores: Int) throws(Problem) -> any RowStream {
    throw Problem(.bug, "no sources")
  }
  func following(
    _ path: String, _ format: FileFormat?, _ options: FileInputOptions
  ) async throws(Problem) -> (rows: any RowStream, format: String) {
    throw Problem(.bug, "no sources")
  }
  func bytes(of path: String) throws(Problem) -> [UInt8] { throw Problem(.bug, "no files", at: path) }
  func submitter(_ name: String, _ options: APIOptions) throws(Problem) -> any RecordSubmitter {
    throw Problem(.bug, "no sources")
  }
  func checked(_ value: String, of key: ConfigurationKey) -> String { value }
  func currentEpisodes(_ freshness: EpisodeChoices.Freshness, _ options: APIOptions) -> (any RowStream)? { nil }
  func definition(_ path: String) throws(Problem) -> APIDescription { throw Problem(.bug, "no files") }
  func draft(_ request: SourceDraftRequest, _ options: APIOptions) throws(Problem) -> DraftOutcome {
    throw Problem(.bug, "no sources")
  }
  func trial(
    _ path: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) throws(Problem) -> [SourceTrial] { throw Problem(.bug, "no sources") }
  func record(
    _ path: String, into directory: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) throws(Problem) -> (requests: Int, rows: [(dataset: String, count: Int)]) { throw Problem(.bug, "no sources") }
  func test(
    _ path: String, against directory: String, accepts: Bool
  ) throws(Problem) -> (rows: [(dataset: String, count: Int)], differences: [String]) {
    throw Problem(.bug, "no sources")
  }
  func text(of source: APIDescription) -> [UInt8] { [] }
  func schema(grammar: Int) -> [UInt8] { [] }
}

struct NoDocuments: DocumentReading {
  func rows(
    _ path: String, _ options: FileInputOptions, types: ([String]) throws(Problem) -> ColumnTypes
  ) throws(Problem) -> any RowStream { throw Problem(.bug, "no files") }
  func files(_ path: String) throws(Problem) -> any NamedFiles { throw Problem(.bug, "no files") }
  func sink(_ path: String) throws(Problem) -> any ByteSink { throw Problem(.bug, "no files") }
  func isDirectory(_ path: String) -> Bool { false }
  func isStore(_ path: String) -> Bool { false }
  var extensions: [String] { [] }
  func records(_ path: String, extension: String) async throws(Problem) -> ImportedRecords {
    throw Problem(.bug, "no files")
  }
}

struct NoImages: ImageServices {
  private struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) throws(Problem) -> HTTPResponse { throw Problem(.bug, "no network") }
  }
  func transport(_ options: APIOptions, parallel: Int) -> any HTTPTransport { NoNetwork() }
  func archive(_ path: String, dataset: String, isOfStore: Bool) throws(Problem) -> any ImageArchive {
    throw Problem(.bug, "no images")
  }
  func stored(_ location: String) throws(Problem) -> any ImageDirectory { throw Problem(.bug, "no images") }
}

struct NoPlugins: PluginHost {
  func all() -> [(name: String, path: String, refusal: String)] { [] }
  func describe(_ name: String) throws(Problem) -> [[String]] { throw Problem(.absent, "no plug-ins") }
  func test(_ name: String) throws(Problem) -> [(what: String, fault: String?)] {
    throw Problem(.absent, "no plug-ins")
  }
}

struct NoTap: TapServices {
  func settings(_ path: String) throws(Problem) -> (SourceChoice, [String]) { throw Problem(.bug, "no files") }
  func selected(_ path: String) throws(Problem) -> [(stream: String, without: [String])] {
    throw Problem(.bug, "no files")
  }
  func checkState(_ path: String) throws(Problem) { throw Problem(.bug, "no files") }
  func catalog(_ tables: [Schema]) -> [UInt8] { [] }
  func exporter(_ earlier: [(stream: String, records: Int)]) -> any Exporter { PlainLines() }
}

struct NoDesktop: DesktopPort {
  var isPresent: Bool { false }
  func open(_ url: String) -> Bool { false }
  func open(page path: String) -> (url: String, isOpen: Bool) { (path, false) }
  func keep(page html: [UInt8]) throws(Problem) -> String { throw Problem(.bug, "no desktop") }
}

struct NoDrafts: DraftDirectory {
  func make(_ text: [UInt8], about name: String) throws(Problem) -> String { throw Problem(.bug, "no drafts") }
  func text(at path: String) throws(Problem) -> [UInt8] { throw Problem(.bug, "no drafts") }
  func version(of path: String) -> [Int64] { [] }
  func remove(_ path: String) {}
}

/// Counts: 1, 2, 3, ….
final class SequentialIdentifiers: IdentifierSource {
  private let last = Atomic(0)
  func next() -> String { String(last.add(1, ordering: .relaxed).newValue) }
}
