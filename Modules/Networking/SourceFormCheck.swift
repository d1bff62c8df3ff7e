import Codecs
import Rows

extension SourceForm {
  /// Checks the value at a place of a file, and everything in it.
  /// - Throws: `configuration` with the place, what is wrong, and the nearest right word.
  func check(_ node: SourceNode) throws(Problem) {
    switch self {
    case .constant(let value):
      guard node.json.integerValue == Int64(value) else {
        throw node.problem(
          "unsupported version; this program supports version \(value)", hint: "use \(value), or a newer version of bb")
      }
    case .text: try node.wantText()
    case .matching(let pattern):
      try node.wantText()
      guard pattern.holds(node.text) else {
        let complaint = pattern.complaint
        throw node.problem(
          "\(complaint.message)\(pattern == .url ? ", found" : "") \(RESTText.firstWords(Array(node.text.utf8)))",
          hint: complaint.hint)
      }
    case .choice(let words):
      try node.wantText()
      guard words.contains(node.text) else { throw node.unknown(node.text, "value", words) }
    case .integer(let least):
      guard let number = node.json.integerValue, number >= least, number <= Int32.max else {
        throw node.problem("expected an integer of at least \(least)")
      }
    case .positive:
      guard let number = node.json.realValue, number > 0 else { throw node.problem("expected a number greater than 0") }
    case .truth:
      guard node.json.booleanValue != nil else { throw node.problem("expected true or false") }
    case .pairs:
      guard node.json.objectMembers != nil else {
        throw node.problem("expected an object, found \(node.json.kindName)")
      }
      for (_, value) in node.pairNodes where value.json.numberLiteral == nil { try value.wantText() }
    case .texts(let keys, let values):
      guard node.json.objectMembers != nil else {
        throw node.problem("expected an object, found \(node.json.kindName)")
      }
      for (key, value) in node.pairNodes {
        guard keys.holds(key) else {
          throw node.problem(
            "\(keys.complaint.message) \(RESTText.firstWords(Array(key.utf8)))", hint: keys.complaint.hint)
        }
        try SourceForm.matching(values).check(value)
      }
    case .list(let element, let least):
      guard let elements = node.json.arrayValue else {
        throw node.problem("expected an array, found \(node.json.kindName)")
      }
      guard elements.count >= least else { throw node.problem("the array is empty") }
      for node in node.elements { try element.check(node) }
    case .object(let object): try object.check(node)
    case .variants(let tag, let objects):
      guard node.json.objectMembers != nil else {
        throw node.problem("expected an object, found \(node.json.kindName)")
      }
      guard let chosen = node[tag] else { throw node.problem("missing “\(tag)”") }
      try SourceForm.choice(objects.map(\.name)).check(chosen)
      for object in objects where object.name == chosen.text { try object.check(node, tag: tag) }
    case .wordOrMember(let words, let members):
      guard node.json.stringBytes == nil else { return try SourceForm.choice(words).check(node) }
      let object = SourceObject(summary: "", members: members)
      try object.check(node)
      guard node.json.objectMembers?.count == 1 else {
        throw node.problem("expected exactly one of \(members.map(\.key).joined(separator: ", "))")
      }
    }
  }
}

extension SourceObject {
  /// Checks that a value is an object with these members and no others.
  /// - Parameter tag: a member that has chosen this object.
  fileprivate func check(_ node: SourceNode, tag: String? = nil) throws(Problem) {
    guard let found = node.json.objectMembers else {
      throw node.problem("expected an object, found \(node.json.kindName)")
    }
    let known = (tag.map { [$0] } ?? []) + members.map(\.key)
    for member in found where !known.contains(member.name) { throw node.unknown(member.name, "key", known) }
    for member in members {
      guard let value = node[member.key] else {
        if member.isRequired { throw node.problem("missing “\(member.key)”") }
        continue
      }
      try member.form.check(value)
    }
    for condition in conditions {
      guard let value = node[condition.key] else { continue }
      let isMet = node[condition.other].map { condition.values.contains($0.text) } ?? condition.orAbsent
      guard isMet else { throw value.problem(condition.complaint) }
    }
  }
}
