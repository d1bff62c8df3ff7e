import Rows
import Testing

@testable import Lake

@Suite("values in the log of a Delta table") struct DeltaValueTests {
  @Test("numbers that are not finite", arguments: ["NaN", "Infinity", "-Infinity", "inf", "-inf"])
  func nonfinite(text: String) {
    guard case .real(let number)? = DeltaValue.value(Array(text.utf8), .real) else {
      Issue.record("not a number")
      return
    }
    #expect(!number.isFinite && number.isNaN == (text == "NaN") && (number.sign == .minus) == text.hasPrefix("-"))
  }

  @Test("text that is not a number of the type", arguments: ["1e999", "-1e999", "x", "1,5", "--1"])
  func invalid(text: String) { #expect(DeltaValue.value(Array(text.utf8), .real) == nil) }

  @Test("finite numbers and null") func finite() {
    #expect(DeltaValue.value(Array("-0.5".utf8), .real) == .real(-0.5))
    #expect(DeltaValue.value(nil, .real) == .null && DeltaValue.value([], .real) == .null)
  }
}
