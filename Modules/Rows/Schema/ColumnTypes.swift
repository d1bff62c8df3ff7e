/// Types of some columns, by name: what `--types` or a metadata file says. Names are compared byte for byte, so that
/// “é” in one code point and in two are two columns.
public struct ColumnTypes: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  private var types: [[UInt8]: ColumnType] = [:]
  private var decimalSizes: [[UInt8]: DecimalSize] = [:]

  /// Whether the types are for several tables, each of which may lack some of the columns.
  public var areShared = false

  /// Creates an empty set of types.
  public init() {}
  /// Creates types by column name; for a duplicate name, the last type applies.
  public init(dictionaryLiteral elements: (String, ColumnType)...) {
    for (name, type) in elements { self[name] = type }
  }

  /// The types of `columns`.
  public init(_ columns: some Sequence<ColumnDescription>) {
    for column in columns { self[column.name] = column.type }
  }

  /// The given type of the column `name`; nil if none is given.
  public subscript(_ name: String) -> ColumnType? {
    get { types[Array(name.utf8)] }
    set {
      types[Array(name.utf8)] = newValue
      decimalSizes[Array(name.utf8)] = nil
    }
  }
  /// Gives the column `name` decimals of a size.
  public mutating func set(_ name: String, to size: DecimalSize) {
    self[name] = .decimal
    decimalSizes[Array(name.utf8)] = size
  }
  /// The size of the decimals of the column `name`; nil for any number of digits.
  public func decimalSize(of name: String) -> DecimalSize? { decimalSizes[Array(name.utf8)] }
  /// Whether no type is given.
  public var isEmpty: Bool { types.isEmpty }
  /// The names of the columns with a given type, in byte order.
  public var names: [String] {
    types.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }
  /// The names that a table must have.
  public var required: [String] { areShared ? [] : names }
  /// Takes over what `other` says; where both say something, `other` holds.
  public mutating func merge(_ other: ColumnTypes) {
    types.merge(other.types) { $1 }
    for name in other.types.keys { decimalSizes[name] = other.decimalSizes[name] }
  }
}
