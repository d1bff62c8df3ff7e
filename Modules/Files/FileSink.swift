import Glibc
public import Rows
import Synchronization

/// A file that is published when it is complete: written under a temporary name, synced to disk, renamed.
///
/// The mode of an existing file is kept, that of a new one follows the umask. Until `commit` the old file is unchanged.
/// Safe under kill (the temporary file remains, or is removed by `Temporaries.removeAll`) and power loss (the directory
/// is synced).
public final class FileSink: ByteSink {
  /// The path as it was given.
  public let name: String
  private let target: String
  /// The temporary file next to the target.
  package let temporary: String
  private let descriptor: Int32
  private let state = Mutex(State.open)
  private let written = Mutex(0)
  private let flushed = Mutex<FileStamp?>(nil)
  private let isDurable = Mutex(false)

  private enum State { case open, closed, detached, published, removed }

  /// The error for a file in a directory that does not exist, or takes no files.
  private static func missingDirectory(of path: String) -> Problem {
    let directory = Temporaries.split(path).directory
    if let status = RegularFile.status(directory, follows: true) {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        return Problem(.cannotCreate, "is not a directory", at: directory, hint: "use another directory")
      }
      return Problem(
        .cannotCreate, "files cannot be created in this directory", at: path, hint: "use another directory")
    }
    return Problem(
      .cannotCreate, "no such directory", at: path, hint: "create it with: mkdir -p \(Remedy.shellWord(directory))")
  }

  /// Creates the temporary file in the directory of `path`.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - replaces: whether an existing file may be replaced.
  ///   - mode: of a new file, before the umask.
  ///   - follows: whether the target of a symbolic link is replaced, for a path that the user named.
  /// - Throws: `cannotCreate` for a directory, pipe, link or existing file or a missing directory, `permission`, `io`.
  public init(path: String, replaces: Bool = true, mode: UInt32 = 0o666, follows: Bool = false) throws(Problem) {
    name = path
    target = follows ? try Self.resolved(path) : path
    var mode = mode, keepsMode = false
    if let status = RegularFile.status(target, follows: false) {
      if status.st_mode & S_IFMT == S_IFLNK { throw Beneath.linked(path) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a regular file"
        throw Problem(.cannotCreate, "is \(kind)", at: path)
      }
      guard replaces else {
        throw Problem(.cannotCreate, "already exists", at: path, hint: "use a different file name")
      }
      // The directory permits the replacement, but the owner made the file read-only.
      guard unsafe access(target, W_OK) == 0 else { throw Problem.posix(errno, "write", path) }
      mode = status.st_mode & 0o7777
      keepsMode = true
    } else if errno != ENOENT, errno != ENOTDIR {
      throw Problem.posix(errno, "create", path)
    }
    temporary = Temporaries.name(beside: target)
    descriptor = Temporaries.make(temporary, mode: mode)
    guard descriptor >= 0 else {
      let problem = Problem.posix(errno, "create", path)
      throw problem.kind == .noInput ? Self.missingDirectory(of: path) : problem
    }
    if keepsMode { fchmod(descriptor, mode) }
  }

  deinit { discard() }

  /// Appends to the temporary.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    try bytes.read { (span) throws(Problem) in try append(span) }
  }

  package func append(_ bytes: [UInt8]) throws(Problem) {
    try writeAll(bytes, to: descriptor, place: name)
    written.withLock { $0 += bytes.count }
  }

  package func append(_ bytes: RawSpan) throws(Problem) {
    try writeAll(bytes, to: descriptor, place: name)
    let count = bytes.byteCount
    written.withLock { $0 += count }
  }

  /// Syncs the file, checks its length, renames it, syncs the directory.
  public func commit() async throws(Problem) {
    _ = try flush()
    do throws(Problem) { try publish() } catch {
      guard isPublished else { throw error }
      throw Problem(.io, "the file was written, but then an error occurred: \(error.message)", at: name)
    }
  }

  /// Writes a small file that must not exist.
  package static func write(_ bytes: [UInt8], toMissing path: String) throws(Problem) {
    if try FileStamp.now(at: path) != nil { return }
    let sink = try FileSink(path: path, mode: 0o600)
    try sink.append(bytes)
    _ = try sink.flush()
    try sink.publish()
  }

  /// Closes the temporary, which is flushed by its path afterwards.
  package func close() throws(Problem) { _ = try flush(isSynced: false) }

  /// Flushes the temporary, checks its length and closes it, once: what is left to do is one call.
  /// - Parameter isSynced: whether to wait until it is on the disk; a file that is closed already is opened again.
  /// - Returns: what the file is.
  package func flush(isSynced: Bool = true) throws(Problem) -> FileStamp {
    if let known = flushed.withLock({ $0 }) {
      if isSynced, !isDurable.withLock({ $0 }) { try sync() }
      return known
    }
    guard let status = stat.of(descriptor), Int(status.st_size) == written.withLock({ $0 }) else {
      throw Problem(.io, "the file does not have the length that was written", at: name)
    }
    if isSynced {
      guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", name) }
      isDurable.withLock { $0 = true }
    }
    state.withLock { $0 = .closed }
    guard Glibc.close(descriptor) == 0 else { throw Problem.posix(errno, "close", name) }
    let stamp = FileStamp(status)
    flushed.withLock { $0 = stamp }
    return stamp
  }

  /// Waits until the closed temporary is on the disk.
  private func sync() throws(Problem) {
    let file = try RegularFile.open(temporary, O_RDONLY | O_NOFOLLOW)
    defer { Glibc.close(file) }
    guard fsync(file) == 0 else { throw Problem.posix(errno, "flush", name) }
    isDurable.withLock { $0 = true }
  }

  /// Puts the flushed temporary in its place, and flushes the directory.
  package func publish() throws(Problem) {
    try place()
    try DirectoryListing.flush(Temporaries.split(target).directory)
  }

  /// Puts the flushed temporary in its place; the caller flushes the directory.
  package func place() throws(Problem) {
    guard Temporaries.move(temporary, to: target) else {
      let code = errno
      discard()
      throw Problem.posix(code, "rename", name)
    }
    state.withLock { $0 = .published }
    Temporaries.forget(temporary)
  }

  /// Leaves the synced temporary file, also when this process ends: the caller publishes or removes it.
  package func detach() {
    state.withLock { $0 = .detached }
    Temporaries.forget(temporary)
  }

  /// Whether the file is published, even if the directory could not be synced afterwards.
  package var isPublished: Bool { state.withLock { $0 == .published } }

  /// Whether the temporary, which is flushed, holds the bytes of `file`.
  package func holdsSame(as file: FileByteSource) throws(Problem) -> Bool {
    guard file.size == written.withLock({ $0 }), let one = file.again() else { return false }
    let other = try FileByteSource(path: temporary)
    var a = ArenaBuilder(), b = ArenaBuilder()
    while true {
      a.removeAll()
      b.removeAll()
      while a.room > 0, try one.read(into: &a, limit: a.room) > 0 {}
      while b.room > 0, try other.read(into: &b, limit: b.room) > 0 {}
      guard a.count == b.count, unsafe memcmp(a.base, b.base, a.count) == 0 else { return false }
      if a.count == 0 { return true }
    }
  }

  /// Removes the temporary.
  public func abandon() async { discard() }

  private func discard() {
    let left = state.withLock { state in
      defer { if state == .open || state == .closed { state = .removed } }
      return state
    }
    if left == .open { Glibc.close(descriptor) }
    guard left == .open || left == .closed else { return }
    unsafe unlink(temporary)
    Temporaries.forget(temporary)
  }

  /// Where a symbolic link leads, so that its target is replaced and the link stays; any other path as it is.
  package static func resolved(_ path: String) throws(Problem) -> String {
    var current = path
    for _ in 0..<40 {
      let status = RegularFile.status(current, follows: false)
      guard let status, status.st_mode & S_IFMT == S_IFLNK else { return current }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(current, &buffer, buffer.count)
      guard count > 0, let link = String(validating: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      else {
        throw Problem.posix(errno, "follow the symbolic link", path)
      }
      current = link.hasPrefix("/") ? link : Temporaries.split(current).directory + "/" + link
    }
    throw Problem(.cannotCreate, "symbolic link loop", at: path)
  }
}
