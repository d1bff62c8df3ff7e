/// A check of one kind of problem.
public struct CheckRule: Sendable {
  /// The name in findings: `unresolved-name`.
  let name: String
  /// One sentence without a full stop.
  let summary: String
  /// The dataset it is about; nil for every one.
  let dataset: String?
  let others: [String]
  let find: @Sendable (_ table: CheckTable, _ others: [String: CheckTable]) -> [CheckFinding]

  /// A rule. `find` gets the dataset's rows and those of `others`; the findings' dataset and check are filled in for
  /// it.
  init(
    _ name: String, _ summary: String, in dataset: String? = nil, with others: [String] = [],
    find: @escaping @Sendable (_ table: CheckTable, _ others: [String: CheckTable]) -> [CheckFinding]
  ) {
    self.name = name
    self.summary = summary
    self.dataset = dataset
    self.others = others
    self.find = find
  }

  /// Every rule, in the order of the report.
  public static let all: [CheckRule] =
    [duplicateKey] + duplicates + unresolvedNames + ambiguousNames + [emptyText, missingValue, impossibleValue]
    + ranges + [impossibleDate, noDeathRecord, aliveWithDeathRecord, rankAgainstRate]

  /// Their topics, each once: rules that look for the same in several columns share a name.
  public static let names = all.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
}
