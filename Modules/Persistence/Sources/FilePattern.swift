import Domain
import Glibc
public import Rows

/// Files by pattern, as shells have them: `*`, `?` and `[a-z]`.
public enum FilePattern {
  /// The files below a directory, in byte order. Hidden ones, whose names begin with `.` or `_`, are omitted.
  /// - Throws: `noInput`, `permission`, `io`; `busy` if an export into partitions was interrupted there; `usage` for a
  ///   Delta table.
  public static func files(below directory: String) throws(Problem) -> [String] {
    guard let names = try DirectoryListing.names(directory) else {
      throw Problem(.noInput, "no such directory", at: directory)
    }
    if names.contains(StagedFiles.pending) {
      throw Problem(
        .busy, "an export to this directory was interrupted", at: directory,
        hint: "complete it by running it again")
    }
    if names.contains("_delta_log") {
      throw Problem(
        .usage, "is a Delta table, whose files are not all current", at: directory,
        hint: .set(.inputFile, to: "delta:\(directory)"))
    }
    var files: [String] = []
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = directory == "." ? name : "\(directory)/\(name)"
      if isDirectory(path) { files += try Self.files(below: path) } else { files.append(path) }
    }
    return files
  }

  /// Whether a path is a directory that can be read.
  public static func isDirectory(_ path: String) -> Bool { (try? DirectoryListing.names(path)) != nil }

  /// Whether a path is a directory with the manifest of a store.
  public static func isStore(_ path: String) -> Bool {
    (try? FileStamp.now(at: "\(path)/\(DirectoryManifest.name)")) != nil
  }

  /// The files that match a pattern, in byte order; none if there are none. Names that begin with a dot match only a
  /// pattern that does. A component `**` matches up to 32 directories, one in another.
  /// - Throws: `io` if a directory cannot be read.
  public static func matches(_ pattern: String) throws(Problem) -> [String] {
    if let mark = pattern.firstRange(of: "**/") {
      let root = String(pattern[..<mark.lowerBound]), tail = String(pattern[mark.upperBound...])
      var between = "", files: [String] = []
      for _ in 0...32 {
        files += try matches(root + between + tail)
        between += "*/"
        if try matches(root + between).isEmpty { break }
      }
      return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    let result = unsafe glob(pattern, GLOB_ERR | GLOB_NOSORT, nil, &found)
    if result == GLOB_NOMATCH { return [] }
    guard result == 0 else {
      // A directory in the pattern that does not exist has no files.
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw Problem.posix(errno, "read a directory of", pattern)
    }
    var paths: [String] = []
    for index in 0..<Int(unsafe found.gl_pathc) {
      if let path = unsafe found.gl_pathv[index] { paths.append(unsafe String(cString: path)) }
    }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
