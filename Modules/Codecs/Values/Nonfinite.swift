package import Rows

/// What writers do with NaN and the infinities, which neither JSON nor bb's reals can hold.
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
