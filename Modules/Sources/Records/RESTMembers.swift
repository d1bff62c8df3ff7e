import Codecs
import Domain
import Rows

/// The members that the records of a dataset have, compared with those that its columns read.
///
/// Mostly a record has the members of the one before: then a comparison of their names is all there is to do.
struct RESTMembers: Sendable {
  /// A member that is read, or that has such a member within.
  private struct Node {
    let key: [UInt8], pointer: String
    var children: [Int] = []
    /// Whether it is read as a whole, so that what is within does not matter.
    var isRead = false
    /// Whether records may do without it.
    var isOptional = true
    var isFound = false
    var kinds: Kinds = []
    /// The children that the last object had, and their positions among its members.
    var places: [(child: Int, member: Int)] = []
    /// The names of the members of the last object at this place, and how many objects in a row had them.
    var lastKeys: [[UInt8]] = []
    var run = 0
    /// Members that nothing reads, with the number of objects that have them.
    var unread: [String: Int] = [:]
  }
  /// Kinds of JSON values, without null.
  struct Kinds: OptionSet, Sendable {
    let rawValue: UInt8
    static let text = Kinds(rawValue: 1), number = Kinds(rawValue: 2), boolean = Kinds(rawValue: 4)
    static let object = Kinds(rawValue: 8), array = Kinds(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ value: JSON) {
      switch value {
      case .null: self = []
      case .string: self = .text
      case .number: self = .number
      case .boolean: self = .boolean
      case .object: self = .object
      case .array: self = .array
      }
    }
    var names: String {
      let all: [(Kinds, String)] = [
        (.text, "text"), (.number, "number"), (.boolean, "boolean"), (.object, "object"), (.array, "array"),
      ]
      return all.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
    }
  }
  private var nodes = [Node(key: [], pointer: "")]
  private(set) var records = 0
  /// Names of unread members that are kept for each object.
  private static let most = 1000

  /// - Parameters:
  ///   - columns: those that records of this kind fill.
  ///   - others: pointers of members that may be there or not.
  init(_ columns: [SourceColumn], others: [String]) throws(Problem) {
    for column in columns {
      let pointers = column.pointers, isOptional = column.isOptional || column.missing != nil || pointers.count > 1
      for pointer in pointers { try add(pointer, isOptional: isOptional) }
    }
    for pointer in others where !pointer.hasPrefix("#") { try add(pointer, isOptional: true) }
  }

  private mutating func add(_ pointer: String, isOptional: Bool) throws(Problem) {
    var node = 0, steps: [String] = []
    for step in try JSONPointer(pointer).steps {
      steps.append(step)
      let key = Array(step.utf8)
      if let known = nodes[node].children.first(where: { nodes[$0].key == key }) {
        node = known
      } else {
        nodes[node].children.append(nodes.count)
        node = nodes.count
        nodes.append(Node(key: key, pointer: JSONPointer(steps: steps).description))
      }
    }
    nodes[node].isRead = true
    if !isOptional { nodes[node].isOptional = false }
  }

  mutating func add(_ record: JSON) {
    records += 1
    visit(0, record)
  }

  private mutating func visit(_ node: Int, _ value: JSON) {
    switch value {
    case .object(let members): visit(node, members)
    case .array(let elements): visit(node, elements)
    default: break
    }
  }

  private mutating func visit(_ node: Int, _ members: [JSON.Member]) {
    if nodes[node].run > 0, members.count == nodes[node].lastKeys.count,
      zip(members, nodes[node].lastKeys).allSatisfy({ $0.key == $1 })
    {
      nodes[node].run += 1
    } else {
      note(node)
      nodes[node].lastKeys = members.map(\.key)
      nodes[node].run = 1
      nodes[node].places = nodes[node].children.compactMap { child in
        let key = nodes[child].key
        return members.firstIndex { $0.key == key }.map { (child, $0) }
      }
      for place in nodes[node].places { nodes[place.child].isFound = true }
    }
    for place in nodes[node].places { add(members[place.member].value, to: place.child) }
  }

  private mutating func visit(_ node: Int, _ elements: [JSON]) {
    for child in nodes[node].children {
      guard let index = Int(String(decoding: nodes[child].key, as: UTF8.self)), elements.indices.contains(index)
      else { continue }
      nodes[child].isFound = true
      add(elements[index], to: child)
    }
  }

