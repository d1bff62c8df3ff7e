import Codecs
import Domain

typealias SourcePath<Whole, Value> = any WritableKeyPath<Whole, Value> & Sendable

/// A kind of values in a source definition: the form that is accepted, and the conversions from and to JSON.
struct SourceKind<Value: Sendable>: Sendable {
  /// The form in version 1, and in later ones unless `newer` is another.
  let form: SourceForm
  /// The form in version 2; nil for the same.
  let newer: SourceForm?
  /// The value at a node of this form; nil if there is none.
  let read: @Sendable (SourceNode) -> Value?
  let write: @Sendable (Value) -> JSON

  init(
    _ form: SourceForm, newer: SourceForm? = nil, read: @escaping @Sendable (SourceNode) -> Value?,
    write: @escaping @Sendable (Value) -> JSON
  ) {
    (self.form, self.newer, self.read, self.write) = (form, newer, read, write)
  }

  /// A list of at least `least` values of a kind.
  static func list<Element>(_ kind: SourceKind<Element>, least: Int = 0) -> Self where Value == [Element] {
    SourceKind(
      .list(kind.form, least: least), newer: kind.newer.map { .list($0, least: least) },
      read: { $0.elements.compactMap(kind.read) }, write: { .array($0.map(kind.write)) })
  }
  /// A value of a kind or, in version 2, a list of them.
  static func oneOrMore<Element>(_ kind: SourceKind<Element>) -> Self where Value == [Element] {
    let newer = kind.newer ?? kind.form
    return SourceKind(
      kind.form, newer: .either([newer, .list(newer, least: 1)]), read: { $0.oneOrMore.compactMap(kind.read) },
      write: { $0.count == 1 ? kind.write($0[0]) : .array($0.map(kind.write)) })
  }
  /// An object whose keys are the names of elements.
  static func entries<Element>(
    _ name: SourcePath<Element, String>, _ keys: SourcePattern, _ kind: SourceKind<Element>
  ) -> Self where Value == [Element] {
    SourceKind(
      .entries(keys: keys, values: kind.form),
      read: { node in
        node.pairNodes.compactMap { key, value in
          var element = kind.read(value)
          element?[keyPath: name] = key
          return element
        }
      }, write: { .object($0.map { JSON.Member($0[keyPath: name], kind.write($0)) }) })
  }
  static func object(_ table: SourceTable<Value>) -> Self {
    SourceKind(.object(table.object), read: { table.read($0) }, write: { .object(table.members($0)) })
  }
  /// An object whose member `tag` says which of the tables has its keys.
  static func variants<Tag: RawRepresentable<String> & Sendable>(
    _ tag: String, _ path: SourcePath<Value, Tag>, _ tables: [SourceTable<Value>]
  ) -> Self {
    @Sendable func table(_ name: String) -> SourceTable<Value> { tables.first { $0.object.name == name } ?? tables[0] }
    return SourceKind(
      .variants(tag: tag, tables.map(\.object)),
      read: { node in
        let name = node[tag]?.text ?? ""
        var value = table(name).read(node)
        if let tag = Tag(rawValue: name) { value[keyPath: path] = tag }
        return value
      },
      write: { value in
        let name = value[keyPath: path].rawValue
        return .object([JSON.Member(tag, .string(name))] + table(name).members(value))
      })
  }
}

extension SourceKind where Value == String {
  static var text: Self { SourceKind(.text, read: { $0.text }, write: { .string($0) }) }
  /// A text, a number, `true` or `false`, as text.
  static var scalar: Self { SourceKind(.scalar, read: { $0.json.parameterText }, write: { .string($0) }) }
  static func matching(_ pattern: SourcePattern, newer: SourcePattern? = nil) -> Self {
    SourceKind(.matching(pattern), newer: newer.map { .matching($0) }, read: { $0.text }, write: { .string($0) })
  }
  static func choice(_ words: [String]) -> Self {
    SourceKind(.choice(words), read: { $0.text }, write: { .string($0) })
  }
}
extension SourceKind where Value: RawRepresentable<String> {
  /// One of some words; in version 1 perhaps fewer.
  static func word(_ all: [Value], first: [Value]? = nil) -> Self {
    SourceKind(
      .choice((first ?? all).map(\.rawValue)), newer: first == nil ? nil : .choice(all.map(\.rawValue)),
      read: { Value(rawValue: $0.text) }, write: { .string($0.rawValue) })
  }
}
extension SourceKind where Value: RawRepresentable<String> & CaseIterable {
  static var word: Self { word(Array(Value.allCases)) }
}
extension SourceKind where Value == Int {
  static func integer(least: Int) -> Self {
    SourceKind(.integer(least: least), read: { $0.integer }, write: { .number(Int64($0)) })
  }
}
extension SourceKind where Value == Bool {
  static var truth: Self { SourceKind(.truth, read: { $0.json.booleanValue }, write: { .boolean($0) }) }
}
extension SourceKind where Value == JSON {
  static var any: Self { SourceKind(.any, read: { $0.json }, write: { $0 }) }
}
extension SourceKind where Value == [SourceParameter] {
  static var pairs: Self {
    SourceKind(.pairs, read: { $0.pairs }, write: { .object($0.map { JSON.Member($0.name, .string($0.value)) }) })
  }
  static var headers: Self {
    .entries(
      \.name, .field,
      SourceKind<SourceParameter>(
        .matching(.line), read: { SourceParameter("", $0.text) }, write: { .string($0.value) }))
  }
}

