import Codecs
@testable import Query
import Testing

@Suite("numbers as far as a Double goes") struct NearestDoubleTests {
  private static func nearest(_ text: String) -> NearestDouble? {
    unsafe Array(text.utf8).withUnsafeBytes { unsafe NearestDouble($0) }
  }

  @Test("the value is the nearest Double, and few digits identify the number") func law() throws {
    var random = LargeSelectionTests.Generator(state: 11)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    for length in 1...20 {
      for point in 0..<(length + 3) {
        for sign in ["", "-"] {
          for _ in 0..<20 {
            let digits = (0..<length).map { _ in below(3) == 0 ? "0" : String(below(10)) }
            var text = sign + digits.joined()
            if point > 0, point < length {
              text = sign + digits[..<point].joined() + "." + digits[point...].joined()
            }
            let found = try #require(Self.nearest(text)), wanted = try #require(Double(text))
            #expect(found.value.bitPattern == wanted.bitPattern, "\(text)")
            #expect(found.isWhole == (length <= 15), "\(text)")
          }
        }
      }
    }
  }

  @Test(
    "what is not a number has no value, also where eight bytes are read at once",
    arguments: ["", "-", ".", "-.", "1a", "a1", "12345678x", "x12345678", "1234:678", "1234/678", "--1", "1-", "1 "])
  func invalid(text: String) { #expect(Self.nearest(text) == nil) }

  @Test("exponents and many digits are left to the standard library", arguments: ["1e5", "1.5e-7", "1234567890123456"])
  func long(text: String) {
    #expect(Self.nearest(text)?.value == Double(text))
    #expect(Self.nearest(text)?.isWhole == false)
  }

  @Test("bounds order short numbers as their values do") func bounds() throws {
    var random = LargeSelectionTests.Generator(state: 12)
    func literal() -> [UInt8] {
      let length = 1 + Int(random.next() % 18), point = Int(random.next() % 20)
      var digits = (0..<length).map { _ in random.next() % 2 == 0 ? "0" : String(random.next() % 10) }
      if point > 0, point < length { digits.insert(".", at: point) }
      return Array(((random.next() % 2 == 0 ? "-" : "") + digits.joined()).utf8)
    }
    for _ in 0..<3000 {
      let constant = literal(), text = literal()
      let bounds = try #require(NumberBounds(constant))
      let digits = try #require(unsafe text.withUnsafeBytes { unsafe DecimalDigits($0) })
      let mantissa = digits.isNegative ? -Int64(digits.value) : Int64(digits.value)
      let order = (mantissa >= bounds.lows[digits.scale] ? 1 : 0) + (mantissa > bounds.highs[digits.scale] ? 1 : 0)
      let number = try #require(DecimalNumber(text)), other = try #require(DecimalNumber(constant))
      #expect(order == (number < other ? 0 : number == other ? 1 : 2), "\(text) \(constant)")
    }
  }
}
