import Rows
import Testing

@Suite("sizes of decimals") struct DecimalSizeTests {
  @Test(
    "a size has up to 38 digits",
    arguments: [
      ("decimal(12,2)", "decimal(12,2)"), ("decimal(38, 38)", "decimal(38,38)"), ("decimal(1,0)", "decimal(1,0)"),
      ("decimal(39,2)", nil), ("decimal(2,3)", nil), ("decimal(0,0)", nil), ("decimal(12)", nil),
      ("decimal(1,-1)", nil),
    ])
  func parsing(text: String, size: String?) { #expect(DecimalSize(text)?.description == size) }

  @Test("another type removes the size; names are compared byte for byte") func types() throws {
    var types = ColumnTypes()
    types.set("\u{e9}", to: try #require(DecimalSize("decimal(4,1)")))
    #expect(types["\u{e9}"] == .decimal && types.decimalSize(of: "\u{e9}") != nil)
    #expect(types.decimalSize(of: "e\u{301}") == nil)
    types.merge(["\u{e9}": .decimal])
    #expect(types.decimalSize(of: "\u{e9}") == nil)
  }
}
