import Glibc

/// Small files that only the user can read.
enum PrivateFile {
  /// The bytes of a file, and its time; nil if it is not a regular file, or too large.
  /// - Parameter followsLinks: whether the file may be a symbolic link.
  static func read(_ path: String, followsLinks: Bool = false) -> ([UInt8], Int64)? {
    // Opening a FIFO would otherwise wait for a process that writes to it.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 16 << 20,
      let bytes = bytes(descriptor, at: 0, count: Int(status.st_size))
    else { return nil }
    return (bytes, Int64(status.st_mtim.tv_sec))
  }

  /// Bytes of a file; nil if there are not so many.
  static func bytes(_ descriptor: Int32, at start: Int, count: Int) -> [UInt8]? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let more = unsafe pread(descriptor, buffer.baseAddress! + done, count - done, off_t(start + done))
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { return }
        done += more
      }
    }
    return bytes.count == count ? bytes : nil
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
  static func makeDirectory(of path: String) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let directory = String(path[..<slash])
    if unsafe mkdir(directory, 0o700) == 0 || errno != ENOENT { return }
    makeDirectory(of: directory)
    unsafe mkdir(directory, 0o700)
  }
}
