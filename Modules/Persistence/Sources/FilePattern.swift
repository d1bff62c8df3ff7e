import Codecs
import Domain
import Files
import Glibc
public import Rows

/// Files by pattern, as shells have them: `*`, `?` and `[a-z]`.
public enum FilePattern {
  /// The files below a directory, in byte order. Hidden ones, whose names begin with `.` or `_`, are omitted.
  /// - Throws: `noInput`, `permission`, `io`; `busy` if an export into partitions was interrupted there; `usage` for a
  ///   Delta table; `badData` for a pipe or a device.
  public static func files(below directory: String) throws(Problem) -> [String] {
    let files: [String]
    do throws(Problem) { files = try Self.files(below: directory, Ancestors(directory)) } catch {
      var problem = error
      if problem.kind == .badData { problem.hint = .set(.inputFile, to: "\(directory)/*.csv", for: "name the files") }
      throw problem
    }
    let kinds = Dictionary(grouping: files) { format(of: $0) }.map { (format: $0.key, count: $0.value.count) }
      .sorted { ($1.count, $0.format) < ($0.count, $1.format) }
    if kinds.count > 1, let most = kinds.first(where: { !$0.format.isEmpty }) ?? kinds.first {
      let counts = kinds.prefix(3).map { "\($0.count) \($0.format.isEmpty ? "other" : $0.format)" }
      throw Problem(
        .usage, "the directory has files of several formats: \(counts.joined(separator: ", "))", at: directory,
        hint: .set(.inputFile, to: "\(directory)/*.\(most.format)", for: "name the files"))
    }
    return files
  }

  /// The extension of the format of a file; empty if it is unknown.
  private static func format(of path: String) -> String {
    let name = Temporaries.split(FileCompression.split(path).path).name.utf8
    guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    let suffix = String(decoding: name[name.index(after: point)...], as: UTF8.self).lowercased()
    return FileFormat(suffix: suffix) == nil ? "" : suffix
  }

  private static func files(below directory: String, _ above: Ancestors) throws(Problem) -> [String] {
    guard let names = try DirectoryListing.names(directory) else {
      throw Problem(.noInput, "no such directory", at: directory)
    }
    if names.contains(PendingChanges.name) {
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
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) where isShown(name) {
      let path = directory == "." ? name : "\(directory)/\(name)"
      if isPlaceOfFiles(path) {
        // The files of a directory above are found there.
        if let inner = above.entering(path) { files += try Self.files(below: path, inner) }
      } else {
        // Opening a pipe would wait for its writer.
        try RegularFile.check(path, follows: true)
        files.append(path)
      }
    }
    return files
  }

  /// Whether a path is a directory, also one that cannot be read.
  private static func isPlaceOfFiles(_ path: String) -> Bool {
    RegularFile.status(path, follows: true).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  private static func isShown(_ name: String) -> Bool { !name.hasPrefix(".") && !name.hasPrefix("_") }

  /// The directories on the way to one, by which loops of symbolic links are recognized.
  private struct Ancestors {
    private var known: Set<[UInt64]> = []

    init(_ root: String) { self = entering(root) ?? self }
    private init(known: Set<[UInt64]>) { self.known = known }

    /// The same with one more directory; nil if that is one of them.
    func entering(_ directory: String) -> Ancestors? {
      guard let status = RegularFile.status(directory, follows: true) else { return self }
      var more = known
      guard more.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted else { return nil }
      return Ancestors(known: more)
    }
  }

  /// Whether a path is a directory that can be read.
  public static func isDirectory(_ path: String) -> Bool { (try? DirectoryListing.names(path)) != nil }

  /// Whether a path is a directory with the manifest of a store.
  public static func isStore(_ path: String) -> Bool {
    (try? FileStamp.now(at: "\(path)/\(DirectoryManifest.name)")) != nil
  }

  /// The files that match a pattern, in byte order; none if there are none. Names that begin with a dot match only a
  /// pattern that does. A component `**` matches any number of directories, one in another, that are not hidden.
  /// - Throws: `permission`, `io` if a directory cannot be read.
  public static func matches(_ pattern: String) throws(Problem) -> [String] {
    var found: Set<[UInt8]> = []
    for path in try all(pattern) { found.insert(Array(path.utf8)) }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func all(_ pattern: String) throws(Problem) -> [String] {
    guard let mark = pattern.ranges(of: "**/").first(where: { isComponent($0.lowerBound, of: pattern) }) else {
      return try expanded(pattern)
    }
    let root = String(pattern[..<mark.lowerBound])
    var tail = pattern[mark.upperBound...]
    while tail.hasPrefix("**/") { tail = tail.dropFirst(3) }
    var files: [String] = []
    for start in root.isEmpty ? [""] : try expanded(root) {
      for directory in try directories(below: start, Ancestors(start.isEmpty ? "." : start)) {
        files += try all(PathPattern.quoted(directory) + tail)
      }
    }
    return files
  }

  private static func isComponent(_ start: String.Index, of pattern: String) -> Bool {
    start == pattern.startIndex || pattern.utf8[pattern.utf8.index(before: start)] == UInt8(ascii: "/")
  }

  /// A directory, empty or with a slash at its end, and those below it.
  private static func directories(below directory: String, _ above: Ancestors) throws(Problem) -> [String] {
    var all = [directory]
    for name in try DirectoryListing.names(directory.isEmpty ? "." : directory) ?? [] where !name.hasPrefix(".") {
      let path = directory + name
      if isPlaceOfFiles(path), let inner = above.entering(path) { all += try directories(below: path + "/", inner) }
    }
    return all
  }

  /// The paths that a pattern of the shell matches.
  private static func expanded(_ pattern: String) throws(Problem) -> [String] {
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
    return paths
  }
}
