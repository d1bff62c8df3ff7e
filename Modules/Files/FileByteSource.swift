package import Glibc
public import Rows
import Synchronization

/// The bytes of a regular file, or of a pipe.
public final class FileByteSource: ByteSource {
  /// The path, the place that the file was fetched from, or `standard input`.
  public let name: String
  /// The size when the file was opened; nil for pipes.
  public let size: Int?
  private let file: OpenFile
  private let position = Mutex(0)
  /// Called after each read with the position and the size; nil for a pipe.
  private let onRead: (@Sendable (_ position: Int, _ size: Int?) -> Void)?

  /// Opens a regular file: one of the program's own, of a store, or next to a file that the user named.
  /// - Parameter place: the place that the file was fetched from, in messages; nil for the path.
  /// - Throws: `badData` for a FIFO, socket or device, which is never waited for, and for a directory; `noInput`,
  ///   `permission`, `io`.
  public convenience init(path: String, of place: String? = nil) throws(Problem) {
    try self.init(path, of: place, O_RDONLY)
  }

  private convenience init(_ path: String, of place: String?, _ flags: Int32) throws(Problem) {
    let file = OpenFile(try RegularFile.open(path, flags))
    try self.init(file, place ?? path, ifDirectory: "")
  }

  /// The regular file at `path`; nil if there is none. One call, because another process may rename or remove a file
  /// between a look and the opening.
  /// - Parameter follows: whether a symbolic link stands for its target; none of bb's own files is one.
  /// - Throws: `badData` for another kind of file; `permission`, `io`.
  package static func ifPresent(_ path: String, follows: Bool = false) throws(Problem) -> FileByteSource? {
    do throws(Problem) { return try FileByteSource(path, of: nil, O_RDONLY | (follows ? 0 : O_NOFOLLOW)) } catch {
      guard error.kind == .noInput else { throw error }
      return nil
    }
  }

  /// Opens a file that the user named as input: also a pipe or a device, which is waited for.
  /// - `place`: the place that the file was fetched from, in messages; nil for the path.
  /// - `advice`: what to do instead when it is a directory.
  /// - Throws: `noInput`, `permission`, `io`; `usage` for a directory.
  public convenience init(
    input path: String, of place: String? = nil, ifDirectory advice: Remedy = ""
  ) throws(Problem) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      var problem = Problem.posix(errno, "open", place ?? path)
      if problem.kind == .noInput, place == nil { problem.hint = DirectoryListing.hint(for: path) }
      throw problem
    }
    try self.init(OpenFile(descriptor), place ?? path, ifDirectory: advice)
  }

  private convenience init(_ file: OpenFile, _ name: String, ifDirectory advice: Remedy) throws(Problem) {
    guard let status = stat.of(file.descriptor) else { throw Problem.posix(errno, "read", name) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw Problem(.usage, "is a directory, not a file", at: name, hint: advice) }
    posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    self.init(file, name: name, size: kind == S_IFREG ? Int(status.st_size) : nil)
  }

  /// Standard input.
  public convenience init() { self.init(OpenFile(fcntl(0, F_DUPFD_CLOEXEC, 3)), name: "standard input", size: nil) }

  private init(
    _ file: OpenFile, name: String, size: Int?, onRead: (@Sendable (_ position: Int, _ size: Int?) -> Void)? = nil
  ) {
    self.onRead = onRead
    self.file = file
    self.name = name
    self.size = size
  }

  /// All that is left to read.
  /// - Parameter limit: the most bytes there may be.
  /// - Throws: `badData` when there are more.
  public func bytes(limit: Int) throws(Problem) -> [UInt8] {
    let maximum = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
    let tooLarge = Problem(.badData, "is larger than \(maximum)", at: name)
    if let size, size > limit { throw tooLarge }
    var bytes: [UInt8] = []
    // Memory that is not touched costs nothing; an array that grows is copied.
    bytes.reserveCapacity(min(size ?? limit, 64 << 20) + Arena.usualCapacity)
    try forEachPiece { (piece) throws(Problem) in
      unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      if bytes.count > limit { throw tooLarge }
    }
    return bytes
  }

  /// Reads the available bytes, at most `limit`.
  /// - Throws: `io`; `busy` if another process has cut the file.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let offset = size == nil ? nil : position.withLock { $0 }
    let count = try read(at: offset, limit: limit, into: &text)
    let position = position.withLock { position in
      position += count
      return position
    }
    // The size of files of the kernel is not that of their contents.
    if count == 0, limit > 0, let size, position < size, let now = status(), Int(now.st_size) < size {
      throw Problem(.busy, "another process cut the file while it was read", at: name, hint: "run the command again")
    }
    onRead?(position, size)
    return count
  }

  /// Reads from `offset` on; nil for what comes next in a pipe.
  private func read(at offset: Int?, limit: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    while true {
      let count = unsafe text.appendBytes(atMost: limit) { [file] (free) in
        guard let offset else { return unsafe Glibc.read(file.descriptor, free.baseAddress, free.count) }
        return unsafe pread(file.descriptor, free.baseAddress, free.count, off_t(offset))
      }
      if count >= 0 { return count }
      if errno == EAGAIN {
        // The descriptor is non-blocking: wait for bytes.
        var bytes = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&bytes, 1, -1)
      } else if errno != EINTR {
        throw Problem.posix(errno, "read", name)
      }
    }
  }

  /// The same file from its beginning, also when another has taken its place; nil for pipes.
  public func reopened() throws(Problem) -> (any ByteSource)? { again() }

  /// The same file from its beginning; nil for pipes.
  package func again() -> FileByteSource? { size.map { FileByteSource(file, name: name, size: $0, onRead: onRead) } }

  /// The same bytes, with a function that is called after each read. For a file that was not read yet.
  package func reporting(_ onRead: (@Sendable (_ position: Int, _ size: Int?) -> Void)?) -> FileByteSource {
    FileByteSource(file, name: name, size: size, onRead: onRead)
  }

  package func status() -> stat? { stat.of(file.descriptor) }
}

extension FileByteSource: RandomAccessSource {
  /// The size when the file was opened; 0 for pipes.
  public var length: Int { size ?? 0 }

  /// Reads up to `count` bytes at `offset`.
  public func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    let done = try read(at: offset, limit: count, into: &text)
    onRead?(offset + done, size)
    return done
  }
}

/// Owns a descriptor, and closes it with the last reader.
private final class OpenFile: Sendable {
  let descriptor: Int32
  init(_ descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }
}
