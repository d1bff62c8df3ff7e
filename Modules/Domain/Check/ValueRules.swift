import Codecs
import Rows

extension CheckRule {
  /// Texts that are there and say nothing, alone or in a list.
  static let emptyText = CheckRule("empty-text", "empty texts") { table, _ in
    var findings: [CheckFinding] = []
    for (position, column) in table.columns.enumerated() {
      for row in 0..<table.count {
        let blank = table.texts(row, position).filter(isBlank)
        guard let first = blank.first else { continue }
        let isList = if case .json = table.value(row, position) { true } else { false }
        findings.append(
          CheckFinding(
            record: table.record(row), column: column.name, value: first, count: blank.count,
            isList ? "the list contains an empty string" : "empty text"))
      }
    }
    return findings
  }

  /// Columns that should not be null and are.
  static let missingValue = CheckRule("missing-value", "missing values in columns that should have one") { table, _ in
    var findings: [CheckFinding] = []
    for (position, column) in table.columns.enumerated() where !column.isNullable {
      for row in 0..<table.count where table.value(row, position) == .null {
        findings.append(CheckFinding(record: table.record(row), column: column.name, "missing \(column.name)"))
      }
    }
    return findings
  }

  /// Values that are not of their column's type. Dates have a rule of their own.
  static let impossibleValue = CheckRule("impossible-value", "values that do not match the column type") { table, _ in
    var findings: [CheckFinding] = []
    for (position, column) in table.columns.enumerated() where column.type.isNumeric || column.type == .boolean {
      for row in 0..<table.count {
        guard case .text(let text) = table.value(row, position), !isBlank(text) else { continue }
        findings.append(
          CheckFinding(record: table.record(row), column: column.name, value: text, "not a valid \(column.type.name)"))
      }
    }
    return findings
  }

  static let ranges: [CheckRule] = [
    ("movies", "user_rating", 0.0...10.0), ("movies", "reservation_rate", 0...100), ("movies", "grade", 0...21),
    ("comments", "rating", 0...10), ("deaths", "number_of_deaths", 1...1_000_000),
    ("episodes", "season", 1...100), ("episodes", "episode", 1...10_000),
  ].map { dataset, column, range in
    CheckRule("impossible-number", "\(column) outside \(bounds(range))", in: dataset) { table, _ in
      guard let position = table.position(of: column) else { return [] }
      return (0..<table.count).compactMap { row in
        guard let number = table.number(row, position), !range.contains(number) else { return nil }
        return CheckFinding(
          record: table.record(row), column: column, value: table.value(row, position).plainText,
          "out of range: expected \(bounds(range))")
      }
    }
  }

  private static func bounds(_ range: ClosedRange<Double>) -> String {
    "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
  }

  /// Movies with a higher rate than a movie ranked before them.
  static let rankAgainstRate = CheckRule(
    "rank-against-rate", "movies with a higher reservation rate than a movie ranked above them", in: "movies"
  ) { table, _ in
    guard let rank = table.position(of: "reservation_rank"), let rate = table.position(of: "reservation_rate") else {
      return []
    }
    let films = (0..<table.count).compactMap { row -> (row: Int, rank: Double, rate: Double)? in
      guard let rank = table.number(row, rank), let rate = table.number(row, rate) else { return nil }
      return (row, rank, rate)
    }.sorted { ($0.rank, $0.row) < ($1.rank, $1.row) }
    return films.compactMap { film in
      let before = films.filter { $0.rank < film.rank && $0.rate < film.rate }
      guard let first = before.first else { return nil }
      return CheckFinding(
        record: table.record(film.row), column: "reservation_rate", value: Value.real(film.rate).plainText,
        count: before.count,
        "rank \(Int(film.rank)) has a higher reservation rate than rank \(Int(first.rank)) (\(first.rate))")
    }
  }
}
