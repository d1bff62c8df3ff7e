import Codecs
import Query
import Rows
import Testing

/// Random tables whose values are hard to compare: numbers that share a Double, partial dates, nulls, -0.0.
enum AdversarialTable {
  static let schema = Schema(
    "t",
    columns: [
      ColumnDescription("id", .integer), ColumnDescription("word", .text), ColumnDescription("exact", .decimal),
      ColumnDescription("score", .real), ColumnDescription("day", .date), ColumnDescription("seen", .boolean),
      ColumnDescription("tags", .list(.text)), ColumnDescription("few", .integer),
    ])
  private static let words = [
    "", "a", "A", "é", "e\u{301}", "prefix-abcdefghij", "prefix-abcdefghik", "prefix-abcdef\u{0}", "ﬁ", "Straße",
    "\u{212A}elvin", "123456789012345", "1234567890123456", "12345678901234567",
  ]
  private static let exacts = [
    "9007199254740993", "9007199254740992", "-1e400", "1e400", "0.1", "0.10000000000000001", "0.100", "1.0", "1", "-0",
    "0", "1e0", "123456789012345678901234567890", "123456789012345678901234567890.0", "-0.5", "10e-1", "1e-300",
  ]
  private static let scores: [Double] = [
    0.0, -0.0, 1.5, -3, 0.1, 0.2, 0.30000000000000004, 1e22, .leastNonzeroMagnitude, 1e308,
    9007199254740992,
  ]
  private static let days = ["1958", "1958-03", "1958-03-07", "1959", "1958-12-31"]
  private static let tags = ["[]", #"["a"]"#, #"["a","b,c"]"#, #"["b,c","é\n"]"#, #"["a","a"]"#]

  static func table(_ count: Int, seed: UInt64 = 5, groups: Int = 1000) -> Table {
    var random = LargeSelectionTests.Generator(state: seed)
    func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
    func maybe(_ value: Value) -> Value { random.next() % 7 == 0 ? .null : value }
    return Table(
      schema: schema,
      rows: (0..<count).map { _ in
        let score = pick(scores)
        return [
          .integer(Int64(random.next() % UInt64(groups))), maybe(.text(pick(words))),
          maybe(.number(Array(pick(exacts).utf8))),
          maybe(random.next() % 2 == 0 ? .real(score) : .number(score.canonicalText)),
          maybe(.text(pick(days))), maybe(.boolean(random.next() % 2 == 0)), maybe(.json(Array(pick(tags).utf8))),
          .number(Array(String(random.next() % 7).utf8)),
        ]
      })
  }
}

/// The plain way to group rows: one row after the other, in a dictionary, with sums digit by digit.
struct PlainGroups {
  enum Key: Hashable {
    case null
    case number(DecimalNumber)
    case other(Value)

    init(_ value: Value) {
      switch value {
      case .null: self = .null
      case .integer(let value): self = .number(DecimalNumber(value))
      case .real(let value): self = DecimalNumber(value).map { .number($0) } ?? .null
      case .number(let literal): self = DecimalNumber(literal).map { .number($0) } ?? .null
      default: self = .other(value)
      }
    }
  }

  static func groups(_ rows: [[Value]], by columns: [Int]) -> [(first: [Value], rows: [[Value]])] {
    var places: [[Key]: Int] = [:], groups: [(first: [Value], rows: [[Value]])] = []
    for row in rows {
      let key = columns.map { Key(row[$0]) }
      if let place = places[key] {
        groups[place].rows.append(row)
      } else {
        places[key] = groups.count
        groups.append((columns.map { row[$0] }, [row]))
      }
    }
    return groups
  }

  /// The exact sum as a number.
  static func sum(_ values: [Value]) -> DecimalNumber? {
    var digits = [Int](repeating: 0, count: 2000), seen = false
    for value in values {
      guard case .number(let number) = Key(value) else { continue }
      seen = true
      let (isNegative, parts, exponent) = number.parts
      for (index, digit) in parts.enumerated() {
        digits[1000 + exponent - 1 - index] += isNegative ? -Int(digit) : Int(digit)
      }
    }
    guard seen else { return nil }
    func carry() {
      for index in 0..<digits.count - 1 {
        let digit = ((digits[index] % 10) + 10) % 10
        digits[index + 1] += (digits[index] - digit) / 10
        digits[index] = digit
      }
    }
    carry()
    var sign = ""
    if digits[digits.count - 1] < 0 {
      sign = "-"
      digits = digits.map { -$0 }
      carry()
    }
    let text = sign + digits.reversed().map(String.init).joined() + "e-1000"
    return DecimalNumber(Array(text.utf8))
  }
}
