import Glibc
public import Rows

/// Files by pattern, as shells have them: `*`, `?` and `[a-z]`.
public enum FilePattern {
  /// Whether a path is a directory with the manifest of a store.
  public static func isStore(_ path: String) -> Bool {
    unsafe access("\(path)/\(DirectoryManifest.name)", F_OK) == 0
  }

  /// The files that match a pattern, in byte order; none if there are none. Names that begin with a dot match only a
  /// pattern that does.
  /// - Throws: `io` if a directory cannot be read.
  public static func matches(_ pattern: String) throws(Problem) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    let result = unsafe glob(pattern, GLOB_ERR | GLOB_NOSORT, nil, &found)
    if result == GLOB_NOMATCH { return [] }
    guard result == 0 else { throw Problem.posix(errno, "read a directory of", pattern) }
    var paths: [String] = []
    for index in 0..<Int(unsafe found.gl_pathc) {
      if let path = unsafe found.gl_pathv[index] { paths.append(unsafe String(cString: path)) }
    }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
