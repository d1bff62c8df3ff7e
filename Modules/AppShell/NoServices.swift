public import Codecs
public import Domain
import Rows

/// The clock that always shows the same time.
public struct FixedClock: WallClock {
  private let instant: Instant
  /// Creates a clock that shows `instant`.
  public init(_ instant: Instant) { self.instant = instant }
  /// The time given at creation.
  public func now() -> Instant { instant }
}

struct NoExporters: ExporterCatalogue {
  var all: [any Exporter] { [] }
  func named(_ name: String) throws(Problem) -> any Exporter { throw Problem(.bug, "no formats") }
  func forPath(_ path: String) -> (any Exporter)? { nil }
  func options(_ assignments: [String], for chosen: [any Exporter]) -> [String: ExportOptions] { [:] }
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter { PlainLines() }
}

struct NoFiles: OutputFiles {
  func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink { throw Problem(.bug, "no files") }
  func check(_ path: String, replaces: Bool) throws(Problem) -> String { throw Problem(.bug, "no files") }
  func isFile(_ path: String) -> Bool { false }
}

struct NoStores: StoreOpening {
  func open(_ location: String) throws(Problem) -> any RecordStore { throw Problem(.bug, "no stores") }
  func exists(_ location: String) -> Bool { false }
  func defaultLocation() throws(Problem) -> (location: String, origin: String) { throw Problem(.bug, "no stores") }
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)] {
    throw Problem(.bug, "no stores")
  }
}

struct NoTerminal: TerminalPort {
  var width: Int? { nil }
  var isInteractive: Bool { false }
  func output(isHeldBack: Bool, isPaged: Bool) throws(Problem) -> any ByteSink { throw Problem(.bug, "no output") }
  func write(_ text: String) throws(Problem) { throw Problem(.bug, "no output") }
}
