public import Codecs
public import Domain
public import Rows

/// The data files of a Delta table that no recent version needs: those of removed or replaced rows, and those of
/// exports that were killed.
public struct DeltaVacuum: Sendable {
  private let storage: any TableStorage

  /// The table in `storage`.
  public init(_ storage: any TableStorage) { self.storage = storage }

  /// The files that the latest version does not name, and that were both written and removed from the table before an
  /// instant, in byte order of their paths.
  /// - Throws: `noInput` if there is no table; `badData` for a damaged log, and for unsupported features; the errors of
  ///   the storage.
  public func unusedFiles(before limit: Instant) async throws(Problem) -> [StoredObject] {
    // Listed before the log is read, so that the log names every listed file that was committed.
    let found: [StoredObject]
    let root = storage.root
    let needs = try await IcebergTable(storage).needs()
    var state = DeltaReplay(root: root, keepsStatistics: false), removals: [[UInt8]: Int64] = [:]
    do throws(Problem) {
      found = try await storage.dataFiles()
      let version = try await DeltaLog(storage: storage).replay(at: nil, ["protocol", "metaData", "add", "remove"]) {
        (action) throws(Problem) in
        try state.apply(action)
        guard let remove = action["remove"],
          let path = remove["path"]?.stringValue.flatMap({ try? DeltaPath.file($0, in: root) })
        else { return }
        removals[Array(path.utf8)] = remove["deletionTimestamp"]?.integerValue ?? 0
      }
      guard let version else { throw Problem(.noInput, "no Delta table") }
      let snapshot = try state.snapshot(version)
      try snapshot.protocolVersions.checkWriting(snapshot.metadata)
      for file in snapshot.files { removals[Array(file.path.utf8)] = .max }
    } catch {
      throw error.located(at: storage.name)
    }
    return found.filter { file in
      guard let modified = file.modified, modified < limit, !needs.metadata(file.key) else { return false }
      return removals[Array(file.key.utf8)].map { $0 < min(limit.seconds * 1000, needs.since) } ?? true
    }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Removes a file that `unusedFiles(before:)` returned.
  /// - Throws: the errors of the storage.
  public func remove(_ file: StoredObject) async throws(Problem) { try await storage.remove(file.key) }
}
