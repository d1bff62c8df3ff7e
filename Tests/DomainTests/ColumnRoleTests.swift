import Domain
import Query
import Rows
import TestSupport
import Testing

@Suite("Column roles") struct ColumnRoleTests {
  private func roles(_ columns: [(String, ColumnType)]) -> [ColumnRole?] {
    Schema("t", columns: columns.map { ColumnDescription($0, $1) }).roles
  }

  @Test("a foreign table's roles follow from names and types") func infersRoles() {
    #expect(
      roles([("id", .text), ("name", .text), ("poster", .url), ("created_at", .timestamp)])
        == [.identifier, .title, .image, .audit])
    #expect(roles([("id", .integer), ("city", .text), ("note", .text)]) == [nil, .title, nil])
    #expect(roles([("profile_photos", .list(.text)), ("Thumbnail", .text)]) == [.image, .thumbnail])
    #expect(roles([("imagery", .text), ("updated_at", .text)]) == [.title, nil])
    #expect(roles([("image", .integer)]) == [nil])
    #expect(roles([("code", .text), ("Title", .text)]) == [nil, .title])
  }

  @Test("a declared title is the only one") func keepsDeclaredRoles() {
    let schema = Schema(
      "t", columns: [ColumnDescription("name", .text), ColumnDescription("caption", .text, role: .title)])
    #expect(schema.roles == [nil, .title])
    #expect(schema.title == 1)
  }

  @Test("every dataset of the catalogue has one declared title") func everyDatasetHasATitle() {
    for schema in Catalog.all {
      #expect(schema.columns.count { $0.role == .title } == 1, "\(schema.name)")
      #expect(schema.roles == schema.columns.map(\.role), "\(schema.name)")
    }
  }

  @Test("a joined column keeps its role, except for the title") func joinedColumnsKeepRoles() async throws {
    let batches: [RowBatch] = []
    func rows(_ schema: Schema) -> any RowStream { BufferedRows(schema: schema, batches: batches) }
    let related = try await JoinTables.read(for: ["character"], of: "quotes") { (_) throws(Problem) in
      rows(Catalog.characters)
    }
    var selection = Selection()
    selection.relations = ["character"]
    let joined = try selection.apply(to: rows(Catalog.quotes), scratch: MemoryScratch(), related: related).schema
    #expect(joined.columns.first { $0.name == "character.images" }?.role == .image)
    #expect(joined.columns.first { $0.name == "character.name" }?.role == nil)
    #expect(joined.title == joined.position(of: "quote"))
  }
}
