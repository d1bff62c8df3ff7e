package import Glibc
package import Rows

/// The identity of one state of a file.
package struct FileStamp: Hashable, Sendable {
  package let device: UInt64, inode: UInt64, size: Int64, seconds: Int64, nanoseconds: Int64

  package init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }

  /// A stamp as it was written down; nil for anything else.
  package init?(_ numbers: [Int64]) {
    guard numbers.count == 5 else { return nil }
    device = UInt64(bitPattern: numbers[0])
    inode = UInt64(bitPattern: numbers[1])
    (size, seconds, nanoseconds) = (numbers[2], numbers[3], numbers[4])
  }

  package var numbers: [Int64] {
    [Int64(bitPattern: device), Int64(bitPattern: inode), size, seconds, nanoseconds]
  }

  /// The current state of `path`; nil if it does not exist.
  package static func now(at path: String) throws(Problem) -> FileStamp? {
    if let status = RegularFile.status(path, follows: true) { return FileStamp(status) }
    if errno == ENOENT { return nil }
    throw Problem.posix(errno, "read", path)
  }

  /// Whether it is the same file of the same size.
  package func isFile(of other: FileStamp) -> Bool {
    device == other.device && inode == other.inode && size == other.size
  }
}

extension stat {
  /// The state of an open file; nil after an error.
  static func of(_ descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }
}
