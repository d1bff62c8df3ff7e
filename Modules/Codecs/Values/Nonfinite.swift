package import Rows

/// The treatment of NaN and the infinities by writers, which neither JSON nor bb's reals can hold.
public enum NonfinitePolicy: String, Sendable, Hashable, CaseIterable {
  /// Refuse, naming record and column.
  case error
  /// Write null.
  case null
  /// Write the text `NaN`, `Infinity` or `-Infinity`.
  case string

  /// The word for a number that is not finite.
  public static func word(for value: Double) -> StaticString {
    value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
  }

  /// The mark of a number that is not finite in canonical JSON, which an output replaces: its name as a string, with an
  /// escape that no other string has.
  static func mark(for value: Double) -> StaticString {
    value.isNaN ? "\"\\u004eaN\"" : value < 0 ? "\"\\u002dInfinity\"" : "\"\\u0049nfinity\""
  }

  /// Replaces the marks in canonical JSON.
  /// - Returns: nil without a mark.
  /// - Throws: for the policy `error`, the problem that `refusal` makes.
  package func replacing(
    marksIn arena: Arena, _ start: UInt32, _ length: UInt32, _ refusal: (Double) -> Problem
  ) throws(Problem) -> [UInt8]? {
    let text = ByteRun(arena, start, length)
    var at = 0, copied = 0, out: [UInt8]?
    while case let next = at + text.slice(from: at, atMost: text.count - at).distance(to: UInt8(ascii: "\\")),
      next + 6 < text.count
    {
      at = next + 2
      guard next > 0, text[next - 1] == UInt8(ascii: "\""), text.slice(from: next + 1, atMost: 3).equals("u00") else {
        continue
      }
      let value: Double
      switch (text[next + 4], text[next + 5]) {
      case (UInt8(ascii: "4"), UInt8(ascii: "e")): value = .nan
      case (UInt8(ascii: "4"), UInt8(ascii: "9")): value = .infinity
      case (UInt8(ascii: "2"), UInt8(ascii: "d")): value = -.infinity
      default: continue
      }
      if self == .error { throw refusal(value) }
      let word: StaticString = Self.word(for: value)
      out = (out ?? []) + text.slice(from: copied, atMost: next - 1 - copied).bytes
      out? += Array((self == .null ? "null" : "\"\(word)\"").utf8)
      copied = next + Self.mark(for: value).utf8CodeUnitCount - 1
      at = copied
    }
    return out.map { $0 + text.slice(from: copied, atMost: text.count - copied).bytes }
  }

  /// The problem with `value` in `column`, `record` counted from 0 within its batch.
  package static func problem(_ value: Double, column: String, record: Int, format: String) -> Problem {
    Problem(
      .badData, "column \(column): \(format) cannot represent \(word(for: value))",
      hint: [
        .set(.formatOption("nonfinite"), to: "null", for: "write null"),
        .set(.formatOption("nonfinite"), to: "string", for: "write its name"),
      ], record: record)
  }
}
