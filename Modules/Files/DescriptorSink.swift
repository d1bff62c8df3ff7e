import Glibc
public import Rows

/// Writes to an open descriptor or to a device: standard output, `/dev/full`. Written bytes cannot be undone.
public final class DescriptorSink: ByteSink {
  /// The name in messages.
  public let name: String
  private let descriptor: Int32
  private let isOwned: Bool

  /// Standard output.
  public static var standardOutput: DescriptorSink { DescriptorSink(1, name: "standard output", isOwned: false) }

  private init(_ descriptor: Int32, name: String, isOwned: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.isOwned = isOwned
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
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return [S_IFCHR, S_IFBLK, S_IFIFO].contains(status.st_mode & S_IFMT)
  }

  /// Writes all bytes.
  /// - Throws: `endOfPipe` if the reader closed the pipe, otherwise `io`.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let place = name, descriptor = self.descriptor
    try bytes.read { (span) throws(Problem) in try writeAll(span, to: descriptor, place: place) }
  }

  /// Nothing is left to do.
  public func commit() async throws(Problem) {}
  /// Written bytes remain.
  public func abandon() async {}
}
