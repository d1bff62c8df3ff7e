import Glibc
public import Rows
import Synchronization

/// Writes to an open descriptor or to a device: standard output, `/dev/full`. Written bytes cannot be undone.
public final class DescriptorSink: ByteSink {
  /// The name in messages.
  public let name: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// Where the bytes begin in a file of their own; nil for other outputs.
  private let beginning: off_t?
  private let written = Mutex<off_t>(0)
  /// Whether the bytes of another process follow those that were to be removed.
  private static let isMixed = Mutex(false)
  private static let nullDevice: dev_t = 0x103

  /// Standard output.
  public static var standardOutput: DescriptorSink { DescriptorSink(1, name: "standard output", isOwned: false) }

  /// Standard output from which bytes can be removed: a file that the program alone writes, or the null device.
  /// - Returns: nil if standard output is anything else.
  /// - Throws: `io` if another process wrote to it, so that earlier bytes could not be removed.
  public static func removable() throws(Problem) -> DescriptorSink? {
    if isMixed.withLock({ $0 }) { throw Problem(.io, "another process writes to the file", at: "standard output") }
    guard let output = stat.of(1) else { return nil }
    if output.st_mode & S_IFMT == S_IFCHR, output.st_rdev == nullDevice { return standardOutput }
    let place = lseek(1, 0, SEEK_CUR)
    guard output.st_mode & S_IFMT == S_IFREG, place == output.st_size, fcntl(1, F_GETFL) & O_APPEND == 0,
      let errors = stat.of(2), (errors.st_dev, errors.st_ino) != (output.st_dev, output.st_ino)
    else { return nil }
    return DescriptorSink(1, name: "standard output", isOwned: false, beginning: place)
  }

  private init(_ descriptor: Int32, name: String, isOwned: Bool, beginning: off_t? = nil) {
    (self.descriptor, self.name, self.isOwned, self.beginning) = (descriptor, name, isOwned, beginning)
  }

  /// A device or pipe at `path`, opened for writing.
  public convenience init(device path: String) throws(Problem) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", path) }
    self.init(descriptor, name: path, isOwned: true)
  }

  deinit { if isOwned { close(descriptor) } }

  /// Whether `path` names a device, socket or pipe, which is written to rather than replaced.
  public static func isDevice(_ path: String) -> Bool {
    let status = RegularFile.status(path, follows: true)
    return status.map { [S_IFCHR, S_IFBLK, S_IFIFO].contains($0.st_mode & S_IFMT) } ?? false
  }

  /// Writes all bytes.
  /// - Throws: `endOfPipe` if the reader closed the pipe, otherwise `io`.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let place = name, descriptor = self.descriptor
    try bytes.read { (span) throws(Problem) in try writeAll(span, to: descriptor, place: place) }
    let count = off_t(bytes.count)
    written.withLock { $0 += count }
  }

  /// Sends a file without a copy in this process.
  /// - Returns: how many of its bytes were sent: none if the system cannot do so for this output.
  func send(_ file: TemporaryFile) throws(Problem) -> Int {
    var offset = off_t(0)
    while true {
      let count = unsafe sendfile(descriptor, file.descriptor, &offset, 1 << 30)
      if count == 0 || count < 0 && offset == 0 && (errno == EINVAL || errno == ENOSYS) { return Int(offset) }
      if count < 0 { try waitForRoom(in: descriptor, place: name) }
    }
  }

  /// Nothing is left to do.
  public func commit() async throws(Problem) {}
  /// Removes the bytes from a file. Others remain, as does what another process wrote after them.
  public func abandon() async {
    guard let beginning else { return }
    let end = beginning + written.withLock { $0 }
    guard lseek(descriptor, 0, SEEK_CUR) == end, ftruncate(descriptor, beginning) == 0,
      lseek(descriptor, beginning, SEEK_SET) == beginning
    else { return Self.isMixed.withLock { $0 = true } }
  }
}
