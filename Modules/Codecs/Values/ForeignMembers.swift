package import Rows

/// The values in a document of another program that a table has no columns for: a JSON object in the column `extra`,
/// from which writers of the same format take what they have a place for.
///
/// Members are called as in the document: elements of GPX and KML (`sym`, `extensions`), `properties` of GeoJSON,
/// properties of vCards with their parameters (`TEL;TYPE=HOME`), and `elevation` in all of them.
public struct ForeignMembers: Sendable, Hashable {
  /// The name of the column.
  public static let column = "extra"
  /// Meters above sea level.
  public static let elevation = "elevation"

  /// The members, in the order of the document.
  public private(set) var members: [JSON.Member] = []

  /// No members.
  public init() {}

  /// The members of an object; nil for any other value.
  public init?(_ text: [UInt8]) {
    guard let members = (try? JSON.parse(text, name: Self.column))?.objectMembers else { return nil }
    self.members = members
  }

  /// Where a table has the column.
  package static func position(in schema: Schema) -> Int? {
    schema.position(of: column).flatMap { schema.columns[$0].type == .json ? $0 : nil }
  }

  /// The members of a record.
  /// - Parameter column: where they are; nil for none.
  package init(_ batch: RowBatch, _ row: Int, _ column: Int?) {
    guard let column, case .json(let text) = batch.value(row, column) else { return }
    // Any other value than an object is a rest.
    self = ForeignMembers(text) ?? ForeignMembers(members: [JSON.Member(Self.column, .string(text))])
  }

  private init(members: [JSON.Member]) { self.members = members }

  /// Adds a value; those of one name become an array.
  public mutating func add(_ name: String, _ value: JSON) {
    guard let position = members.firstIndex(where: { $0.key.elementsEqual(name.utf8) }) else {
      members.append(JSON.Member(name, value))
      return
    }
    let known = members[position].value
    members[position] = JSON.Member(name, .array((known.arrayValue ?? [known]) + [value]))
  }

  /// Adds a number as a document writes it.
  public mutating func add(_ name: String, number text: String) {
    let number = try? JSON.parse(Array(text.utf8), name: name)
    add(name, number?.numberLiteral == nil ? .string(text) : .number(Array(text.utf8)))
  }

  /// Adds the members of another object that are not here.
  public mutating func merge(_ others: ForeignMembers) {
    for member in others.members where self[member.name] == nil { members.append(member) }
  }

  /// The value of a member; nil for none.
  public subscript(_ name: String) -> JSON? { members.first { $0.key.elementsEqual(name.utf8) }?.value }

  /// Removes a member that `body` writes.
  /// - Parameter body: returns whether it did.
  package mutating func take(_ name: String, _ body: (JSON) -> Bool) {
    guard let position = members.firstIndex(where: { $0.key.elementsEqual(name.utf8) }) else { return }
    if body(members[position].value) { members.remove(at: position) }
  }

  /// Removes the members that `body` writes.
  package mutating func takeAll(_ body: (JSON.Member) -> Bool) { members.removeAll(where: body) }

  /// The object, its members in order of their names, whichever format they come from; nil if it has none.
  public var text: [UInt8]? {
    let sorted = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return sorted.isEmpty ? nil : JSON.object(sorted).canonicalBytes
  }
}