  private mutating func add(_ value: JSON, to child: Int) {
    nodes[child].kinds.formUnion(Kinds(value))
    if !nodes[child].children.isEmpty { visit(child, value) }
  }

  /// Counts the unread members of the objects that had the same names in a row.
  private mutating func note(_ node: Int) {
    let run = nodes[node].run
    nodes[node].run = 0
    guard run > 0, !nodes[node].isRead else { return }
    for key in nodes[node].lastKeys where !nodes[node].children.contains(where: { nodes[$0].key == key }) {
      let name = String(decoding: key, as: UTF8.self)
      guard nodes[node].unread[name] != nil || nodes[node].unread.count < Self.most else { continue }
      nodes[node].unread[name, default: 0] += run
    }
  }

  /// Adds what was counted in other records.
  mutating func add(_ other: RESTMembers) {
    var other = other
    records += other.records
    for node in nodes.indices {
      note(node)
      other.note(node)
      nodes[node].isFound = nodes[node].isFound || other.nodes[node].isFound
      nodes[node].kinds.formUnion(other.nodes[node].kinds)
      nodes[node].unread.merge(other.nodes[node].unread, uniquingKeysWith: +)
    }
  }

  /// Whether no record had any of the members that a column reads, although it requires one.
  func lacks(_ column: SourceColumn) -> Bool {
    guard records > 0, !column.isOptional, column.missing == nil, !column.pointers.isEmpty else { return false }
    // A pointer to the whole record is always found.
    return column.pointers.allSatisfy { pointer in
      !pointer.isEmpty && nodes.contains { $0.pointer == pointer && !$0.isFound }
    }
  }

  /// The kinds of the values that a column reads.
  func kinds(of column: SourceColumn) -> Kinds {
    column.pointers.reduce(into: Kinds()) { kinds, pointer in
      for node in nodes where node.pointer == pointer { kinds.formUnion(node.kinds) }
    }
  }

  /// The differences from the description.
  /// - Parameter isPartial: whether these are some of the records, so that the absence of a member means nothing.
  func findings(_ dataset: String, isPartial: Bool) -> [MemberFinding] {
    guard records > 0 else { return [] }
    var all = self
    for node in nodes.indices { all.note(node) }
    var unmapped: [MemberFinding] = []
    for node in all.nodes {
      let steps = (try? JSONPointer(node.pointer))?.steps ?? []
      for (name, count) in node.unread.sorted(by: { $0.key < $1.key }) {
        unmapped.append(
          MemberFinding(.unmapped, in: dataset, JSONPointer(steps: steps + [name]).description, count: count))
      }
    }
    var vanished: [MemberFinding] = []
    for node in all.nodes where !isPartial && node.isRead && !node.isOptional && !node.isFound && !node.key.isEmpty {
      vanished.append(MemberFinding(.vanished, in: dataset, node.pointer, count: records))
    }
    let present = all.nodes.filter { $0.isRead && $0.isFound }.map(\.pointer)
    for index in vanished.indices {
      vanished[index].nearest = Self.nearest(to: vanished[index].pointer, among: unmapped.map(\.pointer))
    }
    if vanished.count == 1, unmapped.count == 1 { vanished[0].nearest = unmapped[0].pointer }
    for index in unmapped.indices {
      let meant = vanished.first { $0.nearest == unmapped[index].pointer }?.pointer
      unmapped[index].nearest = meant ?? Self.nearest(to: unmapped[index].pointer, among: present)
    }
    return vanished + unmapped
  }

  /// The pointer whose last step is spelt most alike: by few letters, or with letters omitted (`img` of `images`).
  private static func nearest(to pointer: String, among others: [String]) -> String? {
    func name(_ pointer: String) -> String {
      pointer.split(separator: "/").last.map { $0.lowercased() } ?? ""
    }
    let wanted = name(pointer)
    if let word = SpellingSuggestion.word(to: wanted, among: others.map(name)) {
      return others.first { name($0) == word }
    }
    return others.first { other in
      let (short, long) = name(other).count < wanted.count ? (name(other), wanted) : (wanted, name(other))
      guard short.count >= 3, short.first == long.first else { return false }
      var rest = long[...]
      return short.allSatisfy { letter in
        guard let place = rest.firstIndex(of: letter) else { return false }
        rest = rest[rest.index(after: place)...]
        return true
      }
    }
  }
}
