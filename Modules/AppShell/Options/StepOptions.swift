package import CommandLineKit
package import Query
package import Rows

/// The options of what is done to rows besides selecting them.
package enum StepOptions {
  private static let group = "Steps"
  /// The list of which each element becomes a row.
  static let explode = Option.value(
    "explode", "COLUMN", values: .list("column"), in: group,
    "output a row for each element of a list; rows with an empty list are kept")
  static let fill = Option.value(
    "fill", "A=VALUE,…", values: .list("assignment"), setting: .filled, in: group,
    "replace nulls: in these columns, or, with a VALUE alone, in all of its type")
  static let put = Option.value(
    "put", "NAME=EXPRESSION", values: .list("column"), repeatable: true, setting: .calculation, in: group,
    "calculate a column, for example 'total = price * qty'; may be repeated")
  static let having = Option.value(
    "having", "CONDITION", values: .dynamic("column"), repeatable: true, in: group,
    "keep only groups that match, as --where does for rows")
  /// The column whose values become columns.
  static let pivot = Option.value(
    "pivot", "NAMES,VALUES", values: .list("column"), in: group,
    "output a column for each value of NAMES, filled from VALUES")
  /// The columns that become rows.
  static let unpivot = Option.value(
    "unpivot", "A,B", values: .list("column"), in: group, "output a row for each of these columns: name, value"
  ).excluding("pivot")
  /// The columns that are not written.
  static let drop = Option.value(
    "drop", "A,B", values: .list("column"), setting: .dropped, in: group, "output all columns but these"
  ).excluding("columns")
  /// Whether only different rows are written.
  package static let distinct = Option.flag("distinct", in: group, "output only different rows, the first of each")
  /// The columns by which rows differ.
  static let by = Option.value(
    "by", "A,B", values: .list("column"), in: group, "with --distinct: the columns by which rows differ")
  /// The number of rows at the end.
  static let tail = Option.value("tail", "N", in: group, "output only the last N rows")
    .excluding("limit", "offset")
  /// New names of columns.
  static let rename = Option.value(
    "rename", "OLD=NEW,…", values: .list("assignment"), in: group, "rename columns of the output")

  /// All of them, in the order of the steps.
  package static let all = [explode, fill, put, having, pivot, unpivot, drop, distinct, by, rename, tail]
}

extension Selection {
  /// Reads the options of `StepOptions`.
  /// - Parameters:
  ///   - today: the current date.
  ///   - now: the current time.
  /// - Throws: `usage` for an invalid list, expression or number.
  package mutating func readSteps(_ invocation: Invocation, today: String, now: String) throws(Problem) {
    (steps.today, steps.now) = (today, now)
    for text in invocation.all(StepOptions.put) { steps.assigned += try Assigned.list(parsing: text) }
    for text in invocation.all(StepOptions.having) { try filterGroups(by: text) }
    if let explode = try invocation.names(StepOptions.explode) {
      guard explode.count == 1 else { throw Problem(.usage, "--explode takes one column", hint: "name one list") }
      steps.explode = explode[0]
    }
    if let text = invocation[StepOptions.fill] {
      if text.contains("=") {
        steps.fill = try NameListParser.list(text, mark: "=", of: "fill").map { (one) throws(Problem) in
          guard let value = one.value else {
            throw Problem(.usage, "missing value of \(one.name) in --fill", hint: "use --fill A=VALUE,B=VALUE")
          }
          return Steps.Filling(one.name, value)
        }
      } else {
        steps.fill = [Steps.Filling(nil, text)]
      }
    }
    if let pivot = try invocation.names(StepOptions.pivot) {
      guard pivot.count == 2 else {
        throw Problem(.usage, "--pivot takes two columns", hint: "use --pivot NAMES,VALUES")
      }
      steps.pivot = try NameListParser.list(
        "\(NameListParser.written(pivot[0]))=\(NameListParser.written(pivot[1]))", mark: "=", of: "pivot")[0]
    }
    steps.unpivot = try invocation.names(StepOptions.unpivot) ?? []
    steps.dropped = try invocation.names(StepOptions.drop) ?? []
    steps.isDistinct = invocation.has(StepOptions.distinct)
    steps.distinct = try invocation.names(StepOptions.by)
    if steps.distinct != nil, !steps.isDistinct {
      throw Problem(.usage, "--by requires --distinct", hint: "add --distinct")
    }
    steps.tail = try invocation.integer(StepOptions.tail, in: 0...Int.max)
    if let text = invocation[StepOptions.rename] {
      steps.renamed = try NameListParser.list(text, mark: "=", of: "rename")
      for one in steps.renamed where one.value?.isEmpty != false {
        let words = one.name.unicodeScalars.split { ":> ".unicodeScalars.contains($0) }.map { String($0) }
        let pair = words.count > 1 ? "\(words[0])=\(words[words.count - 1])" : "\(one.name)=NEW"
        throw Problem(.usage, "missing new name of \(one.name) in --rename", hint: "use --rename \(pair)")
      }
    }
  }
}
