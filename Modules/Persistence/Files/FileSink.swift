import Glibc
public import Rows
import Synchronization

/// A file that appears when it is whole: written beside its place, flushed to the disk, renamed.
///
/// An existing file's mode is kept, a new one's follows the umask; a symbolic link is followed once and its target replaced. Until `commit` the old
/// file is untouched. Safe under kill (the temporary stays behind, or is removed by `Temporaries.removeAll`) and power cut (the folder is flushed).
public final class FileSink: ByteSink {
  /// The path as it was given.
  public let name: String
  private let target: String
  private let temporary: String
  private let descriptor: Int32
  private let state = Mutex(State.open)
  private let written = Mutex(0)

  /// How far the temporary is.
  private enum State { case open, closed, published, removed }

  /// Opens the temporary beside `path`.
  ///
  /// - Parameters:
  ///   - replaces: whether an existing file may be replaced.
  ///   - mode: of a new file, before the umask.
  /// - Throws: `cannotCreate` for a folder, pipe or existing file, `noInput` when the folder is missing, `permission`, `io`.
  public init(path: String, replaces: Bool = true, mode: UInt32 = 0o666) throws(Problem) {
    name = path
    target = try Self.resolved(path)
    var mode = mode, keepsMode = false
    var status = stat()
    if unsafe lstat(target, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "not a regular file"
        throw Problem(.cannotCreate, "is \(kind)", at: path)
      }
      guard replaces else { throw Problem(.cannotCreate, "exists already", at: path, hint: "choose another name") }
      // The folder may let it be replaced; its owner wanted it to stay.
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
      throw problem.kind == .noInput ? Problem(.cannotCreate, "there is no such folder", at: path) : problem
    }
    if keepsMode { fchmod(descriptor, mode) }
  }

  deinit { discard() }

  /// Appends to the temporary.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { try append(bytes) }

  /// Appends text that is small.
  func append(_ bytes: [UInt8]) throws(Problem) {
    var buffer = ByteBuffer(capacity: bytes.count)
    buffer.append(bytes: bytes)
    try append(buffer)
  }

  private func append(_ bytes: borrowing ByteBuffer) throws(Problem) {
    let place = name, descriptor = self.descriptor
    try bytes.read { (span) throws(Problem) in try writeAll(span, to: descriptor, place: place) }
    let count = bytes.count
    written.withLock { $0 += count }
  }

  /// Flushes, checks the length, renames, flushes the folder.
  public func commit() async throws(Problem) {
    _ = try flush()
    try publish()
  }

  /// Flushes the temporary, checks its length and closes it: what is left to do is one call.
  /// - Returns: what the file is.
  func flush() throws(Problem) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, Int(status.st_size) == written.withLock({ $0 }) else {
      throw Problem(.io, "the file has another length than was written", at: name)
    }
    guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", name) }
    state.withLock { $0 = .closed }
    guard close(descriptor) == 0 else { throw Problem.posix(errno, "close", name) }
    return status
  }

  /// Puts the flushed temporary in its place, and flushes the folder.
  func publish() throws(Problem) {
    guard unsafe rename(temporary, target) == 0 else {
      let code = errno
      discard()
      throw Problem.posix(code, "rename", name)
    }
    state.withLock { $0 = .published }
    Temporaries.forget(temporary)
    let folder = unsafe open(Temporaries.split(target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0, errno == EACCES { return }  // A folder that may be written and not read cannot be flushed.
    guard folder >= 0 else { throw Problem.posix(errno, "open the folder of", name) }
    defer { close(folder) }
    if fsync(folder) != 0, errno != EINVAL { throw Problem.posix(errno, "flush the folder of", name) }
  }

  /// Whether it is in its place, also when the folder could not be flushed after that.
  var isPublished: Bool { state.withLock { $0 == .published } }

  /// Whether the temporary, which is flushed, holds the bytes of `file`.
  func holdsSame(as file: FileByteSource) throws(Problem) -> Bool {
    guard file.size == written.withLock({ $0 }), let one = file.again() else { return false }
    let other = try FileByteSource(path: temporary)
    let a = Chunk(), b = Chunk()
    while true {
      (a.count, b.count) = (0, 0)
      while a.count < a.capacity, try one.read(into: a, limit: a.capacity) > 0 {}
      while b.count < b.capacity, try other.read(into: b, limit: b.capacity) > 0 {}
      guard a.count == b.count, unsafe memcmp(a.base, b.base, a.count) == 0 else { return false }
      if a.count == 0 { return true }
    }
  }

  /// Removes the temporary.
  public func abandon() async { discard() }

  private func discard() {
    let left = state.withLock { state in
      defer { if state != .published { state = .removed } }
      return state
    }
    if left == .open { close(descriptor) }
    guard left == .open || left == .closed else { return }
    unsafe unlink(temporary)
    Temporaries.forget(temporary)
  }

  /// Where a symbolic link leads, so that its target is replaced and the link stays; any other path as it is.
  static func resolved(_ path: String) throws(Problem) -> String {
    var current = path
    for _ in 0..<40 {
      var status = stat()
      guard unsafe lstat(current, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return current }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(current, &buffer, buffer.count)
      guard count > 0, let link = String(validating: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      else {
        throw Problem.posix(errno, "follow the link", path)
      }
      current = link.hasPrefix("/") ? link : Temporaries.split(current).folder + "/" + link
    }
    throw Problem(.cannotCreate, "the link leads in a circle", at: path)
  }
}
