import Glibc

/// Paths that do not depend on the current directory.
public enum AbsolutePath {
  /// The absolute form of a path; the path itself if the current directory is unknown.
  public static func of(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&buffer, buffer.count) != nil else { return path }
    let here = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(here)/\(path.hasPrefix("./") ? path.dropFirst(2) : path[...])"
  }
}
