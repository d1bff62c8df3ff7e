import Query
import Rows

extension CheckRule {
  private static let namingColumns = [
    ("quotes", "character"), ("episodes", "characters"), ("deaths", "character"), ("deaths", "responsible"),
    ("deaths", "connected"),
  ]

  /// Names that match several characters, one finding per name, with the keys of the characters.
  static let ambiguousNames: [CheckRule] = namingColumns.map { dataset, column in
    CheckRule("ambiguous-name", "names in \(column) that match several characters", in: dataset, with: ["characters"]) {
      table, others in
      guard let position = table.position(of: column), let characters = others["characters"] else { return [] }
      let resolver = NameIndex(Catalog.characterNames, characters.batches, schema: characters.schema)
      let agreement = NameAgreement(nil, of: table.schema, with: resolver, isSame: false)
      var names: [[UInt8]] = [], found: [[UInt8]: (count: Int, row: Int, characters: [Int])] = [:]
      for row in 0..<table.count {
        for name in table.texts(row, position) where !isBlank(name) {
          let several = agreement.chosen(resolver.positions(of: name), resolver) { table.value(row, $0) }
          guard several.count > 1 else { continue }
          if found[name] == nil { names.append(name) }
          found[name] = ((found[name]?.count ?? 0) + 1, found[name]?.row ?? row, several)
        }
      }
      return names.compactMap { name in
        guard let (count, row, several) = found[name] else { return nil }
        let keys = several.compactMap { characters.record($0) }.map { String(decoding: $0, as: UTF8.self) }
        return CheckFinding(
          record: table.record(row), column: column, value: name, count: count,
          "matches the characters \(keys.joined(separator: " and "))")
      }
    }
  }

  /// Names that match no character, one finding per name, with its number of occurrences.
  static let unresolvedNames: [CheckRule] = namingColumns.map { dataset, column in
    CheckRule("unresolved-name", "names in \(column) that match no character", in: dataset, with: ["characters"]) {
      table, others in
      guard let position = table.position(of: column), let characters = others["characters"] else { return [] }
      let resolver = NameIndex(Catalog.characterNames, characters.batches, schema: characters.schema)
      var names: [[UInt8]] = [], rows: [[UInt8]: [Int]] = [:]
      for row in 0..<table.count {
        for name in table.texts(row, position) where !isBlank(name) {
          if rows[name] == nil, resolver.positions(of: name).isEmpty { names.append(name) }
          rows[name, default: []].append(row)
        }
      }
      // The most frequent first; of those as frequent, the one that came first.
      return names.enumerated().map { (order: $0.offset, name: $0.element, rows: rows[$0.element] ?? []) }
        .sorted { (-$0.rows.count, $0.order) < (-$1.rows.count, $1.order) }
        .map { _, name, rows in
          CheckFinding(
            record: table.record(rows[0]), column: column, value: name, count: rows.count,
            "does not match any character")
        }
    }
  }

  /// Characters that are dead without a record of their death.
  static let noDeathRecord = CheckRule(
    "no-death-record", "dead characters without a death record", in: "characters", with: ["deaths"]
  ) { table, others in
    guard let deaths = others["deaths"], let status = table.position(of: "status"),
      let name = table.position(of: "name")
    else { return [] }
    let recorded = theDead(in: deaths, table)
    return (0..<table.count).filter { table.value($0, status) == .text("dead") && !recorded.contains($0) }.map { row in
      CheckFinding(
        record: table.record(row), column: "status", value: table.texts(row, name).first,
        "status is dead, but there is no death record")
    }
  }

  static let aliveWithDeathRecord = CheckRule(
    "alive-with-death-record", "living characters with a death record", in: "characters",
    with: ["deaths"]
  ) { table, others in
    guard let deaths = others["deaths"], let status = table.position(of: "status"),
      let name = table.position(of: "name")
    else { return [] }
    return theDead(in: deaths, table).sorted().filter { table.value($0, status) == .text("alive") }.map { row in
      CheckFinding(
        record: table.record(row), column: "status", value: table.texts(row, name).first,
        "status is alive, but there is a death record")
    }
  }

  /// The rows of the characters whose deaths are recorded.
  private static func theDead(in deaths: CheckTable, _ characters: CheckTable) -> Set<Int> {
    let resolver = NameIndex(Catalog.characterNames, characters.batches, schema: characters.schema)
    guard let position = deaths.position(of: "character") else { return [] }
    return Set((0..<deaths.count).flatMap { deaths.texts($0, position).compactMap(resolver.position) })
  }

  /// Whether a text has nothing to see.
  static func isBlank(_ text: [UInt8]) -> Bool { text.allSatisfy { $0 == 32 || (9...13).contains($0) } }
}