/// A key of an object of a source definition, which nothing else names: checking, reading, writing, the schema and the
/// tables of the documentation follow from it.
struct SourceKey<Whole: Sendable>: Sendable {
  private(set) var member: SourceMember
  /// The key that it precedes in a written file, or no text for the end; nil for its place in the table.
  private(set) var successor: String?
  private(set) var isAlwaysWritten = false
  let read: @Sendable (SourceNode, inout Whole) -> Void
  /// The value to write; nil if it is the same as that of the second value.
  let write: @Sendable (Whole, Whole?) -> JSON?

  /// A key with a value of its own, which is not written if it is the usual one.
  static func key<Value: Sendable & Equatable>(
    _ name: String, _ path: SourcePath<Whole, Value>, _ kind: SourceKind<Value>, _ summary: String,
    since: Int = 1
  ) -> Self {
    SourceKey(
      member: SourceMember(name, kind.form, newer: kind.newer, summary, since: since),
      read: { node, whole in if let value = kind.read(node) { whole[keyPath: path] = value } },
      write: { whole, usual in
        whole[keyPath: path] == usual?[keyPath: path] ? nil : kind.write(whole[keyPath: path])
      })
  }
  /// A key whose value is nil if it is missing.
  static func optional<Value: Sendable>(
    _ name: String, _ path: SourcePath<Whole, Value?>, _ kind: SourceKind<Value>, _ summary: String,
    since: Int = 1
  ) -> Self {
    SourceKey(
      member: SourceMember(name, kind.form, newer: kind.newer, summary, since: since),
      read: { node, whole in whole[keyPath: path] = kind.read(node) },
      write: { whole, _ in whole[keyPath: path].map(kind.write) })
  }
  /// A key whose object has further keys of the same value, and is not written without them.
  static func part(_ name: String, _ table: SourceTable<Whole>, _ summary: String, since: Int = 1) -> Self {
    SourceKey(
      member: SourceMember(name, .object(table.object), summary, since: since),
      read: { node, whole in table.read(node, into: &whole) },
      write: { whole, _ in
        let members = table.members(whole)
        return members.isEmpty ? nil : .object(members)
      })
  }
  /// The same key of a larger value.
  func of<Larger: Sendable>(_ path: SourcePath<Larger, Whole>) -> SourceKey<Larger> {
    SourceKey<Larger>(
      member: member, successor: successor, isAlwaysWritten: isAlwaysWritten,
      read: { [read] node, whole in read(node, &whole[keyPath: path]) },
      write: { [write] whole, usual in write(whole[keyPath: path], usual?[keyPath: path]) })
  }
  /// The key, which must be there up to a version of the grammar.
  func required(upTo last: Int = 9) -> Self {
    var key = self
    key.member.requiredIn = 1...last
    key.isAlwaysWritten = last == 9
    return key
  }
  /// The key, which precedes another in a written file.
  func written(before successor: String) -> Self {
    var key = self
    key.successor = successor
    return key
  }
}

/// The keys of an object, and the value that they describe.
struct SourceTable<Whole: Sendable>: Sendable {
  let object: SourceObject
  /// The value of an object without keys.
  private let usual: Whole
  private let keys: [SourceKey<Whole>]
  private let written: [SourceKey<Whole>]

  /// - Parameters:
  ///   - name: the value of the tag that chooses it, where there is one.
  ///   - keys: the keys, in the order of the schema.
  init(
    _ usual: Whole, name: String = "", _ summary: String, since: Int = 1, conditions: [SourceCondition] = [],
    _ keys: [SourceKey<Whole>]
  ) {
    (self.usual, self.keys) = (usual, keys)
    object = SourceObject(
      name: name, summary: summary, members: keys.map(\.member), conditions: conditions, since: since)
    var written = keys.filter { $0.successor == nil }
    for key in keys {
      guard let successor = key.successor else { continue }
      written.insert(key, at: written.firstIndex { $0.member.key == successor } ?? written.count)
    }
    self.written = written
  }

  func read(_ node: SourceNode) -> Whole {
    var whole = usual
    read(node, into: &whole)
    return whole
  }
  func read(_ node: SourceNode, into whole: inout Whole) {
    for key in keys { if let value = node[key.member.key] { key.read(value, &whole) } }
  }
  /// The members of the object that describes a value.
  func members(_ whole: Whole) -> [JSON.Member] {
    written.compactMap { key in
      key.write(whole, key.isAlwaysWritten ? nil : usual).map { JSON.Member(key.member.key, $0) }
    }
  }
}
