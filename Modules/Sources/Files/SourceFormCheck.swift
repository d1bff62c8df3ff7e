import Codecs
import Domain
import Rows

/// The problems of a source definition that were found so far.
final class SourceProblems {
  private static let most = 20
  private(set) var all: [Problem] = []
  /// The version of the grammar that the file declares.
  let grammar: Int

  init(grammar: Int) { self.grammar = grammar }

  func note(_ problem: Problem) { if all.count < Self.most { all.append(problem) } }

  /// - Throws: the first problem, with the others.
  func check() throws(Problem) {
    guard var first = all.first else { return }
    first.others = Array(all.dropFirst())
    throw first
  }
}

extension SourceForm {
  /// Checks the value at a place of a file, and everything in it: place, problem, and the nearest right word.
  func check(_ node: SourceNode, _ problems: SourceProblems) {
    switch self {
    case .version:
      guard node.json.integerValue == 1 || node.json.integerValue == 2 else {
        problems.note(
          node.problem(
            "unsupported version; this program supports versions 1 and 2", hint: "use 2, or a newer version of bb"))
        return
      }
    case .text: _ = node.isText(problems)
    case .matching(let pattern):
      guard node.isText(problems), !pattern.holds(node.text) else { return }
      let complaint = pattern.complaint, isURL = [.url, .urlTemplate, .link].contains(pattern)
      // It may have a login.
      let shown = isURL ? URLText.redacted(node.text) : node.text
      problems.note(
        node.problem(
          "\(complaint.message)\(isURL ? ", found" : "") \(RESTText.firstWords(Array(shown.utf8)))",
          hint: complaint.hint))
    case .choice(let words):
      guard node.isText(problems), !words.contains(node.text) else { return }
      problems.note(node.unknown(node.text, "value", words))
    case .integer(let least):
      guard let number = node.json.integerValue, number >= least, number <= Int32.max else {
        return problems.note(node.problem("expected an integer of at least \(least)"))
      }
    case .positive:
      guard let number = node.json.realValue, number > 0 else {
        return problems.note(node.problem("expected a number greater than 0"))
      }
    case .truth:
      if node.json.booleanValue == nil { problems.note(node.problem("expected true or false")) }
    case .null: if !node.json.isNull { problems.note(node.problem("expected null")) }
    case .scalar:
      guard isKind(of: node.json) else {
        return problems.note(node.problem("expected a string, a number, true or false, found \(node.json.kindName)"))
      }
    case .any: break
    case .pairs:
      guard node.isObject(problems) else { return }
      for (_, value) in node.pairNodes where value.json.numberLiteral == nil { _ = value.isText(problems) }
    case .entries(let keys, let values):
      guard node.isObject(problems) else { return }
      for (key, value) in node.pairNodes {
        if !keys.holds(key) {
          problems.note(
            node.problem("\(keys.complaint.message) \(RESTText.firstWords(Array(key.utf8)))", hint: keys.complaint.hint)
          )
        }
        values.check(value, problems)
      }
    case .list(let element, let least):
      guard let elements = node.json.arrayValue else {
        return problems.note(node.problem("expected an array, found \(node.json.kindName)"))
      }
      if elements.count < least {
        problems.note(node.problem(elements.isEmpty ? "the array is empty" : "expected at least \(least) elements"))
      }
      for node in node.elements { element.check(node, problems) }
    case .object(let object): object.check(node, problems)
    case .variants(let tag, let objects):
      guard node.isObject(problems) else { return }
      guard let chosen = node[tag] else { return problems.note(node.problem("missing “\(tag)”")) }
      guard chosen.isText(problems) else { return }
      guard let object = objects.first(where: { $0.name == chosen.text }) else {
        return problems.note(
          chosen.unknown(chosen.text, "value", objects.filter { $0.since <= problems.grammar }.map(\.name)))
      }
      guard object.since <= problems.grammar else { return problems.note(chosen.later(object.since)) }
      object.check(node, problems, tag: tag)
    case .wordOrMember(let words, let members):
      guard node.json.stringBytes == nil else {
        if let word = words.first(where: { $0.text == node.text }) {
          if word.since > problems.grammar { problems.note(node.later(word.since)) }
        } else {
          problems.note(node.unknown(node.text, "value", words.filter { $0.since <= problems.grammar }.map(\.text)))
        }
        return
      }
      let before = problems.all.count
      SourceObject(summary: "", members: members).check(node, problems)
      guard problems.all.count == before, node.json.objectMembers?.count != 1 else { return }
      problems.note(
        node.problem(
          "expected exactly one of "
            + members.filter { $0.since <= problems.grammar }.map(\.key).joined(separator: ", ")))
    case .either(let forms):
      if let form = forms.first(where: { $0.isKind(of: node.json) }) { return form.check(node, problems) }
      forms[0].check(node, problems)
    }
  }
}

extension SourceObject {
  /// Checks that a value is an object with these members and no others.
  /// - Parameter tag: a member that has chosen this object.
  fileprivate func check(_ node: SourceNode, _ problems: SourceProblems, tag: String? = nil) {
    guard node.isObject(problems) else { return }
    let grammar = problems.grammar
    let known = (tag.map { [$0] } ?? []) + members.filter { $0.since <= grammar }.map(\.key)
    var meant: Set<String> = []
    for member in node.pairNodes where !known.contains(member.key) {
      if let word = SpellingSuggestion.word(to: member.key, among: known) { meant.insert(word) }
      if let later = members.first(where: { $0.key == member.key }) {
        problems.note(member.value.later(later.since))
      } else {
        problems.note(node.unknown(member.key, "key", known))
      }
    }
    for member in members where member.since <= grammar {
      guard let value = node[member.key] else {
        // A misspelt key is not missing as well.
        if member.isRequired(in: grammar), !meant.contains(member.key) {
          problems.note(node.problem("missing “\(member.key)”"))
        }
        continue
      }
      member.check(value, problems)
    }
    for condition in conditions where condition.last >= grammar {
      guard let value = node[condition.key] else { continue }
      let isMet = node[condition.other].map { condition.values.contains($0.text) } ?? condition.orAbsent
      if !isMet { problems.note(value.problem(condition.complaint)) }
    }
  }
}

extension SourceMember {
  fileprivate func check(_ node: SourceNode, _ problems: SourceProblems) {
    guard problems.grammar == 1, let newer else { return form(in: problems.grammar).check(node, problems) }
    // A value of a kind that only the next version accepts belongs to that version.
    if !form.isKind(of: node.json), newer.isKind(of: node.json) { return problems.note(node.later(2)) }
    form.check(node, problems)
  }
}
