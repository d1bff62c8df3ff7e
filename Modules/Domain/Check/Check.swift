public import Rows

/// Searches datasets for data quality problems: duplicate records, unknown names, empty text, implausible values.
///
/// The result is an ordinary table, so every selection and every format applies to it.
public struct Check: Sendable {
  /// The text of a finding.
  public static let schema = Schema(
    "checks", "data quality problems in a dataset",
    columns: [
      ColumnDescription("dataset", .text, nullable: false, "dataset"),
      ColumnDescription("check", .text, nullable: false, "check"),
      ColumnDescription("record", .text, "key of the record, or of the first one affected"),
      ColumnDescription("column", .text, "column"),
      ColumnDescription("value", .text, "value"),
      ColumnDescription("count", .integer, nullable: false, "number of occurrences"),
      ColumnDescription("what", .text, nullable: false, "description of the problem"),
    ])

  private let rules: [CheckRule]

  /// A check by `rules`.
  public init(_ rules: [CheckRule] = CheckRule.all) { self.rules = rules }

  /// The findings of the rules in a dataset, in their order.
  /// - Parameters:
  ///   - dataset: its name.
  ///   - tables: the tables read so far; the function adds those that it reads.
  ///   - report: called with each check that was skipped, as one line.
  ///   - open: the rows of a dataset; nil if there are none to compare with. Called once for each dataset.
  /// - Throws: what `open` and its streams throw.
  public func findings(
    in dataset: String, _ tables: inout CheckTables, report: (String) -> Void,
    from open: (String) async throws(Problem) -> (any RowStream)?
  ) async throws(Problem) -> [CheckFinding] {
    var findings: [CheckFinding] = []
    var missing: [String] = []
    for rule in rules where rule.dataset == nil || rule.dataset == dataset {
      guard let table = try await tables.table(dataset, from: open) else { return [] }
      var others: [String: CheckTable] = [:]
      for other in rule.others { others[other] = try await tables.table(other, from: open) }
      guard others.count == rule.others.count else {
        missing += rule.others.filter { others[$0] == nil && !missing.contains($0) }
        continue
      }
      findings += rule.find(table, others).map { finding in
        var named = finding
        named.dataset = dataset
        named.check = rule.name
        return named
      }
    }
    if !missing.isEmpty {
      report(
        "\(dataset): not compared with \(missing.joined(separator: ", ")) (not available)"
      )
    }
    return findings
  }

  /// The findings as rows of `schema`.
  public static func rows(of findings: [CheckFinding]) -> any RowStream {
    var builder = RowBatchBuilder(width: schema.width)
    for finding in findings {
      builder.append(text: finding.dataset)
      builder.append(text: finding.check)
      for text in [finding.record, finding.column.map { Array($0.utf8) }, finding.value] {
        if let text { builder.append(text: text) } else { builder.appendNull() }
      }
      builder.append(integer: Int64(finding.count))
      builder.append(text: finding.what)
    }
    return BufferedRows(schema: schema, batches: builder.count == 0 ? [] : [builder.finish()])
  }
}

extension CheckFinding {
  /// A finding about a member of an API's records.
  public init(_ member: MemberFinding) {
    let what =
      switch member.kind {
      case .vanished: "no record has the member that the column reads"
      case .unmapped: "no column reads the member"
      case .retyped: member.detail.isEmpty ? "values do not fit the column" : member.detail
      case .format: member.detail
      case .short: "the API announces more records than it returned"
      }
    self.init(
      column: member.column, value: Array(member.pointer.utf8), count: member.count,
      what + (member.nearest.map { "; did you mean \($0)?" } ?? ""))
    dataset = member.dataset
    check = member.kind.rawValue
  }
}

/// One thing that is odd.
public struct CheckFinding: Sendable, Hashable {
  /// The dataset; filled by `Check`.
  var dataset = ""
  /// The rule's name; filled by `Check`.
  var check = ""
  /// The key of the record as `RecordKey` writes it, UTF-8; nil when it is about no single one.
  var record: [UInt8]?
  /// The column; nil when it is about none.
  var column: String?
  /// The value, UTF-8; nil for null.
  var value: [UInt8]?
  var count: Int
  var what: String

  init(record: [UInt8]? = nil, column: String? = nil, value: [UInt8]? = nil, count: Int = 1, _ what: String) {
    self.record = record
    self.column = column
    self.value = value
    self.count = count
    self.what = what
  }
}
