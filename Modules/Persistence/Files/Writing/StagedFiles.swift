public import Domain
import Files
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
    var files: [Staged] = []
    var directories: [String] = []
    /// By their bytes: é in one code point and in two are two names.
    var known: Set<[UInt8]> = []
    var isOpen = true
  }

  /// A file that is complete under a temporary name.
  private struct Staged {
    var path: String
    let sink: FileSink
    /// Its temporary name, if that is not the sink's.
    var moved: String?
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
      $0.files.append(Staged(path: path, sink: sink))
    }
    return StagedFile(sink)
  }

  // MARK: - Publishing

  /// Renames all files, and removes those that they replace.
  public func publish(
    _ files: [PartitionFile], of schema: Schema,
    numbered: (_ file: PartitionFile, _ number: Int) throws(Problem) -> String?
  ) async throws(Problem) -> [PartitionFile] {
    let isMany = state.withLock { $0.files.count } > 32
    for file in state.withLock({ $0.files }) { _ = try file.sink.flush(isSynced: !isMany) }
    if isMany { try DirectoryListing.flush(pattern.root, isWhole: true) }
    // Names are chosen, and files replaced, by one process at a time.
    let lock = try await PublishingLock.wait(for: pattern.root)
    defer { withExtendedLifetime(lock) {} }
    try PendingChanges.complete(pattern)
    try Self.check(pattern, existing)
    let files = existing == .append ? try renumbered(files, numbered) : files
    let staged = state.withLock { $0.files }, obsolete = try obsolete(files)
    guard !staged.isEmpty || !obsolete.isEmpty else { return files }
    let changes = try changes(staged, obsolete),
      list = changes.count > 1 ? try PendingChanges(changes, of: pattern) : nil
    for file in staged { file.sink.detach() }
    state.withLock { $0.isOpen = false }
    do throws(Problem) {
      for change in changes { try change.make(in: pattern.root) }
    } catch {
      // Files that are not on a list are completed by no export.
      if list == nil { for file in staged { _ = Temporaries.remove(file.moved ?? file.sink.temporary) } }
      throw error
    }
    try Self.flush(directoriesOf: staged.map(\.path) + obsolete, in: pattern.root, isMany: isMany)
    try list?.finish()
    return files
  }

  /// Gives files whose names other processes have used since others.
  private func renumbered(
    _ files: [PartitionFile], _ numbered: (PartitionFile, Int) throws(Problem) -> String?
  ) throws(Problem) -> [PartitionFile] {
    var files = files, staged = state.withLock { $0.files }
    var taken = Set(staged.map { Array($0.path.utf8) })
    for place in staged.indices {
      let old = staged[place].path
      guard try FileStamp.now(at: old) != nil,
        let known = files.firstIndex(where: { $0.path.utf8.elementsEqual(old.utf8) })
      else { continue }
      var number = 0, path = old
      while true {
        if path != old, !taken.contains(Array(path.utf8)), try FileStamp.now(at: path) == nil { break }
        guard let next = try numbered(files[known], number) else {
          throw Problem(.cannotCreate, "already exists", at: old, hint: "add {n} to the path")
        }
        (path, number) = (next, number + 1)
      }
      taken.insert(Array(path.utf8))
      let (directory, name) = Temporaries.split(path), moved = Temporaries.name(beside: path)
      guard directory.utf8.elementsEqual(Temporaries.split(old).directory.utf8) else {
        throw Problem(.busy, "another process has written it since", at: old, hint: "run the command again")
      }
      Temporaries.expect(moved)
      let from = Temporaries.split(staged[place].sink.temporary).name
      guard Beneath.move(directory, from, to: Temporaries.split(moved).name) else {
        throw Problem.posix(errno, "rename", "\(directory)/\(name)")
      }
      (staged[place].path, staged[place].moved, files[known].path) = (path, moved, path)
      state.withLock { [staged] in $0.files = staged }
    }
    return files
  }

  /// The renames and removals of an export.
  private func changes(_ staged: [Staged], _ obsolete: [String]) throws(Problem) -> [PendingChanges.Entry] {
    let root = pattern.root
    var changes: [PendingChanges.Entry] = []
    for file in staged {
      let name = file.path.below(root)
      _ = try Beneath.file(root, name)
      let from = Temporaries.split(file.moved ?? file.sink.temporary).name
      changes.append(PendingChanges.Entry(from: from, path: name, file: try file.sink.flush()))
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
    for file in files {
      await file.sink.abandon()
      if let moved = file.moved, Temporaries.remove(moved) { Temporaries.forget(moved) }
    }
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
