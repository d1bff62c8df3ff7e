import Files
import Glibc
public import Rows

/// The output paths that users name.
public enum OutputFile {
  /// A sink into a device, or into a file that appears when it is complete.
  ///
  /// - Parameters:
  ///   - path: the path of the file or device.
  ///   - replaces: whether an existing file may be replaced.
  ///   - follows: whether the user named the file, so that a symbolic link stands for its target.
  /// - Throws: `cannotCreate` for a file of a store; the errors of `FileSink` and `DescriptorSink`.
  public static func sink(_ path: String, replaces: Bool, follows: Bool = true) throws(Problem) -> any ByteSink {
    if follows, DescriptorSink.isDevice(path) { return try DescriptorSink(device: path) }
    try ReplacementGuard.check(path)
    return try FileSink(path: path, replaces: replaces, follows: follows)
  }

  /// A sink for what comes after the bytes of a file; nil if there is no such file, or nothing is in it.
  public static func appendingSink(_ path: String) throws(Problem) -> (any ByteSink)? {
    guard let size = try FileByteSource.ifPresent(path, follows: true)?.size, size > 0 else { return nil }
    try ReplacementGuard.check(path)
    return try AppendingSink(path)
  }

  /// Waits for the right to add to a file, which it has as long as the result exists; nil for a device.
  /// - Throws: `busy` if others have it for too long.
  public static func appendingRight(_ path: String) async throws(Problem) -> (any Sendable)? {
    DescriptorSink.isDevice(path) ? nil : try await PublishingLock.wait(forFile: path)
  }

  /// Creates a directory for output files if it does not exist; returns whether it was created.
  /// - Throws: `cannotCreate` for a file of that name or a missing parent, `permission`, `io`.
  public static func makeDirectory(_ path: String) throws(Problem) -> Bool {
    if Temporaries.makeDirectory(path, mode: 0o777) == 0 { return true }
    let code = errno
    var status = stat()
    if code == EEXIST, unsafe stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return false }
      throw Problem(.cannotCreate, "is not a directory", at: path)
    }
    let problem = Problem.posix(code, "create the directory", path)
    throw problem.kind == .noInput ? Problem(.cannotCreate, "no such directory", at: path) : problem
  }

  /// Removes a directory if it is empty.
  public static func removeDirectory(_ path: String) { _ = Temporaries.remove(path) }

  /// Whether two paths name one regular file; `-` is standard input.
  public static func isSame(_ path: String, as other: String) -> Bool {
    var first = stat(), second = stat()
    guard unsafe (path == "-" ? fstat(0, &first) : stat(path, &first)) == 0, unsafe stat(other, &second) == 0 else {
      return false
    }
    return first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// The file that is written when `path` is named, whatever it is called: without links, `.` and `..`.
  public static func place(_ path: String) throws(Problem) -> String {
    let (directory, name) = Temporaries.split(try FileSink.resolved(path))
    guard let whole = unsafe realpath(directory, nil) else { return path }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole) + "/" + name
  }
}
