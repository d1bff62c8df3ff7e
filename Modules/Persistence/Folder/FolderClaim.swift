import Rows

/// Makes a folder with files of others a storage.
enum FolderClaim {
  /// Writes the file that says that the folder at `path` is a storage; tables come later, beside the files that are there.
  /// - Throws: `cannotCreate` when it is a storage already.
  static func make(_ path: String, name: String) async throws(Problem) {
    try FolderListing.make(path)
    let lock = try await FolderLock.acquire(path)
    guard try FolderManifest(folder: path) == nil else {
      throw Problem(.cannotCreate, "is a storage already", at: name)
    }
    let sink = try FileSink(path: path + "/bb.json", mode: 0o600)
    try sink.append(FolderManifest().bytes)
    try await sink.commit()
    _ = consume lock
  }
}
