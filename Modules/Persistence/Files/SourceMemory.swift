import Files
public import Rows

/// Texts to remember about sources and their servers, each in a file that only the user can read.
public struct SourceMemory: Sendable {
  private let directory: String

  /// Creates the access to the files in `directory`.
  public init(directory: String) { self.directory = directory }

  /// The file of a source and a server: their names, without characters that a path gives a meaning.
  private func path(_ source: String, _ origin: String) -> String {
    let name = "\(source)@\(origin)".utf8.map { byte -> String in
      let isPlain = (byte | 32) &- 97 < 26 || byte &- 48 < 10 || "-_@.".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16))"
    }.joined()
    return "\(directory)/\(name)"
  }

  /// The text about a source; nil if there is none. The file names the server, too.
  /// - Throws: `permission`, `io`.
  public func text(of source: String, from origin: String) throws(Problem) -> String? {
    let bytes = try FileByteSource.ifPresent(path(source, origin))?.bytes(limit: 1 << 20) ?? []
    let lines = String(decoding: bytes, as: UTF8.self).split(at: "\n", maxSplits: 1)
    return lines.count == 2 && lines[0] == origin ? String(lines[1]) : nil
  }

  /// Remembers a text about a source.
  /// - Throws: `permission`, `io`.
  public func keep(_ text: String, of source: String, from origin: String) throws(Problem) {
    try DirectoryListing.make(directory)
    let sink = try FileSink(path: path(source, origin), mode: 0o600)
    try sink.append(Array("\(origin)\n\(text)".utf8))
    _ = try sink.flush()
    try sink.publish()
  }

  /// The lines that are new since they were last kept; none if nothing was kept.
  /// They are remembered if `isKept`.
  /// - Throws: `permission`, `io`.
  public func new(
    _ lines: [String], of source: String, from origin: String, isKept: Bool
  ) throws(Problem) -> Set<String> {
    let known = try text(of: source, from: origin)?.split(at: "\n").map(String.init)
    let new = Set(lines).subtracting(known ?? [])
    if isKept, known == nil || !new.isEmpty {
      try keep(((known ?? []) + new.sorted()).joined(separator: "\n"), of: source, from: origin)
    }
    return known == nil ? [] : new
  }
}
