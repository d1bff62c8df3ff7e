import Glibc
import Synchronization

/// Spares the looking into a cache that is empty: when its folder was not there at first, it holds what this program put in.
final class CacheWritten: Sendable {
  private let folder: String
  private struct State {
    var wasAbsent: Bool?
    var paths: Set<String> = []
  }
  private let state = Mutex(State())

  init(folder: String) { self.folder = folder }

  /// Whether there may be a file at `path`.
  func mayHold(_ path: String) -> Bool {
    state.withLock { state in
      if state.wasAbsent == nil { state.wasAbsent = unsafe access(folder, F_OK) != 0 && errno == ENOENT }
      return state.wasAbsent == false || state.paths.contains(path)
    }
  }

  /// Notes that a file was put at `path`.
  func note(_ path: String) {
    state.withLock { state in
      if state.wasAbsent == true { state.paths.insert(path) }
    }
  }
}

/// An entry until it is put in its place.
struct PendingEntry: Sendable {
  let first: [UInt8]
  let body: [UInt8]
  let path: String
  let seconds: Int64
  let written: CacheWritten

  /// Puts it in its place, whatever was there; false when that could not be done.
  ///
  /// Where nothing was, a file that is torn by a power cut is as good as none: its digest tells. In the place of another goes only one that is on the disk.
  @discardableResult func publish() -> Bool {
    written.note(path)
    if let isWhole = write(path, flushes: false) { return isWhole }
    let temporary = "\(path).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    guard write(temporary, flushes: true) == true else { return false }
    if unsafe rename(temporary, path) == 0 { return true }
    unsafe unlink(temporary)
    return false
  }

  /// Writes the file at `path`, which must not be there: nil when it is. What cannot be written whole is removed.
  private func write(_ path: String, flushes: Bool) -> Bool? {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    var descriptor = unsafe open(path, flags, 0o600)
    if descriptor < 0, errno == ENOENT {
      Self.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      descriptor = unsafe open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { return errno == EEXIST ? nil : false }
    let isWritten = Self.write(first, body, to: descriptor)
    let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    unsafe futimens(descriptor, times)
    let isFlushed = !flushes || fsync(descriptor) == 0
    let isClosed = close(descriptor) == 0
    if isWritten, isFlushed, isClosed { return true }
    unsafe unlink(path)
    return false
  }

  private static func write(_ first: [UInt8], _ second: [UInt8], to descriptor: Int32) -> Bool {
    // Mostly one call writes both; what is left is written by itself.
    var done = unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        let parts = unsafe [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe max(writev(descriptor, parts, 2), 0)
      }
    }
    while done < first.count + second.count {
      let isFirst = done < first.count, bytes = isFirst ? first : second, start = isFirst ? done : done - first.count
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + start, $0.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  private static func makeFolder(_ path: String) {
    if unsafe mkdir(path, 0o700) == 0 || errno != ENOENT { return }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    makeFolder(String(path[..<slash]))
    unsafe mkdir(path, 0o700)
  }
}
