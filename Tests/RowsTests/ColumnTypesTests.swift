import Rows
import Testing

@Suite("Types of columns by name") struct ColumnTypesTests {
  @Test("names are bytes: é in one code point and in two are two columns") func twins() {
    var types: ColumnTypes = ["\u{e9}": .integer, "e\u{301}": .text]
    #expect(types["\u{e9}"] == .integer && types["e\u{301}"] == .text && types["e"] == nil)
    types.merge(["\u{e9}": .real])
    #expect(types["\u{e9}"] == .real && types["e\u{301}"] == .text)
    #expect(types.names.map { Array($0.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
    #expect(Schema("t", key: ["\u{e9}"], columns: [.init("e\u{301}", .text), .init("\u{e9}", .text)]).key == [1])
  }
}
