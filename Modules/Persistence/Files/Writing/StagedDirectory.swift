internal import CSystem
import Codecs
public import Domain
import Files
import Glibc
public import Rows
import Synchronization

/// A directory that is written under a temporary name and then exchanged with the one that it replaces.
///
/// Its list, a file that names all others, tells that bb made it: a directory without it, or with other files, is never
/// replaced.
public final class StagedDirectory: OutputDirectory {
  private let name: String
  private let target: String
  private let temporary: String
  private let state = Mutex(State())

  private struct State {
    var files: Set<String> = []
    var directories: Set<String> = []
    var bytes = 0
    var isOpen = true
  }

  /// The file that names the others.
  private let list: String
  private static let format: Int64 = 1

  /// Creates the temporary directory next to `path`.
  /// - Parameters:
  ///   - path: the directory.
  ///   - list: the path in it of the list of its files.
  ///   - replaces: whether a directory that bb made may be replaced.
  /// - Throws: `cannotCreate` for a file, for a directory that bb did not make, and for a missing parent; `permission`,
  ///   `io`.
  public init(path: String, list: String, replaces: Bool) throws(Problem) {
    var given = path
    while given.count > 1, given.last == "/" { given.removeLast() }
    name = given
    let resolved = try FileSink.resolved(given), last = Temporaries.split(resolved).name
    if ["", ".", "..", "/"].contains(last) {
      throw Problem(.cannotCreate, "cannot replace this directory", at: path, hint: "name a directory in it")
    }
    (target, self.list) = (resolved, list)
    try ReplacementGuard.checkPlace(inStore: resolved, isItself: true, name: given)
    _ = try Self.contents(of: resolved, list: list, name: given, replaces: replaces)
    Self.removeLeftovers(of: resolved)
    temporary = Temporaries.name(beside: resolved)
    guard Temporaries.makeTree(temporary) == 0 else {
      let problem = Problem.posix(errno, "create the directory", given)
      throw problem.kind == .noInput
        ? Problem(.cannotCreate, "the parent directory does not exist", at: given) : problem
    }
  }

  deinit { abandon() }

  /// The number of bytes written so far.
  public var bytes: Int { state.withLock { $0.bytes } }

  // MARK: - Writing

  /// Writes a file.
  public func write(_ bytes: [UInt8], to path: String) throws(Problem) {
    let descriptor = try create(path)
    defer { Glibc.close(descriptor) }
    try writeAll(bytes, to: descriptor, place: "\(name)/\(path)")
    state.withLock { $0.bytes += bytes.count }
  }

  /// Opens a file for writing.
  public func sink(_ path: String) throws(Problem) -> any ByteSink {
    try register(path)
    return try FileSink(path: "\(temporary)/\(path)", replaces: false)
  }

  /// Copies an image.
  public func copy(image file: String, to path: String) throws(Problem) -> String? {
    let source: FileByteSource
    do throws(Problem) { source = try FileByteSource(path: file) } catch {
      if error.kind == .noInput || error.kind == .badData || error.kind == .permission { return nil }
      throw error
    }
    guard let size = source.size, size <= FileLimit.image else { return nil }
    let bytes = try source.bytes(limit: FileLimit.image)
    guard let kind = ImageKind(beginning: Array(bytes.prefix(64))) else { return nil }
    let copy = "\(path).\(kind.fileExtension)"
    try write(bytes, to: copy)
    return copy
  }

  /// Counts a file among those of the directory, and creates the directories above it.
  private func register(_ path: String) throws(Problem) {
    let above = Temporaries.split(path).directory
    let (isNew, needsAbove) = state.withLock { state in
      (state.files.insert(path).inserted, above != "." && !state.directories.contains(above))
    }
    guard isNew else { throw Problem(.bug, "internal error: \(path) is written a second time") }
    guard needsAbove else { return }
    var made = ""
    for part in above.split(at: "/") {
      made += made.isEmpty ? String(part) : "/\(part)"
      guard Temporaries.makeDirectory("\(temporary)/\(made)", mode: 0o777) == 0 || errno == EEXIST else {
        throw Problem.posix(errno, "create the directory", "\(name)/\(made)")
      }
      state.withLock { _ = $0.directories.insert(made) }
    }
  }

  private func create(_ path: String) throws(Problem) -> Int32 {
    try register(path)
    let file = "\(temporary)/\(path)", descriptor = Temporaries.make(file, mode: 0o666)
    guard descriptor >= 0 else { throw Problem.posix(errno, "create", "\(name)/\(path)") }
    // It is removed with its directory.
    Temporaries.forget(file)
    return descriptor
  }

  // MARK: - Publishing

