import Glibc
public import Rows

/// The output paths that users name.
public enum OutputFile {
  /// A sink into a device, or into a file that appears when it is complete.
  ///
  /// - Parameters:
  ///   - path: the path of the file or device.
  ///   - replaces: whether an existing file may be replaced.
  /// - Throws: `cannotCreate` for a file of a store; the errors of `FileSink` and `DescriptorSink`.
  public static func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink {
    if DescriptorSink.isDevice(path) { return try DescriptorSink(device: path) }
    try ReplacementGuard.check(path)
    return try FileSink(path: path, replaces: replaces)
  }

  /// The file that is written when `path` is named, whatever it is called: without links, `.` and `..`.
  public static func place(_ path: String) throws(Problem) -> String {
    let (folder, name) = Temporaries.split(try FileSink.resolved(path))
    guard let whole = unsafe realpath(folder, nil) else { return path }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole) + "/" + name
  }
}
