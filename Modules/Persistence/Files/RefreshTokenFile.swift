import Files
public import Rows

/// The refresh tokens that servers issued last, each in a file that only the user can read.
public struct RefreshTokenFile: Sendable {
  private let directory: String

  /// Creates the access to the files below `directory`.
  public init(directory: String) { self.directory = "\(directory)/tokens" }

  /// The file of a source and a server: their names, without characters that a path gives a meaning.
  private func path(_ source: String, _ origin: String) -> String {
    let name = "\(source)@\(origin)".utf8.map { byte -> String in
      let isPlain = (byte | 32) &- 97 < 26 || byte &- 48 < 10 || "-_@.".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16))"
    }.joined()
    return "\(directory)/\(name)"
  }

  /// The token that a server issued for a source; nil if it issued none. The file names the server, too.
  /// - Throws: `permission`, `io`.
  public func token(of source: String, from origin: String) throws(Problem) -> String? {
    let bytes = try FileByteSource.ifPresent(path(source, origin))?.bytes(limit: 1 << 16) ?? []
    let lines = String(decoding: bytes, as: UTF8.self).split(at: "\n", maxSplits: 1)
    return lines.count == 2 && lines[0] == origin ? String(lines[1]) : nil
  }

  /// Keeps the token that a server issued for a source.
  /// - Throws: `permission`, `io`.
  public func keep(_ token: String, of source: String, from origin: String) async throws(Problem) {
    try DirectoryListing.make(directory)
    let sink = try FileSink(path: path(source, origin), mode: 0o600)
    do throws(Problem) {
      try sink.append(Array("\(origin)\n\(token)".utf8))
      try await sink.commit()
    } catch {
      await sink.abandon()
      throw error
    }
  }
}
