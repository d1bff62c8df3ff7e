import Codecs
import Domain
import Rows

/// What a server answered, before it is believed: HTTP libraries call a body complete that was cut short, so only whole JSON of the right shape proves it.
struct RESTDocument {
  let url: String
  let status: Int
  let body: [UInt8]

  private var place: String { URLText.redacted(url) }

  /// Whether the server says, in its own words, that what was asked for is not there: 404 with a JSON object, or 200 with nothing.
  var saysNothingFound: Bool {
    if status == 200 { return isEmpty }
    return status == 404 && message != nil
  }

  /// The JSON of a good answer.
  /// - Throws: `unavailable` with the server's words for a status other than 200, `badData` for a body that is no JSON.
  func parsed() throws(Problem) -> JSON {
    guard status == 200 else { throw refusal }
    let hint = "the server may have moved; --api URL names another"
    guard !isEmpty else { throw Problem(.badData, "the server answers with nothing", at: place, hint: hint) }
    if body.first(where: { $0 > 32 }) == UInt8(ascii: "<") {
      throw Problem(.badData, "a web page, not JSON: \(RESTText.firstWords(body))", at: place, hint: hint)
    }
    do throws(Problem) {
      return try JSON.parse(body, name: place)
    } catch {
      var problem = error
      problem.message += "; the answer begins \(RESTText.firstWords(body))"
      throw problem
    }
  }

  /// The array of records at a pointer.
  static func records(in document: JSON, at pointer: String, url: String) throws(Problem) -> [JSON] {
    let path = try JSONPointer(pointer)
    guard let found = document.value(at: path) else {
      throw Problem(
        .badData, "no \(pointer) in the answer: \(RESTText.firstWords(document.canonicalBytes))",
        at: URLText.redacted(url))
    }
    guard let records = found.arrayValue else {
      throw Problem(
        .badData,
        "the answer is \(found.kindName), not an array of records: \(RESTText.firstWords(found.canonicalBytes))",
        at: URLText.redacted(url)
      )
    }
    return records
  }

  private var isEmpty: Bool { body.allSatisfy { $0 <= 32 } }

  /// What the server's JSON gives as its message.
  private var message: String? {
    do throws(Problem) {
      let document = try JSON.parse(body, name: url, duplicateKeys: .kept)
      return document["message"]?.stringValue ?? document["error"]?.stringValue
    } catch {
      return nil  // no JSON, so no message: the body's first words are shown instead
    }
  }

  /// What a status other than the one that was hoped for means.
  var refusal: Problem {
    let words = message.map { RESTText.firstWords(Array($0.utf8)) } ?? (isEmpty ? "" : RESTText.firstWords(body))
    let hint =
      switch status {
      case 401, 403: "the source may want a key"
      case 404: "the server may have moved; --api URL names another"
      case 429: "it asks for patience; run again later"
      default: "run again later"
      }
    return Problem(
      .unavailable, "answers \(status)" + (words.isEmpty ? "" : ": \(words)"), at: place, hint: hint)
  }
}

/// Text of servers in messages.
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
