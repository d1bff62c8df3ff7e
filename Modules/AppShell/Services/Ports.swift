package import Codecs
package import CommandLineKit
package import Documents
package import Domain
package import Rows

package protocol ExporterCatalogue: Sendable {
  /// The built-in formats, in the order of the documentation.
  var all: [any Exporter] { get }
  /// The places that have options of their own.
  var places: [PlaceOptions] { get }
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

extension ExporterCatalogue {
  /// Those that are the same everywhere.
  package var places: [PlaceOptions] { PlaceOptions.shared }
}

/// What `--option` can set of a place, of its outputs or of the connection to it.
package struct PlaceOptions: Sendable {
  package let name: String
  /// What names the place: `delta:DIR`.
  package let location: String
  package let summary: String
  package let options: [ExporterDescriptor.Option]
  package init(_ name: String, _ location: String, _ summary: String, _ options: [ExporterDescriptor.Option]) {
    (self.name, self.location, self.summary, self.options) = (name, location, summary, options)
  }

  package static let shared = [PartitionPlan.options, ObjectOptions.options]

  /// The options of formats and places for help, man page and completion.
  package static func assignments(of formats: [any Exporter], _ places: [PlaceOptions]) -> [Program.Assignment] {
    (formats.map { ($0.descriptor.name, $0.descriptor.options) } + places.map { ($0.name, $0.options) }).flatMap {
      (name, options) in options.map { Program.Assignment(name, $0.key, $0.values, $0.summary) }
    }
  }
}

/// The standard of a file that describes the columns of other files.
package enum MetadataForm: Sendable {
  /// W3C CSV on the Web, one metadata file for each CSV file.
  case csvw
  /// Frictionless Data Package, one file for all.
  case dataPackage
}

/// An output file that a metadata file describes.
package struct DescribedFile: Sendable {
  package let name: String
  package let format: ExporterDescriptor
  package let options: ExportOptions
}

/// Images, and directories that outputs are written to.
package protocol OutputFiles: Sendable {
  /// Whether two paths name one regular file; `-` is standard input.
  func isSame(_ path: String, as other: String) -> Bool
  /// The images at hand, by URL and by their name in the store.
  /// - Parameters:
  ///   - directory: the directory that the user named; nil for none.
  ///   - stored: the directory of the images of the store; nil for none.
  /// - Throws: `noInput` if there are none in `directory`.
  func imageFiles(in directory: String?, ofStore stored: String?) throws(Problem) -> [[UInt8]: ImageFile]
  /// Images for a page.
  /// - Parameters:
  ///   - page: the path of the page; nil for images that become part of it.
  ///   - dataset: the dataset whose images come first.
  func images(_ files: [[UInt8]: ImageFile], for page: String?, first dataset: String?) throws(Problem) -> PageImages
  /// Opens a directory that appears under its name when it is complete.
  /// - Parameter list: the path in it of the list of its files.
  /// - Throws: `cannotCreate`; also if the directory exists and must not be replaced.
  func directory(_ path: String, list: String, replaces: Bool) throws(Problem) -> any OutputDirectory
}

extension OutputFiles {
  /// Files without names in common.
  package func isSame(_ path: String, as other: String) -> Bool { false }
}

package protocol StoreOpening: Sendable {
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
  /// Has git merge the tables of a directory store by key and field.
  func mergeTables(of location: String) throws(Problem)
  /// Writes a merge of three versions of a file over `ours`, and returns the number of conflicts; nil if the file is
  /// not a table of a store.
  func merge(base: String, ours: String, theirs: String, of path: String) async throws(Problem) -> Int?
  /// Copies all tables and the history of a store into a new one; returns the tables and their numbers of records.
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)]
}

package struct TerminalUse: Sendable {
  /// Whether nothing is written before everything is known, because the rows may have to be read again.
  package var isHeldBack = false
  /// Whether a pager shows the output on a terminal.
  package var isPaged = false
  /// Whether the output has escape sequences of its own, and none of the data.
  package var isStyled = false
  /// The number of lines at the beginning that a terminal without a pager shows again after each screen.
  package var headerLines = 0

  /// Output that is written as it comes.
  package init(isHeldBack: Bool = false, isPaged: Bool = false) {
    self.isHeldBack = isHeldBack
    self.isPaged = isPaged
  }
}

/// The place that standard output leads to.
package enum StandardOutput: Sendable, Hashable {
  /// A terminal, a pipe or a device.
  case terminal, other
  case file(String)
}

/// Standard output, and the terminal if it is one.
package protocol TerminalPort: Sendable {
  /// The width of standard output in columns; nil if it is not a terminal.
  var width: Int? { get }
  var destination: StandardOutput { get }
  /// Whether standard output is a file with content, to which more is added.
  var isAppended: Bool { get }
  /// Whether a user can reply: standard input and standard error are terminals.
  var isInteractive: Bool { get }
  /// Colours and links on standard output, or on standard error.
  func style(_ color: ColorChoice, ofErrors: Bool) -> TerminalStyle
  func output(_ use: TerminalUse) throws(Problem) -> any ByteSink
  func write(_ text: String) throws(Problem)
  /// Reads all of standard input.
  /// - Throws: `badData` above 64 MiB.
  func input() throws(Problem) -> [UInt8]
  var dialog: Dialog { get }
  func editor() throws(Problem) -> any TextEditor
}

extension TerminalPort {
  /// A terminal if it has a width.
  package var destination: StandardOutput { width == nil ? .other : .terminal }
  package var isAppended: Bool { false }
}

package protocol DesktopPort: Sendable {
  var isPresent: Bool { get }
  /// Opens a URL; returns false if that is not possible.
  func open(_ url: String) -> Bool
  /// Opens a page that the program has written; returns its URL, and whether it was opened.
  func open(page path: String) -> (url: String, isOpen: Bool)
  /// Keeps an HTML page in a private file, and returns its URL.
  func keep(page html: [UInt8]) async throws(Problem) -> String
}

/// Identifiers for new records.
package protocol IdentifierSource: Sendable {
  func next() -> String
}
