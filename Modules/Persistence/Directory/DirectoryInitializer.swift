import Rows

/// Makes a directory with files of other programs a store.
enum DirectoryInitializer {
  /// Writes the file that says that the directory at `path` is a store; tables come later, beside the files that it has.
  /// - Throws: `cannotCreate` when it is a store already, or is in one.
  static func make(_ path: String, _ format: DirectoryFormat, name: String) async throws(Problem) {
    try ReplacementGuard.checkPlace(ofStore: path, name: name)
    try DirectoryListing.makeStore(path)
    let lock = try await DirectoryStore.lock(path)
    guard try DirectoryStore.manifest(of: path, nil) == nil else {
      throw Problem(.cannotCreate, "already a store", at: name)
    }
    let transaction = DirectoryTransaction(path)
    try transaction.add(DirectoryManifest.name, DirectoryManifest(storage: format.scheme).bytes)
    try transaction.commit(nil)
    _ = consume lock
  }
}
