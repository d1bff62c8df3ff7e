import Files
import Rows

/// Makes a directory with files of other programs a store.
enum DirectoryInitializer {
  /// Writes the manifest that makes the directory at `path` a store; tables are added later, next to existing files.
  /// - Throws: `cannotCreate` if it is already a store, or inside one.
  static func make(_ path: String, _ format: DirectoryFormat, name: String) async throws(Problem) {
    try ReplacementGuard.checkPlace(ofStore: path, name: name)
    try DirectoryListing.makeStore(path)
    let lock = try await DirectoryStore.lock(path)
    guard try DirectoryStore.manifest(of: path, nil) == nil else {
      throw Problem(.cannotCreate, "already a store", at: name)
    }
    let transaction = DirectoryTransaction(path)
    try transaction.add(DirectoryManifest.name, DirectoryManifest(storage: format.scheme).bytes)
    do throws(Problem) { try transaction.commit(nil) } catch {
      throw transaction.isPublished ? error.afterSaving("the new store") : error
    }
    _ = consume lock
  }
}
