import Codecs
public import Rows

/// A Delta table on the command line: `delta:PLACE`, with `?partition=COLUMN,…` for a new table, or `?version=N` for an
/// earlier state.
public struct DeltaLocation: Sendable, Hashable {
  var name: String { "delta:\(place)" }
  /// The directory, or the URL of a bucket.
  public let place: String
  /// The columns by which the rows are divided; nil if not given.
  public let partitionColumns: [String]?
  /// The version to read; nil for the latest.
  public let version: Int64?

  private static let prefix = "delta:"

  /// Whether a location is a directory of tables, as in `delta:lake/`.
  public static func isDirectory(_ text: String) -> Bool {
    text[..<(text.unicodeScalars.lastIndex(of: "?") ?? text.endIndex)].hasSuffix("/")
  }

  /// The location of a table in a directory of tables.
  /// - Throws: `badData` for a name that is not the name of a directory.
  public static func text(of table: String, in directory: String) throws(Problem) -> String {
    guard ![".", ".."].contains(table), !table.isEmpty, !table.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
      throw Problem(
        .badData, "cannot write the table “\(table)”: its name is not the name of a directory", at: directory)
    }
    let end = directory.unicodeScalars.lastIndex(of: "?") ?? directory.endIndex
    return directory[..<end] + table + (end == directory.endIndex ? "?" : directory[end...])
  }

  /// Parses a location.
  /// - Throws: `usage`.
  public init(_ text: String) throws(Problem) {
    let rest = text.dropFirst(Self.prefix.count), mark = rest.unicodeScalars.lastIndex(of: "?")
    var place = String(rest[..<(mark ?? rest.endIndex)])
    while place.count > 1, place.hasSuffix("/") { place.removeLast() }
    guard !place.isEmpty else {
      throw Problem(.usage, "missing directory after \(Self.prefix)", hint: "for example delta:lake/quotes")
    }
    self.place = place
    var columns: [String]?, version: Int64?
    for item in mark.map({ rest[rest.index(after: $0)...] })?.split(at: "&") ?? [] {
      let pair = item.split(at: "=", maxSplits: 1).map { PercentCoding.decoded($0) }
      let key = pair.first.flatMap { $0 } ?? "", value = pair.count == 2 ? pair[1] : nil
      switch (key, value) {
      case ("partition", let names?): columns = names.split(at: ",").map(String.init)
      case ("version", let digits?):
        guard let number = Int64(digits), number >= 0 else {
          throw Problem(.usage, "invalid version “\(digits)” of a Delta table", at: text, hint: "use a whole number")
        }
        version = number
      default:
        throw Problem(
          .usage, "invalid option “\(item)” of a Delta table", at: text,
          hint: "use ?partition=COLUMN,… or ?version=N")
      }
    }
    (partitionColumns, self.version) = (columns, version)
  }
}

/// Paths of data files as the log has them: URLs relative to the table.
enum DeltaPath {
  static func encoded(_ path: String) -> String { PercentCoding.encoded(path, keeping: "/=") }

  /// The path of a data file within the table.
  /// - Parameter root: the table, as `TableStorage.root`.
  /// - Throws: `badData` for a path that leads out of it.
  static func file(_ url: String, in root: String) throws(Problem) -> String {
    let scheme = url.utf8.prefix { $0 &- 48 < 10 || $0 | 32 &- 97 < 26 || "+-.".utf8.contains($0) }
    var path = PercentCoding.decoded(url)
    if scheme.first.map({ $0 | 32 &- 97 < 26 }) ?? false, url.utf8.dropFirst(scheme.count).first == 0x3A {
      let name = String(decoding: scheme, as: UTF8.self).lowercased()
      let begin = Array("\(["s3a": "s3", "s3n": "s3"][name] ?? name):/".utf8)
      let whole = begin + (path ?? "").utf8.dropFirst(scheme.count + 1).drop { $0 == 0x2F }
      let isInside = !root.isEmpty && whole.starts(with: (root + "/").utf8)
      path = isInside ? String(decoding: whole.dropFirst(root.utf8.count + 1), as: UTF8.self) : nil
    }
    guard let path, !path.isEmpty, !path.hasPrefix("/"),
      !path.utf8.contains(0),
      !path.split(at: "/", omittingEmptySubsequences: false).contains(where: { $0 == ".." || $0.isEmpty })
    else {
      throw Problem(.badData, "the log names a file outside the table: “\(url.prefix(200))”")
    }
    return path
  }
}
