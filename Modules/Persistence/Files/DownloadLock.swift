import Files
import Glibc
import Rows
import Synchronization

/// The lock of a download: against other processes until the object is released, and against other tasks of this one
/// until it is shared.
final class DownloadLock: Sendable {
  /// A lock of this process, which may read a file several times.
  private struct Holder {
    weak var lock: DownloadLock?
    var isExclusive: Bool
  }
  private static let holders = Mutex<[String: Holder]>([:])

  private let path: String
  private let descriptor: Int32

  private init(_ path: String) throws(Problem) {
    self.path = path
    descriptor = try RegularFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, action: "create")
  }

  deinit { close(descriptor) }

  /// The lock with the file at `path`.
  /// - Throws: `busy` if it is not free within `patience`; `cancelled`, `permission`, `io`.
  static func acquire(_ path: String, _ patience: Duration) async throws(Problem) -> DownloadLock {
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(1)
    while true {
      if let lock = try attempt(path) { return lock }
      guard ContinuousClock.now - start < patience else {
        throw Problem(.busy, "another process is downloading or reading the file", hint: "run the command again later")
      }
      do { try await Task.sleep(for: pause) } catch { throw Problem(.cancelled, "interrupted", at: path) }
      pause = min(pause * 2, .milliseconds(100))
    }
  }

  private static func attempt(_ path: String) throws(Problem) -> DownloadLock? {
    try holders.withLock { (holders) throws(Problem) in
      if let holder = holders[path], let own = holder.lock {
        if holder.isExclusive { return nil }
        holders[path]?.isExclusive = true
        return own
      }
      let lock = try DownloadLock(path)
      guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
      holders[path] = Holder(lock: lock, isExclusive: true)
      return lock
    }
  }

  /// Lets other tasks of this process acquire the lock.
  func share() { Self.holders.withLock { $0[path]?.isExclusive = false } }
}
