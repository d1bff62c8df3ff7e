public import Rows

/// A comment on a movie that the user wants to post. Writer, rating and text are required.
public struct NewComment: Sendable, Hashable {
  /// The author, without surrounding white space.
  public let writer: String
  /// More than 0, at most 10.
  let rating: Double
  let contents: String

  /// A comment of what was typed.
  /// - Parameters:
  ///   - writer: the name of its writer.
  ///   - rating: a number with digits and at most one point.
  ///   - contents: the text of the comment.
  /// - Throws: `usage` that names everything that is missing, or what is wrong with the rating.
  public init(writer: String?, rating: String?, contents: String?) throws(Problem) {
    let name = Self.trimmed(writer ?? ""), text = contents ?? ""
    var missing: [String] = []
    if name.isEmpty { missing.append("a writer") }
    if rating == nil { missing.append("a rating") }
    if Self.trimmed(text).isEmpty { missing.append("a text") }
    guard missing.isEmpty, let rating else {
      throw Problem(
        .usage, "a comment requires \(missing.joined(separator: ", "))",
        hint: .run(.addComment, "post it"))
    }
    let parts = rating.split(at: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 48 < 10 } }),
      let number = Double(rating), number > 0, number <= 10
    else {
      throw Problem(
        .usage, "invalid rating “\(rating)”", hint: "use a number greater than 0 and at most 10, for example 7.5")
    }
    self.writer = name
    self.rating = number
    self.contents = text
  }

  /// The record to send.
  /// - Parameter movie: the id of the movie.
  public func record(on movie: String) -> [String: Value] {
    let whole = Int64(exactly: rating)
    return [
      "movie_id": .text(movie), "writer": .text(writer), "rating": whole.map { .integer($0) } ?? .real(rating),
      "contents": .text(contents),
    ]
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }
}
