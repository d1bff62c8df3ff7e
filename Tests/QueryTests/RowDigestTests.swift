import Query
import Rows
import TestSupport
import Testing

@Suite("digests of rows, and parts of the work") struct RowDigestTests {
  private static func digest(_ table: Table, size: Int = 7, threads: Int = 1) async throws -> RowDigest {
    try await RowDigest.of(table.stream(size), threads: threads)
  }

  @Test("the digest does not depend on the order of rows and columns, on batches or threads") func order() async throws
  {
    let table = AdversarialTable.table(200, seed: 3)
    let digest = try await Self.digest(table)
    #expect(try await Self.digest(table, size: 64, threads: 3) == digest)
    #expect(try await Self.digest(Table(schema: table.schema, rows: table.rows.reversed())) == digest)
    let positions = Array(table.schema.columns.indices.reversed())
    let turned = Table(
      schema: table.schema.projected(to: positions), rows: table.rows.map { row in positions.map { row[$0] } })
    #expect(try await Self.digest(turned) == digest)
    #expect(digest.rows == 200 && digest.text.utf8.count == 32)
  }

  @Test("the digest depends on every value and on every row") func values() async throws {
    let table = AdversarialTable.table(40, seed: 4)
    var digests: Set<RowDigest> = [try await Self.digest(table)]
    for row in table.rows.indices {
      for column in table.schema.columns.indices {
        var rows = table.rows
        rows[row][column] = rows[row][column] == .null ? .text("") : .null
        digests.insert(try await Self.digest(Table(schema: table.schema, rows: rows)))
      }
      var more = table.rows
      more.append(more[row])
      digests.insert(try await Self.digest(Table(schema: table.schema, rows: more)))
    }
    #expect(digests.count == 1 + 40 * table.schema.width + Set(table.rows).count)
  }

  @Test("numbers count by value, and have known digests") func known() async throws {
    let schema = Schema("t", columns: [ColumnDescription("a", .decimal), ColumnDescription("b", .text)])
    let spellings: [Value] = [.integer(1), .real(1), .number(Array("1.00".utf8)), .number(Array("10e-1".utf8))]
    var found: Set<String> = []
    for value in spellings {
      found.insert(try await Self.digest(Table(schema: schema, rows: [[value, .text("x")]])).text)
    }
    // hashlib.sha256(name, kind, value …).hexdigest()[:32] of Python.
    #expect(found == ["06cd4c4634ed2f7e82def7a1167284d0"])
    #expect(RowDigest().text == String(repeating: "0", count: 32))
  }

  @Test("the parts of several files are disjoint and complete, and of similar size") func files() throws {
    var files: [(name: String, size: Int)] = (0..<50).map { (name: "f\($0)", size: ($0 * 7919) % 1000 + 1) }
    for count in [1, 2, 7, 60] {
      let parts = try (1...count).map { try Shard("\($0)/\(count)").files(of: files) }
      #expect(parts.flatMap { $0 }.sorted() == files.map(\.name).sorted())
      let sizes = parts.map { part in files.filter { part.contains($0.name) }.reduce(0) { $0 + $1.size } }
      if count < 10 { #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1000) }
    }
    let before = try Shard("2/5").files(of: files)
    files.reverse()
    #expect(try Shard("2/5").files(of: files).sorted() == before.sorted())
    for text in ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/2", "1/70000"] {
      #expect(throws: Problem.self) { try Shard(text) }
    }
  }

  @Test("the parts of one input are every n-th row", arguments: [1, 2, 3, 7]) func rows(count: Int) async throws {
    let table = AdversarialTable.table(100, seed: 8)
    var all = Array(repeating: [Value](), count: table.rows.count)
    for index in 1...count {
      let part = try await Shard("\(index)/\(count)").rows(of: table.stream(9)).values()
      for (number, row) in part.enumerated() { all[number * count + index - 1] = row }
    }
    #expect(all == table.rows)
  }
}
