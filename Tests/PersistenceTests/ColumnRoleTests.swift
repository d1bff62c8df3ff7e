import Domain
import Persistence
import Query
import Rows
import TestSupport
import Testing

@Suite("Roles of columns in stores") struct ColumnRoleStoreTests {
  @Test(
    "a store keeps the roles of columns",
    arguments: StoreFixtures.registry.factories.filter { $0.kind != .server }.map(\.scheme))
  func keepsRoles(_ scheme: String) async throws {
    let directory = TemporaryDirectory(), path = directory.path + "/store"
    let factory = try #require(StoreFixtures.registry.factories.first { $0.scheme == scheme })
    let schema = Schema(
      "people", key: ["code"],
      columns: [
        ColumnDescription("code", .text, nullable: false, role: .title), ColumnDescription("name", .text),
        ColumnDescription("face", .url, role: .image), ColumnDescription("small", .url, role: .thumbnail),
      ])
    let store = factory.open(path, StoreFixtures.scratch)
    try await store.apply(
      StoreChange(
        "test", time: "2026-01-01T00:00:00Z",
        [TableChange(schema, upserts: [[.text("a"), .text("b"), .null, .null]])]))
    let reopened = factory.isDurable ? factory.open(path, StoreFixtures.scratch) : store
    let kept = try await reopened.rows(of: "people", RowRequest()).schema
    #expect(kept.columns.map(\.role) == schema.columns.map(\.role))
    #expect(kept.roles == [.title, nil, .image, .thumbnail])
  }
}
