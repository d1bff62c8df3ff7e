import Codecs
import Domain
import Rows

/// An unverified response: HTTP libraries accept truncated bodies as complete, so only whole JSON of the right shape is
/// trusted.
struct RESTDocument {
  let url: String
  let status: Int
  let body: [UInt8]
  /// Where the requests are defined, for hints.
  var definition = "the source definition"
  var format = SourceResponseFormat(.json)
  /// The header `Content-Type`, if it decides about a format that the description does not name.
  var contentType: String?

  private var place: String { URLText.redacted(url) }

  /// Whether the server reports that the record does not exist: 404 with a JSON object.
  var saysNothingFound: Bool { status == 404 && message != nil }

  /// The content of a successful response, as JSON.
  /// - Throws: `unavailable` with the server's message for a status other than 200, `badData` for a body that is not
  ///   JSON.
  func parsed() async throws(Problem) -> (document: JSON, isXML: Bool) {
    guard status == 200 else { throw refusal }
    let body = RESTBody(bytes: self.body, place: place, format: format)
    switch format.name ?? RESTBody.format(ofType: contentType) {
    case nil, .json?: return (try json(), false)
    case .ndjson?: return (try body.lines(), false)
    case .csv?:
      guard !isEmpty else { throw Problem(.badData, "empty response", at: place, hint: Self.moved) }
      let start = self.body.drop { $0 <= 32 }
      guard start.first.map({ !"<{[n".utf8.contains($0) }) ?? true || !(Self.isWebPage(start) || isJSON) else {
        throw Problem(.badData, "expected CSV, got \(RESTText.firstWords(self.body))", at: place, hint: Self.moved)
      }
      return (try await body.table(), false)
    case .xml?: return (try body.element(), true)
    }
  }

  private func json() throws(Problem) -> JSON {
    let hint = Self.moved
    guard !isEmpty else { throw Problem(.badData, "empty response", at: place, hint: hint) }
    if let start = body.firstIndex(where: { $0 > 32 }), body[start] == UInt8(ascii: "<") {
      guard Self.isWebPage(body[start...]) else {
        throw Problem(
          .badData, "expected JSON, found XML: \(RESTText.firstWords(body))", at: place,
          hint: "add “answer”: {“as”: “xml”} to \(definition)")  // prose-lint: ignore
      }
      throw Problem(.badData, "expected JSON, got a web page: \(RESTText.firstWords(body))", at: place, hint: hint)
    }
    do throws(Problem) {
      return try JSON.parse(body, name: place)
    } catch {
      var problem = error
      problem.message += "; the response starts with \(RESTText.firstWords(body))"
      throw problem
    }
  }

  private var isJSON: Bool { (try? JSON.parse(body, name: place)) != nil }

  /// Whether text that begins with a tag is HTML rather than XML.
  private static func isWebPage(_ text: ArraySlice<UInt8>) -> Bool {
    let begin = String(decoding: text.prefix(512), as: UTF8.self).lowercased()
    return !begin.hasPrefix("<?xml")
      && ["<!doctype html", "<html", "<head", "<body", "<title", "<h1", "<!--"].contains(where: begin.contains)
      || begin.contains("<html")
  }

  /// Whether the body is empty, which is how servers say that no record has a name.
  var isEmpty: Bool { body.allSatisfy { $0 <= 32 } }

  /// The message in the server's JSON.
  private var message: String? {
    do throws(Problem) {
      let document = try JSON.parse(body, name: url, duplicateKeys: .kept)
      let error = document["error"] ?? document["errors"]?[0] ?? .null
      let found = [
        document["message"], error, error["message"], error["detail"], document["detail"], document["title"],
      ]
      return found.lazy.compactMap { $0?.stringValue }.first
    } catch {
      return nil  // no JSON, so no message: the body's first words are shown instead
    }
  }

  /// The problem that a response with status 200 reports.
  static func refusal(_ message: String, at url: String) -> Problem {
    Problem(.unavailable, "the server reports an error: \(message)", at: URLText.redacted(url))
  }

  private static let moved = Remedy.set(.server, for: "name another").after("the server may have moved")

  /// The problem that an unexpected status means.
  var refusal: Problem {
    let words = message.map { RESTText.firstWords(Array($0.utf8)) } ?? (isEmpty ? "" : RESTText.firstWords(body))
    let hint: Remedy =
      switch status {
      case 400, 405, 422: "correct path or params in \(definition)"
      case 401, 403: "the source may require an API key"
      case 404: Self.moved
      case 429: "rate limit exceeded; try again later"
      default: "try again later"
      }
    var problem = Problem(
      .unavailable, "HTTP status \(status)" + (words.isEmpty ? "" : ": \(words)"), at: place, hint: hint)
    problem.status = status
    return problem
  }
}

enum RESTText {
  /// The first words of a text, at most 80 characters on one line, in quotes, with nothing that drives a terminal.
  static func firstWords(_ bytes: [UInt8]) -> String {
    var text = ""
    var hasBlank = true
    for scalar in String(decoding: bytes.prefix(400), as: UTF8.self).unicodeScalars {
      guard text.unicodeScalars.count < 80 else { return "“\(text)…”" }
      let isBlank = scalar.properties.isWhitespace
      if isBlank {
        if !hasBlank { text += " " }
      } else {
        text.unicodeScalars.append(isShown(scalar) ? scalar : "\u{FFFD}")
      }
      hasBlank = isBlank
    }
    return bytes.count > 400 ? "“\(text)…”" : "“\(text)”"
  }

  /// The first words of a text without quotes.
  static func plain(_ bytes: [UInt8]) -> String { String(firstWords(bytes).dropFirst().dropLast()) }

  /// A JSON value in a message, with quotes around a text.
  static func value(_ value: JSON) -> String { value.stringBytes.map(firstWords) ?? shown(value) }

  /// A JSON value in a message, on one line and not long.
  static func shown(_ value: JSON) -> String {
    if case .string(let text) = value { return firstWords(text) }
    return String(firstWords(value.canonicalBytes).dropFirst().dropLast())
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: true
    }
  }

}
