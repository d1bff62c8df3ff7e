import Codecs
import Glibc
import Rows

/// The name of a table's file, and the detection of changes by other programs.
enum TableFileName {
  /// The name of a table's file without its extension: bytes other than letters, digits, `_`, `-` and `.` are written
  /// like `%2F`, and so are names that would hide the file or collide with the directory's own files.
  static func stem(of table: String) -> String {
    table.utf8.enumerated().map { place, byte in
      let isPlain = byte &- 48 < 10 || byte &- 65 < 26 || byte &- 97 < 26 || "_-".utf8.contains(byte)
      let isDot = byte == UInt8(ascii: ".") && place > 0
      return (isPlain || isDot) && !(place == 0 && table == "bb") ? String(UnicodeScalar(byte)) : escaped(byte)
    }.joined()
  }

  /// The table whose file has this stem.
  static func table(of stem: String) -> String {
    PercentCoding.bytes(of: stem).flatMap { String(validating: $0, as: UTF8.self) } ?? stem
  }

  private static func escaped(_ byte: UInt8) -> String {
    (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
  }
}

/// The identity of one state of a file.
struct FileStamp: Hashable, Sendable {
  let device: UInt64, inode: UInt64, size: Int64, seconds: Int64, nanoseconds: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int64(status.st_mtim.tv_sec)
    nanoseconds = Int64(status.st_mtim.tv_nsec)
  }

  /// A stamp as it was written down; nil for anything else.
  init?(_ numbers: [Int64]) {
    guard numbers.count == 5 else { return nil }
    device = UInt64(bitPattern: numbers[0])
    inode = UInt64(bitPattern: numbers[1])
    (size, seconds, nanoseconds) = (numbers[2], numbers[3], numbers[4])
  }

  /// The stamp to be written down.
  var numbers: [Int64] {
    [Int64(bitPattern: device), Int64(bitPattern: inode), size, seconds, nanoseconds]
  }

  /// The current state of `path`; nil if it does not exist.
  static func now(at path: String) throws(Problem) -> FileStamp? {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return FileStamp(status) }
    if errno == ENOENT { return nil }
    throw Problem.posix(errno, "read", path)
  }
}
