@testable import Persistence
import Rows
import Testing

@Suite("PostgreSQL: arrays and names") struct PostgresArrayTests {
  @Test("lists with other elements than those of their type are read again as JSON") func lists() async throws {
    let schema = Schema("t", columns: [ColumnDescription("l", .list(.integer))])
    let widening = PostgresWidening { (columns) throws(Problem) in
      #expect(columns == ["l"])
      return BufferedRows(schema: schema, batches: [])
    }
    for (text, isList) in [("[1,2]", true), ("[]", true), ("[1,null]", false), ("[[1]]", false)] {
      var builder = RowBatchBuilder(width: 1), out = ByteBuffer()
      builder.append(text: text)
      try PostgresBinary(forms: [.text]).append(builder.finish(), &out) { (_, _, _) throws(Problem) in .null }
      let decoding = PostgresDecoding(forms: [.list(.integer)], schema: schema, place: "", widening: widening)
      let batch = try? decoding.batch(Arena(out.bytes()))
      #expect((batch != nil) == isList, "\(text)")
      #expect(try await (widening.widened() != nil) == !isList)
    }
  }

  @Test(
    "lists become arrays",
    arguments: [
      ("[]", "{}"), ("[1,-2.50,null,true]", #"{"1","-2.50",NULL,"true"}"#),
      ("[[1,2],[3,4]]", #"{{"1","2"},{"3","4"}}"#),
      (#"["","NULL","a,b","\"\\",{"k":"v"}]"#, #"{"","NULL","a,b","\"\\","{\"k\":\"v\"}"}"#),
    ])
  func arrays(json: String, array: String) {
    #expect(PostgresText.array(Array(json.utf8)) == Array(array.utf8))
  }

  @Test(
    "JSON that is not a list, and U+0000, do not become arrays",
    arguments: ["{}", "1", #"["\u0000"]"#, "[[\"a\\u0000\"]]"])
  func notArrays(json: String) { #expect(PostgresText.array(Array(json.utf8)) == nil) }

  @Test(
    "names are shown as they can be written",
    arguments: [(nil, "t", "t"), ("s", "t", "s.t"), (nil, "a.b", "\"a.b\""), ("S x", "\"q", "S x.\"\"\"q\"")])
  func names(schema: String?, table: String, text: String) throws {
    let name = PostgresName(schema, table)
    #expect(name.description == text)
    #expect(try PostgresName(parsing: text) == name)
  }
}
