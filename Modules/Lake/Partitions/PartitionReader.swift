import Codecs
import Domain
import Rows

/// Reads the columns of a batch that are part of a path.
struct PartitionReader {
  private let batch: RowBatch
  private let columns: [Int]
  private let schema: Schema

  init(_ batch: RowBatch, _ columns: [Int], _ schema: Schema) {
    (self.batch, self.columns, self.schema) = (batch, columns, schema)
  }

  /// Whether two rows have the same values; false also if that is not certain without comparing numbers.
  func isSame(_ row: Int, _ other: Int) -> Bool {
    columns.allSatisfy { column in
      switch (batch[row, column], batch[other, column]) {
      case (.null, .null): true
      case (.boolean(let a), .boolean(let b)): a == b
      case (.integer(let a), .integer(let b)): a == b
      case (.real(let a), .real(let b)): a == b
      case (.text(let start, let count), .text(let otherStart, let otherCount)),
        (.number(let start, let count), .number(let otherStart, let otherCount)):
        count == otherCount
          && (start == otherStart || batch.bytes(start, count) == batch.bytes(otherStart, count))
      default: false
      }
    }
  }

  /// The values of a row: numbers that are equal have the same text.
  func values(_ row: Int) -> [PartitionValue] {
    columns.map { column in
      let value = batch.value(row, column), text: [UInt8]?
      switch value {
      case .null: text = nil
      case .real(let number): text = number == 0 ? Array("0.0".utf8) : value.plainText
      case .number(let literal): text = Self.canonical(literal)
      case .integer(let number) where schema.columns[column].type == .decimal:
        text = Self.canonical(Array(String(number).utf8))
      default: text = value.plainText
      }
      return PartitionValue(column: schema.columns[column].name, text: text)
    }
  }

  /// The shortest literal of a number: without exponent if it has at most 30 digits.
  private static func canonical(_ literal: [UInt8]) -> [UInt8] {
    guard let (isNegative, digits, exponent) = DecimalNumber(literal)?.parts else { return literal }
    if digits.isEmpty { return [48] }
    var text = digits.map { $0 + 48 }
    if exponent > 30 || exponent < -10 {
      text += Array("e\(exponent - digits.count)".utf8)
    } else if exponent <= 0 {
      text = Array("0.".utf8) + Array(repeating: 48, count: -exponent) + text
    } else if exponent < text.count {
      text.insert(46, at: exponent)
    } else {
      text += Array(repeating: 48, count: exponent - text.count)
    }
    return (isNegative ? [45] : []) + text
  }
}
