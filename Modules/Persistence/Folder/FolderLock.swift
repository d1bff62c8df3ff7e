import Glibc
import Rows

/// Holds the lock of a folder: one program at a time reads, changes and writes it.
///
/// The lock is of a file that is never removed and holds what bb knows about the folder; it goes with the process, however that ends.
struct FolderLock: ~Copyable {
  private let descriptor: Int32
  /// The folder's own files.
  private let folder: String

  private init(descriptor: Int32, folder: String) {
    self.descriptor = descriptor
    self.folder = folder
  }

  deinit { close(descriptor) }

  /// The lock of the folder at `path`, whose `.bb` is made when it is missing.
  /// - Throws: `busy` when others hold it all the time that `StoreRules.patience` says.
  static func acquire(_ path: String) async throws(Problem) -> FolderLock {
    let folder = path + "/.bb"
    if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw Problem.posix(errno, "make the folder", folder) }
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(1)
    while true {
      if let lock = try attempt(folder, creating: true) { return lock }
      if ContinuousClock.now - start > .seconds(StoreRules.patience) {
        throw Problem(.busy, "the storage is in use by another program", at: path, hint: "run again when it is done")
      }
      do { try await Task.sleep(for: pause) } catch { throw Problem(.cancelled, "the wait was given up", at: path) }
      pause = min(pause * 2, .milliseconds(25))
    }
  }

  /// The lock, when nobody holds it and it can be had.
  static func ifFree(_ path: String) -> FolderLock? {
    let lock = try? attempt(path + "/.bb", creating: false)
    return lock ?? nil
  }

  private static func attempt(_ folder: String, creating: Bool) throws(Problem) -> FolderLock? {
    let file = folder + "/lock"
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0)
    let descriptor = unsafe open(file, flags, 0o600)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", file) }
    let lock = FolderLock(descriptor: descriptor, folder: folder)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK || errno == EINTR { return nil }
      throw Problem.posix(errno, "lock", file)
    }
    return lock
  }

  /// What bb knew when it left the folder; nil when that is not known.
  borrowing func state() throws(Problem) -> FolderState? { try Self.state(in: descriptor, folder + "/lock") }

  /// The same for who only reads; nil also when there is no lock file.
  static func state(of path: String) -> FolderState? {
    let file = path + "/.bb/lock"
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return try? state(in: descriptor, file)
  }

  private static func state(in descriptor: Int32, _ file: String) throws(Problem) -> FolderState? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      if count == 0 { break }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Problem.posix(errno, "read", file) }
      bytes += buffer[..<count]
    }
    return FolderState(bytes)
  }

  /// Writes down what bb knows now. After a power cut an older text may be there, which is as true as it was then.
  borrowing func remember(_ state: FolderState, flushing: Bool = false) {
    var bytes = state.bytes
    let size = bytes.count
    // One write over all of the old text, so that what is read is never two texts.
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, Int(status.st_size) > size {
      bytes += Array(repeating: 0x20, count: Int(status.st_size) - size)
    }
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    if written == bytes.count { ftruncate(descriptor, off_t(size)) }
    if flushing { fsync(descriptor) }
  }
}
