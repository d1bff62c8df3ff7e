public import Domain
import Glibc
import Synchronization

/// The bytes of a regular file, or of a pipe.
public final class FileByteSource: ByteSource {
  /// The path, or `standard input`.
  public let name: String
  /// The size when the file was opened; nil for pipes.
  public let size: Int?
  private let path: String?
  private let descriptor: Int32

  /// Opens the file at `path`.
  /// - Throws: `noInput`, `permission`, `io`; `usage` for a folder.
  public init(path: String) throws(Problem) {
    name = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Problem.posix(errno, "read", path) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR {
      close(descriptor)
      throw Problem(.usage, "is a folder", at: path, hint: "a folder of tables is a storage: --storage \(path)")
    }
    size = kind == S_IFREG ? Int(status.st_size) : nil
    self.path = kind == S_IFREG ? path : nil
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  /// Standard input.
  public init() {
    name = "standard input"
    size = nil
    path = nil
    descriptor = dup(0)
  }

  deinit { close(descriptor) }

  /// Reads what is there, up to `limit` bytes.
  public func read(into chunk: Chunk, limit: Int) throws(Problem) -> Int {
    let room = min(limit, chunk.capacity - chunk.count)
    while true {
      let count = unsafe Glibc.read(descriptor, chunk.base + chunk.count, room)
      if count >= 0 {
        chunk.count += count
        return count
      }
      if errno != EINTR { throw Problem.posix(errno, "read", name) }
    }
  }

  /// The file again; nil for pipes.
  public func reopened() throws(Problem) -> (any ByteSource)? {
    guard let path else { return nil }
    return try FileByteSource(path: path)
  }
}
