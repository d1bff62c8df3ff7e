import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Everything that bb-notes reaches outside of itself.
struct Environment: AppEnvironment {
  /// What both programs have.
  var services: AppServices
  /// Makes a directory with files of other programs a store.
  var claim: @Sendable (_ location: String) async throws(Problem) -> Void
  /// The images of the store at a location.
  var pictures: @Sendable (_ location: String) throws(Problem) -> any ImageDirectory
  /// The built-in data: episodes, characters, deaths.
  var builtIn: any RecordSource
  /// The episodes of the API, as new as `freshness` requires if it responds within two seconds, else those of its last
  /// response; nil if it never responded.
  var currentEpisodes: @Sendable (_ freshness: EpisodeChoices.Freshness) async throws(Problem) -> (any RowStream)?
  /// The rows of a file; `types` returns the types of the columns that it is given.
  var fileRows:
    @Sendable (
      _ path: String, _ format: String?, _ delimiter: String?,
      _ types: (_ columns: [String]) throws(Problem) -> ColumnTypes
    ) async throws(Problem) -> any RowStream
  /// The extensions of documents of other programs.
  var documentSuffixes: [String]
  /// The records of such a document and their dataset; omitted data is a warning.
  var document: @Sendable (_ path: String, _ suffix: String) throws(Problem) -> (Schema, [StoredRecord])
  /// All of standard input.
  var standardInput: @Sendable () throws(Problem) -> [UInt8]
  /// Questions to the user.
  var dialog: Dialog
  /// The editor of the user.
  var editor: @Sendable () throws(Problem) -> any TextEditor
  /// Texts that are being written.
  var drafts: any DraftFolder
  /// Creates an identifier for a record.
  var identifier: @Sendable () -> String
  /// Whether there is a desktop.
  var hasDesktop: Bool
  /// Keeps an HTML page in a private file, and returns its URL.
  var page: @Sendable (_ html: [UInt8]) async throws(Problem) -> String
}
