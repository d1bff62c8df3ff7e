/// Types of some columns, by name: what `--types` or a metadata file says. Names are compared byte for byte, so that
/// “é” in one code point and in two are two columns.
public struct ColumnTypes: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  private var types: [[UInt8]: ColumnType] = [:]
  private var decimalSizes: [[UInt8]: DecimalSize] = [:]
  private var patterns: [[UInt8]: String] = [:]
  /// Columns of reals whose numbers are rounded to the nearest Double.
  private var rounded: Set<[UInt8]> = []
  private var spellings: [[UInt8]: ValueSpelling] = [:]
  /// Names with `*` for any text, in the order in which they were given.
  private var wildcards: [[UInt8]] = []

  /// Whether the types are for several tables, each of which may lack some of the columns.
  public var areShared = false
  /// Whether members of columns may have types too, which are applied where they become columns.
  public var takesMembers = false

  /// Creates an empty set of types.
  public init() {}
  /// Creates types by column name; for a duplicate name, the last type applies.
  public init(dictionaryLiteral elements: (String, ColumnType)...) {
    for (name, type) in elements { self[name] = type }
  }

  /// The types of `columns`, and the spellings of their values.
  public init(_ columns: some Sequence<ColumnDescription>) {
    for column in columns {
      self[column.name] = column.type
      if column.spelling != .usual { spellings[Array(column.name.utf8)] = column.spelling }
    }
  }

  /// The given type of the column `name`; nil if none is given.
  public subscript(_ name: String) -> ColumnType? {
    get { types[key(of: name)] }
    set {
      types[Array(name.utf8)] = newValue
      decimalSizes[Array(name.utf8)] = nil
      spellings[Array(name.utf8)] = nil
    }
  }
  /// Gives the column `name` decimals of a size.
  public mutating func set(_ name: String, to size: DecimalSize) {
    self[name] = .decimal
    decimalSizes[Array(name.utf8)] = size
  }
  /// The size of the decimals of the column `name`; nil for any number of digits.
  public func decimalSize(of name: String) -> DecimalSize? { decimalSizes[key(of: name)] }
  /// Makes the type of `name`, in which `*` stands for any text, that of all columns with such names that have no own.
  public mutating func addWildcard(_ name: String) { wildcards.append(Array(name.utf8)) }
  /// Gives the column `name` a type of values that are written by a pattern.
  public mutating func set(_ name: String, to type: ColumnType, pattern: String) {
    self[name] = type
    patterns[Array(name.utf8)] = pattern
  }
  /// The pattern of the values of the column `name`; nil for the usual one.
  public func pattern(of name: String) -> String? { patterns[key(of: name)] }
  /// The spelling of the values of the column `name`.
  public func spelling(of name: String) -> ValueSpelling { spellings[key(of: name)] ?? .usual }
  /// Makes the column `name` one of reals, to which its numbers are rounded.
  public mutating func round(_ name: String) {
    self[name] = .real
    rounded.insert(Array(name.utf8))
  }
  /// Whether the numbers of the column `name` are rounded.
  public func isRounded(_ name: String) -> Bool { rounded.contains(key(of: name)) }

  /// The key of the type of a column: its name, or else the first wildcard that matches it.
  private func key(of name: String) -> [UInt8] {
    let name = Array(name.utf8)
    if wildcards.isEmpty || name.isEmpty || types[name] != nil { return name }
    return wildcards.first { Self.matches(name[...], $0[...]) } ?? name
  }

  /// The first wildcard that stands for none of the columns of a table; nil if all do.
  public func unmatched(by names: [String]) -> String? {
    if areShared || names.isEmpty { return nil }
    let wildcard = wildcards.first { wildcard in
      wildcard != [UInt8(ascii: "*")] && !names.contains { Self.matches(Array($0.utf8)[...], wildcard[...]) }
    }
    return wildcard.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a name has the parts between the stars of a wildcard, in order.
  private static func matches(_ name: ArraySlice<UInt8>, _ wildcard: ArraySlice<UInt8>) -> Bool {
    let parts = wildcard.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, parts.count > 1, name.starts(with: first),
      name.count >= first.count + last.count, name.reversed().starts(with: last.reversed())
    else { return false }
    var rest = name.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      while !rest.starts(with: part) {
        if rest.isEmpty { return false }
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst(part.count)
    }
    return true
  }
  /// Whether no type is given.
  public var isEmpty: Bool { types.isEmpty }
  /// The names of the columns with a given type, in byte order, without wildcards.
  public var names: [String] {
    types.keys.filter { !wildcards.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
  /// The names that a table must have and lacks; `isNested` says whether a column may have members.
  public func missing(_ has: (String) -> Bool, isNested: (String) -> Bool) -> [String] {
    func isMember(_ name: String) -> Bool {
      takesMembers && name.indices.contains { ".[".contains(name[$0]) && isNested(String(name[..<$0])) }
    }
    return areShared ? [] : names.filter { !has($0) && !isMember($0) }
  }
  /// Takes over what `other` says; where both say something, `other` holds.
  public mutating func merge(_ other: ColumnTypes) {
    types.merge(other.types) { $1 }
    for name in other.types.keys {
      decimalSizes[name] = other.decimalSizes[name]
      patterns[name] = other.patterns[name]
      spellings[name] = other.spellings[name]
      if other.rounded.contains(name) { rounded.insert(name) } else { rounded.remove(name) }
    }
    wildcards += other.wildcards.filter { !wildcards.contains($0) }
  }
}
