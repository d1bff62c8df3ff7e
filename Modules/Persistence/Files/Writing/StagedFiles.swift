import Codecs
public import Domain
import Glibc
public import Rows
import Synchronization

/// Files in partitions that appear together: each is written under a temporary name in its own directory; then a list
/// of the renames is made durable, and they are carried out. The next export to the same place completes the renames of
/// a process that was killed between them. Links below the directory of the list are not followed.
public final class StagedFiles: OutputFileSet {
  private let pattern: PathPattern
  private let existing: ExistingFiles
  private let state = Mutex(State())

  private struct State {
    var files: [(path: String, sink: FileSink)] = []
    var directories: [String] = []
    /// By their bytes: é in one code point and in two are two names.
    var known: Set<[UInt8]> = []
    var isOpen = true
  }

  /// Completes an earlier export to the same place.
  /// - Throws: `cannotCreate` if files exist that may not; the errors of `PendingChanges.complete`.
  public init(_ pattern: PathPattern, existing: ExistingFiles) throws(Problem) {
    (self.pattern, self.existing) = (pattern, existing)
    try PendingChanges.complete(pattern)
    try Self.check(pattern, existing)
  }

  /// Refuses earlier files that must not exist.
  static func check(_ pattern: PathPattern, _ existing: ExistingFiles) throws(Problem) {
    guard existing == .refuse, let file = try FilePattern.matches(pattern.glob()).first else { return }
    throw Problem(
      .cannotCreate, "already exists", at: file,
      hint: .set(.existingOutput, to: "append", "replace", "replace-partitions"))
  }

  /// Whether a path can be written: not in this export, and no file is there that is kept.
  public func isFree(_ path: String) -> Bool {
    if state.withLock({ $0.known.contains(Array(path.utf8)) }) { return false }
    return existing != .append || (try? FileStamp.now(at: path)) == nil
  }

  /// Whether the pattern matches a file.
  public func hasEarlier() throws(Problem) -> Bool { try !FilePattern.matches(pattern.glob()).isEmpty }

  /// Opens a file under a temporary name; makes its directory.
  public func sink(_ path: String) throws(Problem) -> any ByteSink {
    let directory = Temporaries.split(path).directory
    if state.withLock({ !$0.known.contains(Array(directory.utf8) + [47]) }) {
      let above = path.below(pattern.root), root = pattern.root
      try ReplacementGuard.check(path)
      let made =
        try DirectoryListing.makeAll(root) + Beneath.make(root, Temporaries.split(above).directory, mode: 0o777)
      state.withLock { $0.directories += made }
      DirectoryListing.removeLeftovers(directory)
      state.withLock { _ = $0.known.insert(Array(directory.utf8) + [47]) }
    }
    try ReplacementGuard.check(path)
    let sink = try FileSink(path: path)
    state.withLock {
      $0.known.insert(Array(path.utf8))
      $0.files.append((path, sink))
    }
    return StagedFile(sink)
  }

  // MARK: - Publishing

  /// Renames all files, and removes those that they replace.
  public func publish(_ files: [PartitionFile], of schema: Schema) async throws(Problem) {
    let staged = state.withLock { $0.files }
    try Self.check(pattern, existing)
    let obsolete = try obsolete(files)
    guard !staged.isEmpty || !obsolete.isEmpty else { return }
    let isMany = staged.count > 32
    for (_, sink) in staged { _ = try sink.flush(isSynced: !isMany) }
    if isMany { try DirectoryListing.flush(pattern.root, isWhole: true) }
    let changes = try changes(staged, obsolete)
    guard changes.count > 1 else {
      state.withLock { $0.isOpen = false }
      for (_, sink) in staged { try sink.place() }
      for change in changes where change.from == nil { try change.make(in: pattern.root) }
      return try Self.flush(directoriesOf: staged.map(\.path) + obsolete, in: pattern.root, isMany: isMany)
    }
    // A list that a process left since this export began.
    try PendingChanges.complete(pattern)
    let list = try PendingChanges(changes, of: pattern)
    for (_, sink) in staged { sink.detach() }
    state.withLock { $0.isOpen = false }
    for change in changes { try change.make(in: pattern.root) }
    try Self.flush(directoriesOf: staged.map(\.path) + obsolete, in: pattern.root, isMany: isMany)
    try list.finish()
  }

  /// The renames and removals of an export.
  private func changes(
    _ staged: [(path: String, sink: FileSink)], _ obsolete: [String]
  ) throws(Problem) -> [PendingChanges.Entry] {
    let root = pattern.root
    var changes: [PendingChanges.Entry] = []
    for (path, sink) in staged {
      let name = path.below(root)
      _ = try Beneath.file(root, name)
      changes.append(
        PendingChanges.Entry(from: Temporaries.split(sink.temporary).name, path: name, file: try sink.flush()))
    }
    for path in obsolete {
      let name = path.below(root)
      guard let file = try Beneath.file(root, name) else { continue }
      changes.append(PendingChanges.Entry(from: nil, path: name, file: file))
    }
    return changes
  }

  private static func flush(directoriesOf paths: [String], in root: String, isMany: Bool) throws(Problem) {
    if isMany { return try DirectoryListing.flush(root, isWhole: true) }
    for directory in Set(paths.map { Array(Temporaries.split($0).directory.utf8) }) {
      try DirectoryListing.flush(String(decoding: directory, as: UTF8.self))
    }
  }

  /// Earlier files that are removed.
  private func obsolete(_ files: [PartitionFile]) throws(Problem) -> [String] {
    var patterns: Set<[UInt8]> = []
    switch existing {
    case .refuse, .append: return []
    case .replace: patterns = [Array(pattern.glob().utf8)]
    case .replacePartitions: for file in files { patterns.insert(Array(pattern.glob(file.values).utf8)) }
    }
    let written = Set(files.map { Array($0.path.utf8) })
    var found: [String] = []
    for pattern in patterns {
      let files = try FilePattern.matches(String(decoding: pattern, as: UTF8.self))
      found += files.filter { !written.contains(Array($0.utf8)) }
    }
    return found
  }

  /// Removes what was written, and the directories made for it.
  public func abandon() async {
    let (files, directories) = state.withLock { state in
      defer { (state.files, state.directories) = ([], []) }
      return state.isOpen ? (state.files, state.directories) : ([], [])
    }
    for (_, sink) in files { await sink.abandon() }
    for directory in directories.reversed() { _ = Temporaries.remove(directory) }
  }
}

/// A file that is complete, but not visible, after `commit`.
final class StagedFile: ByteSink {
  var name: String { inner.name }
  private let inner: FileSink

  init(_ inner: FileSink) { self.inner = inner }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { try await inner.write(bytes) }
  func commit() async throws(Problem) { try inner.close() }
  func abandon() async { await inner.abandon() }
}
