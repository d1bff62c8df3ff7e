package import Rows

extension Setting {
  package static let inputFile = Setting("input.file")
  package static let tableName = Setting("input.table")
  package static let outputKey = Setting("output.key")
  package static let viewTimeout = Setting("sqlite.timeout")
  package static let store = Setting("store")
  package static let source = Setting("source")
  package static let privateAddresses = Setting("network.privateAddresses")

  package static let production = Setting("selection.production")
  package static let season = Setting("selection.season")
  package static let episode = Setting("selection.episode")
  package static let namePart = Setting("selection.name")
  package static let movieOrder = Setting("selection.movieOrder")

  package static let fullSync = Setting("sync.full")
  package static let cursorKeeping = Setting("sync.keepCursor")
  package static let maximumRequests = Setting("sync.maximumRequests")
  package static let drift = Setting("sync.drift")
  package static let shrinking = Setting("sync.shrinking")
  package static let sourceReplacement = Setting("sync.sourceReplacement")
  package static let importConflict = Setting("import.conflict")
  package static let trackerFormat = Setting("import.format")
  package static let coordinates = Setting("place.coordinates")
  package static let imageTotal = Setting("images.maximumTotal")
  package static let siteImages = Setting("site.images")
  package static let existingOutput = Setting("output.existing")
  package static let imageDirectory = Setting("html.imageDirectory")
}

extension Action {
  package static let listSources = Action("listSources")
  package static let showHistory = Action("showHistory")
  package static let addComment = Action("addComment")
  package static let fetchImages = Action("fetchImages")
  package static let sync = Action("sync")
  package static func sync(into store: String) -> Action { Action("sync", on: store) }
  /// Creates a store, in an existing directory too.
  package static func createStore(_ store: String) -> Action { Action("createStore", on: store) }
}
