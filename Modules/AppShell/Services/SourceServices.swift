package import CommandLineKit
package import Domain
package import Query
package import Rows
package import Sources

/// The sources of records.
package protocol SourceServices: Sendable {
  var snapshot: any RecordSource { get }
  func open(_ choice: SourceChoice) async throws(Problem) -> any RecordSource
  /// Opens files on servers that may have rows that are needed, several at a time, before each is opened.
  /// - Parameter selection: the conditions, of columns of paths among others.
  /// - Returns: the positions of the files that may have such rows, at least one.
  func prepare(
    _ files: [Location], _ options: FileInputOptions, for selection: Selection
  ) async throws(Problem) -> [Int]
  /// Opens the API of shows and their episodes.
  func television(_ lookup: ShowLookup, _ options: APIOptions) throws(Problem) -> any RecordSource
  /// The rows of an SQL statement that reads the tables of sources.
  /// - Parameter cores: on how many cores a source may read at once.
  func query(_ sql: String, over sources: [any RecordSource], cores: Int) async throws(Problem) -> any RowStream
  /// Opens an API that accepts new records.
  func submitter(_ name: String, _ options: APIOptions) throws(Problem) -> any RecordSubmitter
  /// A setting as it is stored: a path does not depend on the current directory.
  /// - Throws: `usage` for a value that the commands would refuse; `noInput`, `badData` for a file.
  func checked(_ value: String, of key: ConfigurationKey) throws(Problem) -> String
  /// The episodes of the API, as new as `freshness` requires if it responds within two seconds, else those of its last
  /// response; nil if it never responded.
  func currentEpisodes(_ freshness: EpisodeChoices.Freshness, _ options: APIOptions) async throws(Problem) -> (
    any RowStream
  )?
  /// The rows of a pipe, or of `-`, standard input, as they arrive; their format is detected if it is nil.
  func following(
    _ path: String, _ format: FileFormat?, _ options: FileInputOptions
  ) async throws(Problem) -> (rows: any RowStream, format: String)
  /// The bytes of a file of at most 16 MiB.
  func bytes(of path: String) throws(Problem) -> [UInt8]
  func definition(_ path: String) throws(Problem) -> APIDescription
  /// Infers a source definition from a response or a file, and tries it if that is wanted.
  func draft(_ request: SourceDraftRequest, _ options: APIOptions) async throws(Problem) -> DraftOutcome
  /// Reads a sample of the datasets of a source definition; nothing of it is kept.
  func trial(
    _ path: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) async throws(Problem) -> [SourceTrial]
  /// Keeps the responses for a sample of the datasets of a source definition in a directory; the number of requests,
  /// and of the rows.
  func record(
    _ path: String, into directory: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) async throws(Problem) -> (requests: Int, rows: [(dataset: String, count: Int)])
  /// Reads the recorded responses of a directory by a source definition, and compares the rows with those expected.
  /// - Parameter accepts: whether the rows become the expected ones instead.
  func test(
    _ path: String, against directory: String, accepts: Bool
  ) async throws(Problem) -> (rows: [(dataset: String, count: Int)], differences: [String])
  /// A source definition as the text of a file.
  func text(of source: APIDescription) -> [UInt8]
  /// The JSON Schema of source definition files.
  /// - Parameter grammar: the version of the grammar, 1 or 2.
  func schema(grammar: Int) -> [UInt8]
}

extension SourceServices {
  /// All.
  package func prepare(
    _ files: [Location], _ options: FileInputOptions, for selection: Selection
  ) async throws(Problem) -> [Int] { Array(files.indices) }
}

/// The records of a file, their dataset, and the number of members that have no place in it, by name.
package typealias ImportedRecords = (schema: Schema, records: [Record], omitted: [String: Int])

/// The files that are imported.
package protocol DocumentReading: Sendable {
  /// The rows of a table in a file; `types` returns the types of the columns that it is given.
  func rows(
    _ path: String, _ options: FileInputOptions,
    types: (_ columns: [String]) throws(Problem) -> ColumnTypes
  ) async throws(Problem) -> any RowStream
  /// The files of a directory or a ZIP archive, or the one at a path.
  func files(_ path: String) throws(Problem) -> any NamedFiles
  func isDirectory(_ path: String) -> Bool
  /// A new file that appears when it is complete.
  func sink(_ path: String) throws(Problem) -> any ByteSink
  /// Whether a path is a directory with a store.
  func isStore(_ path: String) -> Bool
  /// The extensions of documents of other programs.
  var extensions: [String] { get }
  /// The records of such a document.
  func records(_ path: String, extension: String) async throws(Problem) -> ImportedRecords
}

/// Downloads and directories of images.
package protocol ImageServices: Sendable {
  func transport(_ options: APIOptions, parallel: Int) -> any HTTPTransport
  /// The archive in a directory, for the images of one dataset.
  /// - Parameter isOfStore: whether the images are those of a store, in which they may be.
  func archive(_ path: String, dataset: String, isOfStore: Bool) async throws(Problem) -> any ImageArchive
  func stored(_ location: String) throws(Problem) -> any ImageDirectory
}

/// The external exporters that are installed.
package protocol PluginHost: Sendable {
  /// All of them; the reason why one is refused is empty if it is not.
  func all() throws(Problem) -> [(name: String, path: String, refusal: String)]
  func describe(_ name: String) throws(Problem) -> [[String]]
  /// The results of the tests of a plug-in.
  func test(_ name: String) async throws(Problem) -> [(what: String, fault: String?)]
}

/// The files that a Singer runner passes to a tap, by path, and the output of the tap.
package protocol TapServices: Sendable {
  /// The source of records, and the datasets; all if there are none.
  func settings(_ path: String) throws(Problem) -> (SourceChoice, [String])
  /// The streams that a catalogue selects, and the columns that it deselects.
  func selected(_ path: String) throws(Problem) -> [(stream: String, without: [String])]
  /// Checks that a file holds a state.
  func checkState(_ path: String) throws(Problem)
  func catalog(_ tables: [Schema]) -> [UInt8]
  /// The exporter of messages after those of earlier streams.
  func exporter(_ earlier: [(stream: String, records: Int)]) -> any Exporter
}
