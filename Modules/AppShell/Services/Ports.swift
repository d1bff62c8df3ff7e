public import Codecs
public import CommandLineKit
public import Documents
public import Domain
public import Rows

/// The output formats.
public protocol ExporterCatalogue: Sendable {
  /// The built-in formats, in the order of the documentation.
  var all: [any Exporter] { get }
  /// The format with a name, built-in or external; `singer:PROGRAM` is a Singer target.
  /// - Throws: `usage` for an unknown name, with the nearest one.
  func named(_ name: String) throws(Problem) -> any Exporter
  /// The format with the extension of a path; nil if there is none.
  func forPath(_ path: String) throws(Problem) -> (any Exporter)?
  /// The options of each of the `chosen` formats by name, from `[FORMAT.]KEY=VALUE`.
  /// - Throws: `usage` for an unknown format, key or value.
  func options(_ assignments: [String], for chosen: [any Exporter]) throws(Problem) -> [String: ExportOptions]
  /// The format of a file that describes the columns of other files.
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter
}

/// The standard of a file that describes the columns of other files.
public enum MetadataForm: Sendable {
  /// W3C CSV on the Web, one metadata file for each CSV file.
  case csvw
  /// Frictionless Data Package, one file for all.
  case dataPackage
}

/// An output file that a metadata file describes.
public struct DescribedFile: Sendable {
  /// Its name within its directory.
  public let name: String
  /// Its format.
  public let format: ExporterDescriptor
  /// The options of its format.
  public let options: ExportOptions
}

/// Images, and directories that outputs are written to.
public protocol OutputFiles: Sendable {
  /// Whether two paths name one regular file; `-` is standard input.
  func isSame(_ path: String, as other: String) -> Bool
  /// The images stored in a directory, for a page.
  /// - Parameter isEmbedded: whether they become part of the page.
  /// - Throws: `noInput` if there are none.
  func images(in directory: String, for page: String, isEmbedded: Bool) throws(Problem) -> PageImages
  /// The images of a store, for a page, by their names in the records; empty if there are none.
  /// - Parameters:
  ///   - directory: the directory of the images of the store.
  ///   - page: the path of the page; nil for images that become part of it.
  func storedImages(in directory: String, for page: String?) throws(Problem) -> PageImages
  /// The files of the images stored in a directory, by URL; empty if there are none.
  func imageFiles(in directory: String) throws(Problem) -> [[UInt8]: ImageFile]
  /// Opens a directory that appears under its name when it is complete.
  /// - Throws: `cannotCreate`; also if the directory exists and must not be replaced.
  func directory(_ path: String, replaces: Bool) throws(Problem) -> any OutputDirectory
}

extension OutputFiles {
  /// Files without names in common.
  public func isSame(_ path: String, as other: String) -> Bool { false }
}

/// The stores.
public protocol StoreOpening: Sendable {
  /// The store at a location: `sqlite:FILE`, `csv:DIR`, `json:DIR`, or a path.
  func open(_ location: String) throws(Problem) -> any RecordStore
  /// Whether there is a store at a location.
  func exists(_ location: String) throws(Problem) -> Bool
  /// Whether a text begins with a kind of store: `csv:DIR`.
  func isNamed(_ text: String) -> Bool
  /// The store that is used if none is named, and the origin of the setting.
  func defaultLocation() throws(Problem) -> (location: String, origin: String)
  /// The same location in any current directory.
  /// - Throws: `usage` for an invalid location.
  func absolute(_ location: String) throws(Problem) -> String
  /// Turns an existing directory into a store.
  func claim(_ location: String) async throws(Problem)
  /// Copies all tables and the history of a store into a new one; returns the tables and their numbers of records.
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)]
}

/// The use of standard output.
public struct TerminalUse: Sendable {
  /// Whether nothing is written before everything is known, because the rows may have to be read again.
  public var isHeldBack = false
  /// Whether a pager shows the output on a terminal.
  public var isPaged = false
  /// Whether the output has escape sequences of its own, and none of the data.
  public var isStyled = false
  /// The number of lines at the beginning that a terminal without a pager shows again after each screen.
  public var headerLines = 0

  /// Output that is written as it comes.
  public init(isHeldBack: Bool = false, isPaged: Bool = false) {
    self.isHeldBack = isHeldBack
    self.isPaged = isPaged
  }
}

/// The place that standard output leads to.
public enum StandardOutput: Sendable, Hashable {
  /// A terminal, a pipe or a device.
  case terminal, other
  /// A file.
  case file(String)
}

/// Standard output, and the terminal if it is one.
public protocol TerminalPort: Sendable {
  /// The width of standard output in columns; nil if it is not a terminal.
  var width: Int? { get }
  /// Where standard output leads.
  var destination: StandardOutput { get }
  /// Whether a user can reply: standard input and standard error are terminals.
  var isInteractive: Bool { get }
  /// Colours and links on standard output, or on standard error.
  func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle
  /// Opens standard output.
  func output(_ use: TerminalUse) throws(Problem) -> any ByteSink
  /// Writes text to standard output.
  func write(_ text: String) throws(Problem)
  /// Reads all of standard input.
  /// - Throws: `badData` above 64 MiB.
  func input() throws(Problem) -> [UInt8]
  /// Prompts on the terminal.
  var dialog: Dialog { get }
  /// The editor of the user.
  func editor() throws(Problem) -> any TextEditor
}

extension TerminalPort {
  /// A terminal if it has a width.
  public var destination: StandardOutput { width == nil ? .other : .terminal }
}

/// The desktop.
public protocol DesktopPort: Sendable {
  /// Whether there is a desktop.
  var isPresent: Bool { get }
  /// Opens a URL; returns false if that is not possible.
  func open(_ url: String) -> Bool
  /// Opens a page that the program has written; returns its URL, and whether it was opened.
  func open(page path: String) -> (url: String, isOpen: Bool)
  /// Keeps an HTML page in a private file, and returns its URL.
  func keep(page html: [UInt8]) async throws(Problem) -> String
}

/// Identifiers for new records.
public protocol IdentifierSource: Sendable {
  /// An identifier that no record has.
  func next() -> String
}
