import Codecs
import Rows
import TestSupport
import Testing

/// Random tables whose values are hard to compare: numbers that share a Double, partial dates, nulls, -0.0.
enum AdversarialTable {
  static let schema = Schema(
    "t",
    columns: [
      ColumnDescription("id", .integer), ColumnDescription("word", .text), ColumnDescription("exact", .decimal),
      ColumnDescription("score", .real), ColumnDescription("day", .date), ColumnDescription("seen", .boolean),
      ColumnDescription("tags", .list(.text)), ColumnDescription("few", .integer),
      ColumnDescription("at", .timestamp),
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
          .number(Array(String(random.next() % 7).utf8)), maybe(.text(Instants.text(&random))),
        ]
      })
  }
}

/// Random timestamps, many of them equal or close, and the plain way to compare them.
enum Instants {
  /// Nanoseconds after seconds since 1970.
  struct Instant: Hashable, Comparable {
    let seconds: Int64, nanoseconds: Int
    static func < (a: Instant, b: Instant) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }
  }

  /// The instant of a timestamp with at most 9 digits of fraction; nil for other text.
  static func instant(_ text: [UInt8]) -> Instant? {
    guard let utc = Dates.utc(text), let seconds = Dates.epochSeconds(of: utc) else { return nil }
    let digits = String(decoding: utc.dropFirst(20).dropLast(), as: UTF8.self)
    let padded = digits + String(repeating: "0", count: 9 - digits.count)
    return Int(padded).map { Instant(seconds: seconds, nanoseconds: $0) }
  }

  /// A random fraction of 0 to 9 digits, with its point.
  static func fraction(_ random: inout LargeSelectionTests.Generator) -> String {
    let count = Int(random.next() % 10)
    let digits = (0..<count).map { _ in ["0", "0", "0", "1", "5"][Int(random.next() % 5)] }
    return count == 0 ? "" : "." + digits.joined()
  }

  static let minutes = ["2023-12-31T23:59", "2024-01-01T00:00", "2024-01-01T00:10", "2024-05-17T08:15"]

  static func text(_ random: inout LargeSelectionTests.Generator) -> [UInt8] {
    let minute = minutes[Int(random.next() % 4)], second = ["00", "01", "10"][Int(random.next() % 3)]
    return Array("\(minute):\(second)\(fraction(&random))Z".utf8)
  }
}

/// The plain way to group rows: one row after the other, in a dictionary, with sums digit by digit.
struct PlainGroups {
  enum Key: Hashable {
    case null
    case number(DecimalNumber)
    case instant(Instants.Instant)
    case other(Value)

    init(_ value: Value) {
      switch value {
      case .null: self = .null
      case .integer(let value): self = .number(DecimalNumber(value))
      case .real(let value): self = DecimalNumber(value).map { .number($0) } ?? .null
      case .number(let literal): self = DecimalNumber(literal).map { .number($0) } ?? .null
      case .text(let bytes): self = Instants.instant(bytes).map { .instant($0) } ?? .other(value)
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
