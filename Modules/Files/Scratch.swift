import Glibc
public import Rows
import Synchronization

/// Private temporary files without a name: they vanish with the process, however it ends.
public struct TemporaryScratch: ScratchSpace {
  private let directory: String

  /// Files in `directory` (`$TMPDIR`, else `/tmp`).
  public init(directory: String) { self.directory = directory }

  /// A new file.
  public func makeFile() throws(Problem) -> any ScratchFile {
    let name = "\(directory)/bb.\(getpid()).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      var problem = Problem.posix(errno, "create a temporary file", directory)
      if problem.kind == .noInput { problem = Problem(.cannotCreate, "no such directory", at: directory) }
      if problem.hint.isEmpty { problem.hint = "temporary files are created in $TMPDIR" }
      throw problem
    }
    unsafe unlink(name)
    return TemporaryFile(descriptor: descriptor, place: "temporary file in \(directory)")
  }
}

final class TemporaryFile: ScratchFile {
  let descriptor: Int32
  private let place: String
  private let length = Mutex(0)

  init(descriptor: Int32, place: String) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { close(descriptor) }

  var count: Int { length.withLock { $0 } }

  func append(_ bytes: borrowing ByteBuffer) throws(Problem) {
    let descriptor = self.descriptor, place = self.place
    try bytes.read { (span) throws(Problem) in try writeAll(span, to: descriptor, place: place) }
    let added = bytes.count
    length.withLock { $0 += added }
  }

  func read(at offset: Int, length: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    while true {
      let count = unsafe text.appendBytes(atMost: length) {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if count >= 0 { return count }
      if errno != EINTR { throw Problem.posix(errno, "read", place) }
    }
  }
}
