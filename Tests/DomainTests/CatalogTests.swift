import Domain
import Rows
import Testing

@Suite("the catalogue") struct CatalogTests {
  @Test("every dataset and column is described", arguments: Catalog.all)
  func described(schema: Schema) {
    #expect(!schema.summary.isEmpty && !schema.key.isEmpty)
    for position in schema.key { #expect(!schema.columns[position].isNullable, "a key column may not be null") }
    for column in schema.columns {
      #expect(!column.summary.isEmpty && !column.summary.hasSuffix("."), "\(schema.name).\(column.name)")
      #expect(column.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }, "names are snake_case")
    }
    #expect(schema.key == Array(0..<schema.key.count), "the key columns come first")
  }
  @Test("a wrong name gets the nearest right one") func nearest() {
    let problem = #expect(throws: Problem.self) { try Catalog.dataset(named: "charcters") }
    #expect(problem?.kind == .usage && problem?.hint.description == "did you mean characters?")
    #expect(throws: Problem.self) { try Catalog.dataset(named: "zzzzzz") }
  }
  @Test("types have one name each") func types() {
    #expect(Set(ColumnType.allCases.map(\.name)).count == ColumnType.allCases.count)
    for type in ColumnType.allCases { #expect(ColumnType(name: type.name) == type) }
  }
  @Test("every kind of problem has an exit code of its own") func exitCodes() {
    let codes = Problem.Kind.allCases.map(\.exitCode)
    #expect(Set(codes).count == codes.count)
  }
}
