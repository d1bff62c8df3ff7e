public import Domain
import Files
import Glibc
public import Rows

/// Drafts as files of their owner alone, whatever the umask.
public struct PrivateDrafts: DraftDirectory {
  private let directory: String

  /// Drafts in `directory`, which is made with the first of them.
  public init(directory: String) { self.directory = directory }

  /// Makes a draft, on the disk when this returns.
  public func make(_ text: [UInt8], about name: String) throws(Problem) -> String {
    try DirectoryListing.make(directory)
    let plain = name.utf8.map { byte in
      byte | 32 >= 97 && byte | 32 <= 122 || byte >= 48 && byte <= 57 ? Character(Unicode.Scalar(byte)) : "-"
    }
    let path = "\(directory)/\(String(plain.prefix(60))).\(String(UInt64.random(in: 0 ... .max), radix: 36)).txt"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Problem.posix(errno, "create a draft", path) }
    defer { close(descriptor) }
    try unsafe writeAll(text.span.bytes, to: descriptor, place: path)
    // In the past, so that a save within the same tick of the clock is noticed.
    var times = [timespec(tv_sec: time(nil) - 60, tv_nsec: 0), timespec(tv_sec: time(nil) - 60, tv_nsec: 0)]
    guard unsafe futimens(descriptor, &times) == 0 else { throw Problem.posix(errno, "set the time of", path) }
    guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", path) }
    return path
  }

  /// The file's identity, size and time.
  public func version(of path: String) throws(Problem) -> [Int64] { try FileStamp.now(at: path)?.numbers ?? [] }

  /// The text of a draft.
  public func text(at path: String) throws(Problem) -> [UInt8] {
    let bytes = try FileByteSource(path: path).bytes(limit: FileLimit.draft)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Problem(.badData, "invalid UTF-8", at: path, hint: "save it as UTF-8")
    }
    return bytes
  }

  /// Removes a draft, and the files that editors leave next to it.
  public func remove(_ path: String) {
    unsafe unlink(path)
    unsafe unlink(path + "~")
  }
}
