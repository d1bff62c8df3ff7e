import Domain
import Codecs
import Rows
import Sources

extension SourceFileTests {
  /// Sources that use every part of the format.
  static func rich() throws -> [APIDescription] {
    let pagings: [SourcePaging] = [
      .none, SourcePaging(.page, "p", first: 0, stop: .short, maximumPages: 3),
      SourcePaging(.offset, "o", limit: 50, limitParameter: "l"),
      SourcePaging(.offset, "o", limit: 1, stop: .short),
      SourcePaging(.nextURL, pointer: "/a~1b/next", maximumPages: 9), SourcePaging(.linkHeader),
      SourcePaging(.cursor, "c", pointer: ""),
    ]
    let authorizations: [[SourceAuthorization]] = [
      [], [SourceAuthorization(.bearer, variable: "A")], [SourceAuthorization(.basic, variable: "_B")],
      [SourceAuthorization(.query, "key", variable: "C1")],
      [SourceAuthorization(.header, "X-Api-Key", variable: "D")],
    ]
    let columns = ColumnType.allCases.map {
      ColumnDescription("c \($0.name)", $0, nullable: $0 != .real, "s", unit: "u")
    }
    let schema = Schema(
      "t", key: ["id", "n"],
      columns: [ColumnDescription("id", .text, nullable: false), ColumnDescription("n", .integer, nullable: false)]
        + columns + [ColumnDescription("late", .date), ColumnDescription("never", .text)])
    let steps: [SourceStep] = [
      .trim, .split, .wrap, .hasElements, .divide(by: 7), .remainder(by: 7), .prefix("x"),
      .words([SourceParameter("a", "b")]),
    ]
    let filled = columns.map { column in
      SourceColumn(
        column.name, from: "/x/\(column.name)", formats: column.type == .timestamp ? [.epochSeconds] : [],
        nulls: ["", "?"], invalid: ["-"], steps: steps, missing: column.type == .text ? "" : nil)
    }
    let supplements = [
      DetailRequest(
        .all, path: "/all", parameters: [SourceParameter("a", "b")], records: "/r", id: "/id",
        columns: [SourceColumn("late", from: SourceColumn.place, formats: [.year])])
    ]
    return pagings.enumerated().map { position, paging in
      APIDescription(
        name: "rich", summary: "s", baseURL: "http://h:1/x",
        authorization: authorizations[position % authorizations.count],
        headers: [SourceParameter("X-A", "b c"), SourceParameter("Accept", "application/vnd.x+json")],
        requestsPerSecond: position == 0 ? nil : 0.5,
        datasets: [
          APIDataset(
            schema, path: "/{q}?b=c", parameters: [SourceParameter("q", "1 2")],
            filters: [SourceParameter("name", "n")],
            randomPath: "/random", randomFilters: [SourceParameter("name", "m")], records: "/r/0", paging: paging,
            occurrence: "n", supplements: supplements,
            submission: SourceSubmission(path: "/post", members: [SourceParameter("id", "key")]),
            columns: [SourceColumn("id", from: "/id")] + filled),
          APIDataset(
            Schema("child", columns: [ColumnDescription("of", .text)]), path: "/c",
            parent: SourceParent(dataset: "t", column: "id", parameter: "p"),
            columns: [SourceColumn("of", from: SourceColumn.parent)]),
        ])
    }
  }

  /// The document with one value somewhere replaced, one member removed, or one added.
  static func mutated(_ value: JSON, _ random: inout some RandomNumberGenerator) -> JSON {
    let strange: [JSON] = [
      .null, .string(""), .string("x y"), .string("#place"), .string("date"), .number(0), .number(-3), .array([]),
      .object([]), .boolean(true), .string("/a"),
    ]
    switch value {
    case .object(let members) where !members.isEmpty && Int.random(in: 0..<6, using: &random) > 0:
      var members = members
      let position = members.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<8, using: &random) {
      case 0: members.remove(at: position)
      case 1: members.append(JSON.Member(Array("extra\(members.count)".utf8), .number(1)))
      default:
        members[position] = JSON.Member(members[position].key, mutated(members[position].value, &random))
      }
      return .object(members)
    case .array(let elements) where !elements.isEmpty && Int.random(in: 0..<6, using: &random) > 0:
      var elements = elements
      let position = elements.indices.randomElement(using: &random) ?? 0
      elements[position] = mutated(elements[position], &random)
      return .array(elements)
    default: return strange.randomElement(using: &random) ?? .null
    }
  }
}
