import Codecs
import Conformance
import Rows
import Testing

@Suite("Numbers as text") struct NumberWriterTests {
  private func text(_ value: Double) -> String { String(decoding: value.canonicalText, as: UTF8.self) }
  private func text(_ value: Int64) -> String {
    var out = ByteBuffer(capacity: 8)
    out.append(integer: value)
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test(
    "the spelling",
    arguments: [
      (1.0, "1.0"), (0.0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (8.5, "8.5"), (-2.25, "-2.25"), (1.005, "1.005"),
      (1e22, "1e22"),
      (1.5e-7, "1.5e-7"), (0.0001, "0.0001"), (0.00001, "1e-5"), (1e100, "1e100"), (-1e-10, "-1e-10"),
      (Double.leastNonzeroMagnitude, "5e-324"), (0.1 + 0.2, "0.30000000000000004"),
      (999_999_999_999.9, "999999999999.9"),
      (9_007_199_254_740_992.0, "9007199254740992.0"), (9_007_199_254_740_994.0, "9.007199254740994e15"),
      (1e12, "1000000000000.0"), (4.35, "4.35"), (0.001, "0.001"),
    ])
  func spelling(_ value: Double, _ expected: String) { #expect(text(value) == expected) }

  @Test("integers are their digits") func integers() {
    for value in SampleValues.integers { #expect(text(value) == String(value)) }
    var numbers = SplitMix64(seed: 1)
    for shift in 0..<64 {
      let value = Int64(bitPattern: numbers.next() >> UInt64(shift))
      #expect(text(value) == String(value))
    }
  }

  /// The standard library's shortest digits are the reference; only the spelling of exponents is ours.
  private func expected(_ value: Double) -> String {
    let parts = value.description.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return value.description }
    return "\(parts[0])e\(exponent)"
  }

  @Test("random reals read back the same, with the shortest digits") func randomReals() {
    var numbers = SplitMix64(seed: 2)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: numbers.next())
      guard value.isFinite else { continue }
      #expect(text(value) == expected(value))
      #expect(Double(text(value))?.bitPattern == value.bitPattern)
    }
  }

  @Test("a literal is read as the nearest Double, however many digits it has") func nearest() {
    var numbers = SplitMix64(seed: 9)
    func value(_ text: String) -> Double? {
      unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe NumberSpelling.value($0.baseAddress!, $0.count) }
    }
    for round in 0..<60_000 {
      var text = String(numbers.next() >> UInt64.random(in: 0...60, using: &numbers))
      // Halves between two Doubles are rounded to the even one.
      if round % 8 == 0 { text = String(1 << 53 + numbers.next() % 1000 * 2 + 1) }
      if round % 2 == 0 { text += "." + String(numbers.next() >> UInt64.random(in: 4...60, using: &numbers)) }
      if round % 3 == 0 { text += "e" + String(Int.random(in: -40...40, using: &numbers)) }
      if round % 5 == 0 { text = "-" + text }
      #expect(value(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
    for text in ["-", ".", "e5", "1e", "1e+", "1.2.3", "1a", "--1", "1-", "-e1"] { #expect(value(text) == nil) }
    for text in ["0", "-0", "0.000", "-0e9", "1e400", "00012.50", "123456789012345678901234567890"] {
      #expect(value(text)?.bitPattern == Double(text)?.bitPattern)
    }
  }

  @Test("reals of few decimals", arguments: [1.0, 10, 100, 1000, 10_000]) func fewDecimals(_ scale: Double) {
    var numbers = SplitMix64(seed: 3)
    for _ in 0..<5_000 {
      let digits = Double(numbers.next() >> UInt64.random(in: 14...60, using: &numbers))
      for value in [digits / scale, -digits / scale, (digits / scale).nextUp, (digits / scale).nextDown] {
        #expect(text(value) == expected(value))
      }
    }
  }
}
