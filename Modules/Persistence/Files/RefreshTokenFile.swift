public import Rows

/// The refresh tokens that servers issued last, each in a file that only the user can read.
public struct RefreshTokenFile: Sendable {
  private let directory: String

  /// Creates the access to the files below `directory`.
  public init(directory: String) { self.directory = "\(directory)/tokens" }

  /// The file of a source: its name, without characters that a path gives a meaning.
  private func path(_ source: String) -> String {
    let name = source.utf8.map { byte -> String in
      let isPlain = (byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      return isPlain ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16))"
    }.joined()
    return "\(directory)/\(name)"
  }

  /// The token of a source; nil if none was issued.
  /// - Throws: `permission`, `io`.
  public func token(of source: String) throws(Problem) -> String? {
    let bytes = try FileByteSource.ifPresent(path(source))?.bytes(limit: 1 << 16)
    guard let bytes, !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Keeps the token of a source.
  /// - Throws: `permission`, `io`.
  public func keep(_ token: String, of source: String) async throws(Problem) {
    try Directories.make(directory)
    let sink = try FileSink(path: path(source), mode: 0o600)
    do throws(Problem) {
      try sink.append(Array(token.utf8))
      try await sink.commit()
    } catch {
      await sink.abandon()
      throw error
    }
  }
}
