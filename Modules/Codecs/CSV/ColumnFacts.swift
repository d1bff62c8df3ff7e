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

  /// Facts about no rows.
  public init() {}

  /// Adds what the rows of `batch` show; the same batch may be added more than once.
  public mutating func add(_ batch: RowBatch, of schema: Schema) {
    let decimals = schema.columns.indices.filter { schema.columns[$0].type == .decimal }
    let texts = schema.columns.indices.filter { schema.columns[$0].type == .text }
    for row in 0..<batch.count {
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
  }
}
