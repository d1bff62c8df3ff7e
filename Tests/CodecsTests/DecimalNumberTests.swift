import Codecs
import Testing

@Suite("exact numbers") struct DecimalNumberTests {
  @Test("literals in ascending order compare so, whatever their form") func order() throws {
    let literals = [
      "-1e400", "-9007199254740993", "-9007199254740992.5", "-1", "-0.1", "0", "1e-400", "0.1", "0.10000000000000001",
      "1", "1.5", "9007199254740992", "9007199254740993", "1e22", "123456789012345678901234567890", "1e400",
    ]
    let numbers = try literals.map { try #require(DecimalNumber(Array($0.utf8))) }
    for i in numbers.indices {
      for j in numbers.indices { #expect((numbers[i] < numbers[j]) == (i < j), "\(literals[i]) \(literals[j])") }
    }
  }
  @Test("forms of one number are equal") func equal() {
    for forms in [["1", "1.0", "10e-1", "0.01E+2", "+1"], ["0", "-0", "0.00", "0e9"], ["1.10", "1.1"]] {
      #expect(Set(forms.map { DecimalNumber(Array($0.utf8)) }).count == 1)
    }
    #expect(DecimalNumber(0.1) == DecimalNumber(Array("0.1".utf8)))
    #expect(DecimalNumber(Int64.min) == DecimalNumber(Array("-9223372036854775808".utf8)))
  }
  @Test(
    "text that is not a number is refused",
    arguments: ["", "-", "x", "1x", "1e", "1e+", "1.2.3", "nan", "inf", "0x10", " 1"])
  func none(text: String) { #expect(DecimalNumber(Array(text.utf8)) == nil) }
}
