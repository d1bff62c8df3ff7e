import Domain
import Files
import Glibc
import Rows
import Synchronization

/// The right to create and replace files in a directory, of one process at a time; it goes with the process.
final class PublishingLock: Sendable {
  private struct Directory: Hashable {
    let device: dev_t, number: ino_t
  }
  private struct Holder {
    weak var lock: PublishingLock?
  }
  /// The rights that outputs of this process share.
  private static let shared = Mutex<[Directory: Holder]>([:])
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits for the right; nil if there is no directory yet, or its file system has no locks.
  /// - Parameter isShared: whether several outputs of this process may have it at a time.
  /// - Throws: `busy` if others have it all the time that `StoreRules.patience` allows.
  static func wait(for root: String, isShared: Bool = false) async throws(Problem) -> PublishingLock? {
    guard let descriptor = try Beneath.open(root, ".", O_RDONLY | O_DIRECTORY) else { return nil }
    var status = stat()
    unsafe fstat(descriptor, &status)
    let lock = PublishingLock(descriptor), directory = Directory(device: status.st_dev, number: status.st_ino)
    let end = ContinuousClock.now + .seconds(StoreRules.patience)
    while true {
      if isShared, let known = shared.withLock({ $0[directory]?.lock }) { return known }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { break }
      guard errno == EWOULDBLOCK || errno == EINTR else { return nil }
      guard ContinuousClock.now < end else { throw PendingChanges.busy(root) }
      do { try await Task.sleep(for: .milliseconds(10)) } catch { throw Problem(.cancelled, "interrupted", at: root) }
    }
    if isShared { shared.withLock { $0[directory] = Holder(lock: lock) } }
    return lock
  }

  /// Waits for the right to change a file that the user named, which several outputs of this process share.
  static func wait(forFile path: String) async throws(Problem) -> PublishingLock? {
    try await wait(for: Temporaries.split(try FileSink.resolved(path)).directory, isShared: true)
  }
}
