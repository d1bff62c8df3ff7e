import Codecs
public import Domain
import Glibc
public import Rows
import Synchronization

/// Files in partitions that appear together: each is written under a temporary name in its own directory; then a list
/// of the renames is made durable, and they are carried out. The next export to the same place completes the renames of
/// a process that was killed between them.
public final class StagedFiles: OutputFileSet {
  /// The list of renames, in the directory above the first placeholder.
  static let pending = ".bb-pending.json"

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
  /// - Throws: `cannotCreate` if files exist that may not; `busy` if another process publishes files there; `io`.
  public init(_ pattern: PathPattern, existing: ExistingFiles) throws(Problem) {
    (self.pattern, self.existing) = (pattern, existing)
    try Self.complete(in: pattern.root)
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

  /// Opens a file under a temporary name; makes its directory.
  public func sink(_ path: String) throws(Problem) -> any ByteSink {
    let directory = Temporaries.split(path).directory
    if state.withLock({ !$0.known.contains(Array(directory.utf8) + [47]) }) {
      try make(directory)
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

  /// Makes the directories above a file that are missing.
  private func make(_ directory: String) throws(Problem) {
    var made = directory.hasPrefix("/") ? "/" : ""
    for part in directory.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + part
      if Temporaries.makeDirectory(made, mode: 0o777) == 0 {
        state.withLock { $0.directories.append(made) }
      } else if errno != EEXIST {
        throw Problem.posix(errno, "create the directory", made)
      }
    }
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
    let needsList = staged.count + obsolete.count > 1, list = "\(pattern.root)/\(Self.pending)"
    if needsList {
      let renames = staged.map { (from: relative($0.sink.temporary), to: relative($0.path)) }
      try Self.write(renames, obsolete.map(relative), to: list)
    }
    if needsList { for (_, sink) in staged { sink.detach() } }
    state.withLock { $0.isOpen = false }
    for (path, sink) in staged {
      guard needsList else {
        try sink.place()
        continue
      }
      guard Temporaries.move(sink.temporary, to: path) else { throw Self.interrupted(errno, path) }
    }
    for path in obsolete where !Temporaries.remove(path) && errno != ENOENT { throw Self.interrupted(errno, path) }
    try Self.flush(directoriesOf: staged.map(\.path) + obsolete, in: pattern.root, isMany: isMany)
    if needsList, Temporaries.remove(list) { try DirectoryListing.flush(pattern.root) }
  }

  /// A path below the root, as the list names it.
  private func relative(_ path: String) -> String {
    for prefix in [pattern.root + "/", "./"] where path.hasPrefix(prefix) {
      return String(path.dropFirst(prefix.count))
    }
    return path
  }

  private static func interrupted(_ code: Int32, _ path: String) -> Problem {
    var problem = Problem.posix(code, "rename", path)
    problem.hint = "run the export again: it completes this one first"
    return problem
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

  // MARK: - Completing an earlier export

  private static func write(
    _ renames: [(from: String, to: String)], _ removals: [String], to path: String
  ) throws(Problem) {
    let object = JSON.object([
      "bb": .number(1), "process": .number(Int64(getpid())),
      "renames": .array(renames.map { .array([.string($0.from), .string($0.to)]) }),
      "removals": .array(removals.map { .string($0) }),
    ])
    let sink = try FileSink(path: path, replaces: false, mode: 0o600)
    try sink.append(object.canonicalBytes + [10])
    _ = try sink.flush()
    try sink.publish()
  }

  /// Carries out the renames that a killed process has left.
  private static func complete(in root: String) throws(Problem) {
    let path = "\(root)/\(pending)"
    if try FileStamp.now(at: path) == nil { return }
    let list = try JSON.parse(try FileByteSource(path: path).bytes(limit: 1 << 30), name: path)
    if let process = list["process"]?.integerValue.flatMap({ pid_t(exactly: $0) }),
      kill(process, 0) == 0 || errno == EPERM
    {
      throw Problem(.busy, "another process is writing there", at: root, hint: "run the command again later")
    }
    func isInside(_ path: String) -> Bool { !path.hasPrefix("/") && !path.split(separator: "/").contains("..") }
    var touched: [String] = []
    for rename in list["renames"]?.arrayValue ?? [] {
      let names = rename.arrayValue?.compactMap(\.stringValue) ?? []
      guard names.count == 2, names.allSatisfy(isInside),
        Temporaries.split(names[0]).directory == Temporaries.split(names[1]).directory
      else { throw Problem(.badData, "invalid list of renames", at: path, hint: "remove it") }
      let target = "\(root)/\(names[1])"
      if !Temporaries.move("\(root)/\(names[0])", to: target), errno != ENOENT { throw interrupted(errno, target) }
      touched.append(target)
    }
    for removal in list["removals"]?.arrayValue?.compactMap(\.stringValue) ?? [] where isInside(removal) {
      let target = "\(root)/\(removal)"
      if !Temporaries.remove(target), errno != ENOENT { throw interrupted(errno, target) }
      touched.append(target)
    }
    try flush(directoriesOf: touched, in: root, isMany: touched.count > 32)
    _ = Temporaries.remove(path)
    try DirectoryListing.flush(root)
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
