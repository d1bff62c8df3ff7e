import Codecs
import Rows
import Testing

@Suite("Digits of decimals") struct DecimalShapeTests {
  static func shape(_ literals: [String]) -> DecimalShape {
    var shape = DecimalShape()
    for literal in literals {
      let arena = Arena(Array(literal.utf8))
      shape.add(.number(0, UInt32(arena.count)), arena)
    }
    return shape
  }

  @Test(
    "the storage holds every value",
    arguments: [
      (["9.50", "10.00", "100.25"], DecimalShape.Storage.double, 2), (["1", "2.5"], .double, nil),
      (["0.84294500000000006", "861.20001220703125"], .double, nil), (["-0.0", "0.5"], .double, 1),
      (["1e-7", "2.5"], .double, nil), ([".5", "1.5"], .double, 1), (["1", "2", "-3"], .double, 0),
      (["0.12345678901234567890"], .decimal(DecimalSize("decimal(38,20)")!), nil),
      (["12345678901234567890.5"], .decimal(DecimalSize("decimal(38,1)")!), nil), (["1e400", "1.5"], .text, nil),
      (["0.\(String(repeating: "1", count: 40))"], .text, nil),
      (["9007199254740993", "0.5"], .decimal(DecimalSize("decimal(38,1)")!), nil),
    ] as [([String], DecimalShape.Storage, Int?)])
  func storage(literals: [String], storage: DecimalShape.Storage, scale: Int?) {
    let whole = Self.shape(literals)
    #expect(whole.storage == storage)
    #expect(whole.scale == scale)
    // In parts it is the same.
    var parts = DecimalShape()
    for literal in literals { parts.merge(Self.shape([literal])) }
    #expect(parts == whole)
  }

  @Test("a Double holds what it prints with 17 digits, and not the numbers next to it") func prints() {
    var state: UInt64 = 42
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Double(state >> 11) / 9_007_199_254_740_992 * [1, 1000, 1e-6, 1e12][Int(state % 4)]
      // All digits of the value: its significand times a power of two.
      guard let exact = DecimalNumber(value), value > 0 else { continue }
      #expect(exact.shortDouble ?? value == value)
      let shortest = value.description
      if !shortest.contains("e") { #expect(Self.shape([shortest]).storage == .double) }
    }
    #expect(Self.shape(["0.84294500000000007"]).storage != .double)
    #expect(Self.shape(["0.10000000000000001"]).storage == .double)
    #expect(Self.shape(["0.10000000000000002"]).storage == .double)
    #expect(Self.shape(["0.10000000000000003"]).storage == .double)
    #expect(Self.shape(["0.300000000000000041"]).storage != .double)
  }
}
