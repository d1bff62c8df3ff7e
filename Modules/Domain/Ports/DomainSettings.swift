public import Rows

extension Setting {
  /// The file that is read.
  public static let inputFile = Setting("input.file")
  /// The name of the input table.
  public static let tableName = Setting("input.table")
  /// The columns that identify a row of an output.
  public static let outputKey = Setting("output.key")
  /// The time limit of a view of a database.
  public static let viewTimeout = Setting("sqlite.timeout")
  /// The store.
  public static let store = Setting("store")
  /// The source of the records.
  public static let source = Setting("source")
  /// Whether data may lead to private addresses.
  public static let privateAddresses = Setting("network.privateAddresses")

  /// The show that the records belong to.
  public static let production = Setting("selection.production")
  /// The season.
  public static let season = Setting("selection.season")
  /// The episode.
  public static let episode = Setting("selection.episode")
  /// A part of a name.
  public static let namePart = Setting("selection.name")
  /// The order of movies.
  public static let movieOrder = Setting("selection.movieOrder")

  /// Whether everything is fetched again.
  public static let fullSync = Setting("sync.full")
  /// Whether an incremental sync continues after a change of the source definition.
  public static let cursorKeeping = Setting("sync.keepCursor")
  /// The most requests of a sync.
  public static let maximumRequests = Setting("sync.maximumRequests")
  /// Whether stored values may be replaced with null because the API lacks their members.
  public static let drift = Setting("sync.drift")
  /// Whether a smaller dataset is accepted.
  public static let shrinking = Setting("sync.shrinking")
  /// Whether a table from another source is replaced.
  public static let sourceReplacement = Setting("sync.sourceReplacement")
  /// The action for imported records that differ from existing ones.
  public static let importConflict = Setting("import.conflict")
  /// The format of imported tracker files.
  public static let trackerFormat = Setting("import.format")
  /// The coordinates of a place.
  public static let coordinates = Setting("place.coordinates")
  /// The total size of downloaded images.
  public static let imageTotal = Setting("images.maximumTotal")
  /// The images that a site contains.
  public static let siteImages = Setting("site.images")
  /// The action for an output that exists.
  public static let existingOutput = Setting("output.existing")
  /// The directory with the images of a page.
  public static let imageDirectory = Setting("html.imageDirectory")
}

extension Action {
  /// Lists the sources.
  public static let listSources = Action("listSources")
  /// Shows the changes, with their numbers.
  public static let showHistory = Action("showHistory")
  /// Posts a comment.
  public static let addComment = Action("addComment")
  /// Downloads images.
  public static let fetchImages = Action("fetchImages")
  /// Loads tables from their sources into the default store.
  public static let sync = Action("sync")
  /// Loads a table into a store.
  public static func sync(into store: String) -> Action { Action("sync", on: store) }
  /// Creates a store, in an existing directory too.
  public static func createStore(_ store: String) -> Action { Action("createStore", on: store) }
}
