import Documents
import Rows

/// A chart of the site: rows that are made for it, drawn as charts are elsewhere.
struct SiteChart {
  /// Nil if there is too little to see, or more than a chart can show.
  let chart: (any Chart)?

  private init<Drawing: Chart>(
    _ title: String, _ columns: [ColumnDescription], _ rows: [[Value]], atLeast least: Int = 2,
    _ make: (Schema) throws(Problem) -> Drawing
  ) {
    var builder = RowBatchBuilder(width: columns.count)
    for row in rows { for value in row { builder.append(value: value) } }
    do throws(Problem) {
      guard rows.count >= least else {
        chart = nil
        return
      }
      var drawing = try make(Schema(title, columns: columns))
      try drawing.add(builder.finish())
      try drawing.close()
      chart = drawing
    } catch { chart = nil }
  }

  private static func value(_ text: String?) -> Value { text.map { .text(Array($0.utf8)) } ?? .null }
  private static func value(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }

  /// The episodes in which a character appears, by season.
  static func episodes(of name: String, _ episodes: [SiteRecord]) -> SiteChart {
    seasons("Episodes with \(name)", episodes)
  }

  /// The episodes with a note and those without, by season.
  static func progress(_ episodes: [(record: SiteRecord, isNoted: Bool)]) -> SiteChart {
    seasons("Notes on episodes", episodes.map(\.record), notes: episodes.map(\.isNoted))
  }

  private static func seasons(_ title: String, _ episodes: [SiteRecord], notes: [Bool]? = nil) -> SiteChart {
    let rows = episodes.enumerated().map { place, record in
      [value(record.text("production")), value(record.integer("season")), value(record.integer("episode"))]
        + (notes.map { [.boolean($0[place])] } ?? [])
    }
    let columns = [
      ColumnDescription("show", .text), ColumnDescription("season", .integer), ColumnDescription("episode", .integer),
      ColumnDescription("has_note", .boolean),
    ]
    let options = ["rows": "show+season", "columns": "episode", "value": notes == nil ? nil : "has_note"]
    return SiteChart(title, Array(columns.prefix(notes == nil ? 3 : 4)), rows) { (schema) throws(Problem) in
      try MatrixChart(schema, format: "matrix", options.compactMapValues { $0 })
    }
  }

  /// The ratings of movies.
  static func ratings(_ movies: [SiteRecord]) -> SiteChart {
    let rows = movies.compactMap { record in
      record.number("user_rating").map { [value(record.text("title")), .real($0)] }
    }
    let columns = [ColumnDescription("movie", .text), ColumnDescription("rating", .real, unit: "of 10")]
    return SiteChart("Movies", columns, rows) { (schema) throws(Problem) in
      try BarChart(schema, format: "bars", [:])
    }
  }

  /// The number of quotes by each character, the most first.
  static func quotes(_ characters: [String?]) -> SiteChart {
    var counts: [String: Int] = [:]
    for name in characters { if let name { counts[name, default: 0] += 1 } }
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      [value($0.key), value(Int64($0.value))]
    }
    let columns = [ColumnDescription("character", .text), ColumnDescription("quotes", .integer)]
    return SiteChart("Quotes", columns, rows) { (schema) throws(Problem) in
      try BarChart(schema, format: "bars", [:])
    }
  }

  /// A calendar of times: the number in each month.
  static func calendar(_ times: [String]) -> SiteChart {
    let rows = times.filter { $0.utf8.count >= 10 }.map { [value(String($0.prefix(10)))] }
    return SiteChart("Notes", [ColumnDescription("date", .date)], rows, atLeast: 1) { (schema) throws(Problem) in
      try MatrixChart(schema, format: "matrix", ["rows": "date:year", "columns": "date:month"])
    }
  }
}

extension SitePage {
  /// A chart with its data as a table.
  mutating func chart(_ chart: SiteChart) {
    guard let drawing = chart.chart else { return }
    markup.raw("<figure class=\"chart\">\n")
    markup.chart(drawing, hasStyle: false)
    markup.data(of: drawing)
    markup.raw("</figure>\n")
  }
}
