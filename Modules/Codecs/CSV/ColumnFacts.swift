public import Rows

/// The facts about columns that values show and types do not: needed to describe a file so that
/// validators accept it.
public struct ColumnFacts: Sendable, Hashable {
  /// Positions of decimal columns with a value that has an exponent or is not finite.
  private(set) var exponents: Set<Int> = []
  /// Positions of columns with an empty text.
  private(set) var emptyTexts: Set<Int> = []
  /// Positions of columns with a null.
  private(set) var nulls: Set<Int> = []
  /// Positions of columns of dates and times with a value that the standards of their types do not have: a part of a
  /// date, a time without seconds, a leap second.
  private var irregular: Set<Int> = []
  private var isKnown = false

  /// Whether rows were seen, and all values of a column of dates or times are of the standard's type.
  func isRegular(_ column: Int) -> Bool { isKnown && !irregular.contains(column) }

  /// Facts about no rows.
  public init() {}

  /// Adds what the rows of `batch` show; the same batch may be added more than once.
  public mutating func add(_ batch: RowBatch, of schema: Schema) {
    let decimals = schema.columns.indices.filter { schema.columns[$0].type == .decimal }
    let texts = schema.columns.indices.filter { schema.columns[$0].type == .text }
    let times = schema.columns.indices.filter { schema.columns[$0].type.isTemporal }
    isKnown = true
    for row in 0..<batch.count {
      for column in times {
        guard case .text(let start, let length) = batch[row, column] else { continue }
        let text = ByteRun(batch.arena, start, length)
        let isRegular =
          schema.columns[column].type == .date
          ? length == 10 : length >= 19 && text[16] == UInt8(ascii: ":") && text[17] < UInt8(ascii: "6")
        if !isRegular { irregular.insert(column) }
      }
      for column in decimals where !exponents.contains(column) {
        switch batch[row, column] {
        case .real: exponents.insert(column)
        case .number(let start, let length):
          if batch.bytes(start, length).contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            exponents.insert(column)
          }
        default: break
        }
      }
      for column in texts {
        if case .text(_, 0) = batch[row, column] { emptyTexts.insert(column) }
      }
    }
    for column in schema.columns.indices where !nulls.contains(column) {
      if (0..<batch.count).contains(where: { batch[$0, column].isNull }) { nulls.insert(column) }
    }
  }

  /// The schema whose columns without a null are required.
  public func proven(_ schema: Schema) -> Schema {
    let columns = schema.columns.enumerated().map { position, column in
      ColumnDescription(
        column.name, column.type, nullable: nulls.contains(position), column.summary, unit: column.unit,
        extra: column.isExtra, mixed: column.isMixed, role: column.role
      ).spelled(column.spelling)
    }
    return Schema(schema.name, schema.summary, key: schema.key.map { columns[$0].name }, columns: columns)
  }

  /// Adds the facts of another part of the same table.
  public mutating func formUnion(_ other: ColumnFacts) {
    exponents.formUnion(other.exponents)
    emptyTexts.formUnion(other.emptyTexts)
    nulls.formUnion(other.nulls)
    irregular.formUnion(other.irregular)
    isKnown = isKnown || other.isKnown
  }
}
