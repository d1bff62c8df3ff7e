/// One column: what DDL, headers, help texts, completions and tests are derived from.
public struct ColumnDescription: Sendable, Hashable {
  /// The column's name, as in headers and on the command line.
  public let name: String
  /// The type of its values.
  public let type: ColumnType
  /// Whether a value may be null.
  public let isNullable: Bool
  /// One sentence without a full stop, shown by `bb-export datasets`.
  public let summary: String
  /// The unit of a number (`minutes`, `%`, `degrees`); empty when there is none.
  public let unit: String
  /// Whether the user added the column to a store by hand. Such columns are kept, after the others.
  public let isExtra: Bool
  /// Whether every value has an SQL type of its own, as in a column of a foreign database that holds numbers, text and
  /// BLOBs. `type` is `json`; no value is a list or an object.
  public let isMixed: Bool
  /// Its part in the presentation of a record, if it is declared; see `Schema.roles`.
  public let role: ColumnRole?
  /// The spelling of the values in the source, if it is not the usual one: CSV and similar formats write it again.
  public var spelling = ValueSpelling.usual
  /// The type in the source, as long as the values are those of the source; nil if `type` says all of it.
  public var stored: StoredType?
  /// The header of the source, if the name was made because that is empty or a duplicate.
  public var title: String?

  /// A column `name` of `type`.
  public init(
    _ name: String, _ type: ColumnType, nullable: Bool = true, _ summary: String = "", unit: String = "",
    extra: Bool = false, mixed: Bool = false, role: ColumnRole? = nil
  ) {
    self.name = name
    self.type = type
    self.isNullable = nullable
    self.summary = summary
    self.unit = unit
    isExtra = extra
    isMixed = mixed
    self.role = role
  }

  /// The column with a spelling.
  public func spelled(_ spelling: ValueSpelling) -> ColumnDescription {
    var column = self
    column.spelling = spelling
    return column
  }

  /// The column with a type of its source.
  public func stored(as stored: StoredType?) -> ColumnDescription {
    var column = self
    column.stored = stored
    return column
  }

  /// The column with the summary, the unit and the role of `other`.
  public func annotated(as other: ColumnDescription) -> ColumnDescription {
    var column = ColumnDescription(
      name, type, nullable: isNullable, other.summary, unit: other.unit, extra: isExtra, mixed: isMixed,
      role: other.role)
    (column.spelling, column.stored, column.title) = (spelling, stored, title)
    return column
  }
}

extension Sequence<ColumnDescription> {
  /// Whether a column is called `name`, byte for byte: é and e with an accent are two columns.
  public func has(_ name: String) -> Bool { contains { $0.name.utf8.elementsEqual(name.utf8) } }
}

/// The shape of a dataset or table: an ordered list of columns, some of which are the key.
public struct Schema: Sendable, Hashable {
  /// The dataset's or table's name.
  public let name: String
  /// One sentence without a full stop; empty for foreign tables.
  public let summary: String
  /// The columns in order. Names differ.
  public let columns: [ColumnDescription]
  /// Positions in `columns` of the key's columns, most significant first; empty for tables without a key.
  public let key: [Int]
  private let index: ColumnIndex

  /// A schema whose `key` names columns of `columns`.
  ///
  /// Two columns of one name, or a key that is not a column, are mistakes of the caller; readers of foreign files
  /// rename first (`a`, `a_2`).
  public init(_ name: String, _ summary: String = "", key: [String] = [], columns: [ColumnDescription]) {
    guard let index = ColumnIndex(columns) else { preconditionFailure("\(name): duplicate column name") }
    self.index = index
    self.name = name
    self.summary = summary
    self.columns = columns
    self.key = key.map { keyName in
      guard let position = index.position(of: keyName, in: columns) else {
        preconditionFailure("\(name): key column \(keyName) does not exist")
      }
      return position
    }
  }

  /// The number of columns.
  @inlinable public var width: Int { columns.count }

  /// The position of the column called `name`, compared byte for byte; nil when there is none.
  public func position(of name: String) -> Int? { index.position(of: name, in: columns) }

  /// The same table with other types for some columns: those for which `type` gives one.
  public func retyped(_ type: (Int) -> ColumnType?) -> Schema {
    let retyped = columns.enumerated().map { position, column in
      guard let type = type(position) else { return column }
      var found = ColumnDescription(column.name, type, nullable: column.isNullable).annotated(as: column)
      found.title = column.title
      return found
    }
    return Schema(name, summary, key: key.map { columns[$0].name }, columns: retyped)
  }

  /// The same table with the key `names`, whose columns it has, and which are not null.
  public func keyed(by names: [String]) -> Schema {
    let keyed = columns.map { column in
      guard names.contains(where: { $0.utf8.elementsEqual(column.name.utf8) }) else { return column }
      var found = ColumnDescription(column.name, column.type, nullable: false).annotated(as: column)
      (found.spelling, found.stored) = (column.spelling, column.stored)
      return found
    }
    return Schema(name, summary, key: names, columns: keyed)
  }

  /// The same table with the columns of `others` that are not in it, after its own.
  public func adding(_ others: [ColumnDescription]) -> Schema {
    let added = others.filter { position(of: $0.name) == nil }
    return added.isEmpty ? self : Schema(name, summary, key: key.map { columns[$0].name }, columns: columns + added)
  }

  /// The same table, for writers that know no other spelling of values than the usual one.
  public var inUsualSpelling: Schema {
    guard columns.contains(where: { $0.spelling != .usual }) else { return self }
    return Schema(name, summary, key: key.map { columns[$0].name }, columns: columns.map { $0.spelled(.usual) })
  }

  /// The same table with only the columns at `positions`, in that order; the key is kept when all of it is there.
  public func projected(to positions: [Int]) -> Schema {
    let keyNames = key.map { columns[$0].name }
    let kept = positions.map { columns[$0] }
    let hasKey = key.allSatisfy(positions.contains)
    return Schema(name, summary, key: hasKey ? keyNames : [], columns: kept)
  }
}

/// The positions of columns by name, so that finding every column of a wide table takes linear time.
private struct ColumnIndex: Sendable, Hashable {
  /// Up to this number of columns, comparing the names one by one is faster.
  private static let narrow = 24

  /// Empty for a narrow table.
  private let positions: [[UInt8]: Int]

  /// Creates an index; nil if two columns have the same name.
  init?(_ columns: [ColumnDescription]) {
    var positions: [[UInt8]: Int] = [:]
    positions.reserveCapacity(columns.count)
    for (position, column) in columns.enumerated() {
      guard positions.updateValue(position, forKey: Array(column.name.utf8)) == nil else { return nil }
    }
    self.positions = columns.count > Self.narrow ? positions : [:]
  }

  func position(of name: String, in columns: [ColumnDescription]) -> Int? {
    if positions.isEmpty { return columns.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } }
    return positions[Array(name.utf8)]
  }

  // The columns determine the index.
  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