  /// Publishes the directory in place of an earlier one.
  public func commit() async throws(Problem) {
    let files = state.withLock { $0.files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } } + [list]
    let names = JSON.object([
      "format": .number(Self.format), "kind": .string("bb-site"), "files": .array(files.map { .string($0) }),
    ])
    try write(names.canonicalBytes + [10], to: list)
    try DirectoryListing.flush(temporary, isWhole: true)
    // What appeared since the beginning is not lost either.
    let old = try Self.contents(of: target, list: list, name: name, replaces: true)
    guard move(temporary, to: target, exchanges: old != nil) else {
      throw Problem.posix(errno, old == nil ? "create" : "replace", name)
    }
    state.withLock { $0.isOpen = false }
    Temporaries.forgetTree(temporary)
    if let old { remove(old) }
    try DirectoryListing.flush(Temporaries.split(target).directory)
  }

  private func move(_ directory: String, to target: String, exchanges: Bool = false) -> Bool {
    unsafe bb_publish_directory(directory, target, exchanges ? 1 : 0, Temporaries.name(beside: target)) == 0
  }

  /// Removes the earlier directory, which has the temporary name now. Only the files of its list: others that were
  /// added since they were checked stay in `NAME.old`.
  private func remove(_ files: [String]) {
    for entry in files { _ = Beneath.move(temporary, entry, to: nil) }
    for entry in Self.directories(above: files) { _ = Temporaries.remove("\(temporary)/\(entry)") }
    if !Temporaries.remove(temporary) { _ = move(temporary, to: target + ".old") }
  }

  /// Removes what was written.
  public func abandon() {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard wasOpen else { return }
    DirectoryListing.removeAll(temporary)
    Temporaries.forgetTree(temporary)
  }

  // MARK: - The directory that is replaced

  /// The files of the directory at `path`; nil if there is none, or an empty one.
  /// - Throws: `cannotCreate` for anything that bb did not make.
  private static func contents(
    of path: String, list: String, name: String, replaces: Bool
  ) throws(Problem) -> [String]? {
    let names: [String]
    do throws(Problem) { names = try DirectoryListing.names(path) ?? [] } catch {
      throw error.kind == .badData ? Problem(.cannotCreate, "is not a directory", at: name) : error
    }
    if names.isEmpty { return nil }
    guard replaces else {
      throw Problem(.cannotCreate, "already exists", at: name, hint: "use a different directory name")
    }
    guard let files = try listed(in: path, list) else {
      throw Problem(
        .cannotCreate, "refusing to replace a directory that bb did not create", at: name,
        hint: "use a different directory name")
    }
    let known = Set(files), directories = Set(directories(above: files))
    try check(path, "", known, directories, name: name)
    return files
  }

  /// Refuses a directory with files that are not in its list.
  private static func check(
    _ path: String, _ prefix: String, _ files: Set<String>, _ directories: Set<String>, name: String
  ) throws(Problem) {
    for entry in try DirectoryListing.names("\(path)/\(prefix)") ?? [] {
      let inner = prefix + entry
      if directories.contains(inner) {
        try check(path, "\(inner)/", files, directories, name: name)
      } else if !files.contains(inner) {
        throw Problem(
          .cannotCreate, "refusing to replace a directory with a file that bb did not create", at: "\(name)/\(inner)",
          hint: "move the file, or use a different directory name")
      }
    }
  }

  /// The files in the list of a directory; nil if bb did not make it.
  private static func listed(in path: String, _ name: String) throws(Problem) -> [String]? {
    guard try Beneath.file(path, name) != nil, let source = try? FileByteSource(path: "\(path)/\(name)"),
      let bytes = try? source.bytes(limit: FileLimit.imageList), let list = try? JSON.parse(bytes, name: name),
      list["kind"]?.stringValue == "bb-site", let format = list["format"]?.integerValue,
      (1...Self.format).contains(format)
    else { return nil }
    let files = (list["files"]?.arrayValue ?? []).compactMap(\.stringValue)
    // Neither a file nor a directory above it is a link.
    for file in files { _ = try Beneath.file(path, file) }
    return files.contains(name) ? files : nil
  }

  /// The directories above files, the innermost first.
  private static func directories(above files: [String]) -> [String] {
    var directories: Set<String> = []
    for file in files {
      var above = Temporaries.split(file).directory
      while above != ".", directories.insert(above).inserted { above = Temporaries.split(above).directory }
    }
    return directories.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// Removes the temporary directories of processes that were killed.
  private static func removeLeftovers(of target: String) {
    let (directory, name) = Temporaries.split(target)
    for entry in (try? DirectoryListing.names(directory)) ?? [] where entry.hasPrefix(".\(name).tmp.") {
      let parts = entry.split(at: ".")
      guard parts.count >= 3, let process = pid_t(parts[parts.count - 2]), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      DirectoryListing.removeAll("\(directory)/\(entry)")
    }
  }
}
