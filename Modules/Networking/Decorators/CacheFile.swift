import Glibc

/// An entry and the file it is kept in.
struct CacheFile: Sendable {
  let path: String
  let entry: CacheEntry

  /// Publishes the file, replacing an existing one. Returns false on failure.
  ///
  /// A new file that is torn by power loss is ignored, because its digest does not match. An existing file is replaced
  /// only by one that was synced to disk.
  func publish() -> Bool {
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
      Self.makeTemporaryDirectory(of: path)
      descriptor = unsafe open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { return errno == EEXIST ? nil : false }
    let isWritten = Self.write(entry.head, entry.body, to: descriptor)
    let time = timespec(tv_sec: Int(entry.seconds), tv_nsec: 0), times = [time, time]
    unsafe futimens(descriptor, times)
    let isFlushed = !flushes || fsync(descriptor) == 0
    let isClosed = close(descriptor) == 0
    if isWritten, isFlushed, isClosed { return true }
    unsafe unlink(path)
    return false
  }

  /// Writes both arrays. Returns false if not everything could be written.
  static func write(_ first: [UInt8], _ second: [UInt8], to descriptor: Int32) -> Bool {
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

  /// Creates the private directory of a file, and its parents.
  static func makeTemporaryDirectory(of path: String) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let directory = String(path[..<slash])
    if unsafe mkdir(directory, 0o700) == 0 || errno != ENOENT { return }
    makeTemporaryDirectory(of: directory)
    unsafe mkdir(directory, 0o700)
  }
}
