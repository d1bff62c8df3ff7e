internal import Codecs
internal import Domain

/// A value of a source's file, and where it stands, so that every complaint names its place.
struct SourceNode {
  let json: JSON
  private let file: String
  private let path: String

  /// The whole document.
  init(_ json: JSON, file: String) {
    self.init(json, file: file, path: "")
  }
  private init(_ json: JSON, file: String, path: String) {
    self.json = json
    self.file = file
    self.path = path
  }

  /// The value of a member; null when there is none.
  func member(_ key: String) -> SourceNode {
    SourceNode(json[key] ?? .null, file: file, path: "\(path)/\(key)")
  }

  /// What is wrong here.
  func problem(_ message: String, hint: String = "") -> Problem {
    let place = "\(file): \(path.isEmpty ? "the document" : path)"
    return Problem(.configuration, message, at: place, hint: hint)
  }

  /// A word that is none of those known.
  func unknown(_ word: String, _ kind: String, _ known: [String]) -> Problem {
    let near = Nearest.word(to: word, among: known).map { "did you mean \($0)?" }
    let all = known.isEmpty ? "" : "there are: \(known.joined(separator: ", "))"
    return problem("no \(kind) \(RESTText.firstWords(Array(word.utf8)))", hint: near ?? all)
  }

  /// The members of an object that may have these keys and no others.
  func object(_ keys: [String]) throws(Problem) -> Members {
    guard let members = json.objectMembers else { throw problem("\(json.kindName), not an object") }
    for member in members where !keys.contains(member.name) { throw unknown(member.name, "key", keys) }
    return Members(node: self)
  }

  /// The members of an object whose keys are known.
  struct Members {
    fileprivate let node: SourceNode
    /// A member that may be left out.
    subscript(_ key: String) -> SourceNode? { node.json[key] == nil ? nil : node.member(key) }
    /// A member that must be there.
    func required(_ key: String) throws(Problem) -> SourceNode {
      guard let member = self[key] else { throw node.problem("“\(key)” is missing") }
      return member
    }
  }

  /// The elements of an array.
  func elements() throws(Problem) -> [SourceNode] {
    guard let elements = json.arrayValue else { throw problem("\(json.kindName), not an array") }
    return elements.enumerated().map { SourceNode($1, file: file, path: "\(path)/\($0)") }
  }

  /// A text.
  func text() throws(Problem) -> String {
    guard let text = json.stringValue else { throw problem("\(json.kindName), not a text") }
    return text
  }

  /// A list of texts.
  func texts() throws(Problem) -> [String] {
    var texts: [String] = []
    for element in try elements() { texts.append(try element.text()) }
    return texts
  }

  /// A name of a source, dataset or column: not empty, without control characters.
  func word() throws(Problem) -> String {
    let word = try text()
    guard !word.isEmpty, word.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw problem("not a name", hint: "write letters, digits and underscores")
    }
    return word
  }

  /// A path below the base URL.
  func urlPath() throws(Problem) -> String {
    let path = try text()
    guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw problem("not a path", hint: "begin it with a slash and encode blanks as %20")
    }
    return path
  }

  /// One of these words.
  func choice(_ words: [String]) throws(Problem) -> String {
    let word = try text()
    guard words.contains(word) else { throw unknown(word, "such thing as", words) }
    return word
  }

  /// A JSON Pointer.
  func pointer() throws(Problem) -> String {
    let pointer = try text()
    do throws(Problem) {
      _ = try JSONPointer(pointer)
      return pointer
    } catch {
      throw problem(error.message, hint: error.hint)
    }
  }

  /// An integer of at least `least`.
  func integer(atLeast least: Int) throws(Problem) -> Int {
    guard let number = json.integerValue, let value = Int(exactly: number), value >= least else {
      throw problem("not an integer of at least \(least)")
    }
    return value
  }

  /// An object of texts, as pairs.
  func pairs() throws(Problem) -> [SourceParameter] {
    guard let members = json.objectMembers else { throw problem("\(json.kindName), not an object") }
    var pairs: [SourceParameter] = []
    for member in members { pairs.append(SourceParameter(member.name, try self.member(member.name).scalar())) }
    return pairs
  }

  /// A text, or a number as it is written.
  private func scalar() throws(Problem) -> String {
    if let literal = json.numberLiteral { return String(decoding: literal, as: UTF8.self) }
    return try text()
  }
}
