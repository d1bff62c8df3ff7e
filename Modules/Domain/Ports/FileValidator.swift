import Rows

/// A validator that tells whether local bytes are a prefix of the current file (RFC 9110, 8.8 and 13.1.5).
public struct FileValidator: Sendable, Hashable {
  /// A strong ETag with its quotes, or a date of last change.
  public let text: String

  /// Nil for text that is neither, or weak.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), text.utf8.count <= 60 else { return nil }
    let isTag = text.hasPrefix("\"") && text.hasSuffix("\"") && text.utf8.count > 2
    guard isTag || text.hasSuffix(" GMT") else { return nil }
    self.text = text
  }

  /// The strongest validator of a response. A date is used only if it was sufficiently old when the response was sent,
  /// because the file may have changed more than once in a second.
  public init?(_ response: HTTPResponse) {
    if let tag = response.header("ETag") {
      guard let validator = FileValidator(tag) else { return nil }
      self = validator
    } else {
      guard let changed = response.header("Last-Modified"), changed != response.header("Date"),
        let validator = FileValidator(changed)
      else { return nil }
      self = validator
    }
  }

  /// Whether it is an ETag.
  public var isTag: Bool { text.hasPrefix("\"") }
}

/// The place of the bytes of a partial response in the file (RFC 9110, 14.4).
public struct ContentRange: Sendable, Hashable {
  /// The position of the first byte.
  public let start: Int
  /// The size of the file in bytes; nil if the server does not state it.
  public let size: Int?

  /// Nil for a response that is not one range of the bytes of a file.
  public init?(_ response: HTTPResponse) {
    guard response.status == 206, !response.isEncoded, let text = response.header("Content-Range"),
      text.hasPrefix("bytes ")
    else { return nil }
    let parts = text.dropFirst(6).split(at: "/"), bounds = parts.first?.split(at: "-") ?? []
    guard parts.count == 2, bounds.count == 2, let start = Int(bounds[0]), let end = Int(bounds[1]), 0...end ~= start
    else { return nil }
    self.start = start
    size = Int(parts[1])
    guard size.map({ end < $0 }) ?? (parts[1] == "*") else { return nil }
  }
}

extension HTTPResponse {
  /// Whether its bytes are not those of the file.
  public var isEncoded: Bool { header("Content-Encoding").map { $0.lowercased() != "identity" } ?? false }
}
