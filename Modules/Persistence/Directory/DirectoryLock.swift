import Files
import Glibc
import Rows

/// Holds the lock of a directory store: one process at a time changes it.
///
/// The lock is of a file that is never removed and holds what bb knows about the directory; it goes with the process,
/// however that ends.
struct DirectoryLock: ~Copyable {
  private let descriptor: Int32
  private let file: String
  /// Bytes of the file at most: some hundred for each table.
  private static let limit = 16 << 20

  private init(descriptor: Int32, file: String) {
    self.descriptor = descriptor
    self.file = file
  }

  deinit { close(descriptor) }

  /// The lock of the directory at `path`, whose `.bb` is made when it is missing.
  /// - Throws: `busy` when others hold it all the time that `StoreRules.patience` allows.
  static func acquire(_ path: String) async throws(Problem) -> DirectoryLock {
    try DirectoryListing.make(path)
    try Beneath.make(path, ".bb", mode: 0o700, isDurable: true)
    for name in ["history", "replaced", "parts"] { _ = try Beneath.status(path, ".bb/\(name)") }
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(1)
    while true {
      if let lock = try attempt(path + "/.bb/lock") { return lock }
      if ContinuousClock.now - start > .seconds(StoreRules.patience) {
        throw Problem(
          .busy, "the store is locked by another process", at: path, hint: "run the command again when it has finished")
      }
      do { try await Task.sleep(for: pause) } catch { throw Problem(.cancelled, "interrupted", at: path) }
      pause = min(pause * 2, .milliseconds(25))
    }
  }

  private static func attempt(_ file: String) throws(Problem) -> DirectoryLock? {
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      try RegularFile.check(file)
      throw Problem.posix(code, "open", file)
    }
    let lock = DirectoryLock(descriptor: descriptor, file: file)
    if size(descriptor) == nil { try RegularFile.check(file) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK || errno == EINTR { return nil }
      throw Problem.posix(errno, "lock", file)
    }
    return lock
  }

  /// The bytes of a regular file; nil for anything else.
  private static func size(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  borrowing func bytes() throws(Problem) -> [UInt8] { try Self.bytes(descriptor, file) }

  /// The same for readers; empty also when there is no lock file.
  static func bytes(of path: String) -> [UInt8] {
    let file = path + "/.bb/lock"
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return (try? bytes(descriptor, file)) ?? []
  }

  private static func bytes(_ descriptor: Int32, _ file: String) throws(Problem) -> [UInt8] {
    guard let size = size(descriptor), size <= limit else { return [] }
    var bytes = [UInt8](repeating: 0, count: size), done = 0
    while done < size {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress! + done, size - done, off_t(done))
      }
      if count == 0 { break }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Problem.posix(errno, "read", file) }
      done += count
    }
    return Array(bytes.prefix(done))
  }

  /// Writes down what bb knows now. After a power cut an older text may be there, which is as true as it was then.
  borrowing func remember(_ state: DirectoryState) {
    var bytes = state.bytes
    let size = bytes.count
    // One write over all of the old text, so that what is read is never two texts.
    if let old = Self.size(descriptor), old > Self.limit { ftruncate(descriptor, 0) }
    if let old = Self.size(descriptor), old > size { bytes += Array(repeating: 0x20, count: old - size) }
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    if written == bytes.count { ftruncate(descriptor, off_t(size)) }
  }
}
