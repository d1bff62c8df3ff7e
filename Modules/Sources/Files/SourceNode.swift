import Domain
import Codecs
import Rows

/// A value of a source definition and its location, so that every error names its place.
///
/// A `SourceForm` validates it; values read afterwards exist. For a value of another kind, text is empty and numbers
/// are 0.
struct SourceNode {
  let json: JSON
  private let file: String
  private let steps: [String]
  /// JSON Pointer in the document.
  var path: String { JSONPointer(steps: steps).description }

  init(_ json: JSON, file: String) {
    self.init(json, file: file, steps: [])
  }
  private init(_ json: JSON, file: String, steps: [String]) {
    self.json = json
    self.file = file
    self.steps = steps
  }

  // MARK: - Errors

  func problem(_ message: String, hint: Remedy = "") -> Problem {
    let place = "\(file): \(path.isEmpty ? "the document" : path)"
    return Problem(.configuration, message, at: place, hint: hint)
  }

  /// A word that is none of those known.
  func unknown(_ word: String, _ kind: String, _ known: [String]) -> Problem {
    return problem(
      "unknown \(kind) \(RESTText.firstWords(Array(word.utf8)))", hint: .choose(word, from: known, "expected one of"))
  }

  /// Something of a later version of the grammar.
  func later(_ version: Int) -> Problem {
    problem("belongs to version \(version)", hint: "write \"bb_source\": \(version)")
  }

  /// Whether this is text; notes a problem if it is not.
  func isText(_ problems: SourceProblems) -> Bool {
    if json.stringBytes != nil { return true }
    problems.note(problem("expected a string, found \(json.kindName)"))
    return false
  }

  /// Whether this is an object; notes a problem if it is not.
  func isObject(_ problems: SourceProblems) -> Bool {
    if json.objectMembers != nil { return true }
    problems.note(problem("expected an object, found \(json.kindName)"))
    return false
  }

  // MARK: - Values

  /// The member called `key`; nil when there is none.
  subscript(_ key: String) -> SourceNode? {
    json[key].map { SourceNode($0, file: file, steps: steps + [key]) }
  }
  var elements: [SourceNode] {
    (json.arrayValue ?? []).enumerated().map { SourceNode($1, file: file, steps: steps + ["\($0)"]) }
  }
  var oneOrMore: [SourceNode] { json.arrayValue == nil ? [self] : elements }
  var text: String { json.stringValue ?? "" }
  var texts: [String] { elements.map(\.text) }
  var integer: Int { json.integerValue.flatMap { Int(exactly: $0) } ?? 0 }
  /// The members of an object, with their keys.
  var pairNodes: [(key: String, value: SourceNode)] {
    (json.objectMembers ?? []).compactMap { member in self[member.name].map { (member.name, $0) } }
  }
  /// An object of texts or numbers, numbers as they are written.
  var pairs: [SourceParameter] {
    pairNodes.map { key, value in
      SourceParameter(key, value.json.numberLiteral.map { String(decoding: $0, as: UTF8.self) } ?? value.text)
    }
  }
}
