import Codecs
import Rows

/// The rows or the columns of a matrix: the combinations of values of some columns, or of parts of their dates.
struct MatrixAxis: Sendable {
  enum Part: String, CaseIterable {
    case year, quarter, month, week, weekday, day

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The part of a date or time: its order and its text; nil for one that the date does not have.
    func value(of text: [UInt8]) -> Value? {
      let date = Array(text.prefix(10))
      guard let days = Dates.day(of: date) else { return nil }
      let day = CivilDate(daysSince1970: days)
      // 1970-01-01 was a Thursday.
      let weekday = (days + 3).quotientAndRemainderRoundingDown(dividingBy: 7).1
      switch self {
      case .year: return value(day.year)
      case .quarter where date.count >= 7: return value((day.month - 1) / 3)
      case .month where date.count >= 7: return value(day.month)
      case .week where date.count == 10:
        // The week of a year is that of its Thursday.
        let thursday = CivilDate(daysSince1970: days - weekday + 3)
        let first = CivilDate(year: thursday.year, month: 1, day: 1).daysSince1970
        return value((thursday.daysSince1970 - first) / 7 + 1)
      case .weekday where date.count == 10: return value(weekday)
      case .day where date.count == 10: return value(day.day)
      default: return nil
      }
    }

    /// The value at a place in the order.
    func value(_ number: Int) -> Value {
      let text =
        switch self {
        case .year: ChartStep.padded(number, 4)
        case .quarter: "Q\(number + 1)"
        case .month: Self.months[number - 1]
        case .week: "W\(ChartStep.padded(number, 2))"
        case .weekday: Self.weekdays[number]
        case .day: String(number)
        }
      return Value(.number(Double(number)), text)
    }
  }

  /// A value of one column, with its place in the order.
  struct Value: Sendable, Hashable {
    enum Order: Sendable, Hashable {
      case number(Double)
      case date
      /// By first appearance.
      case text
      case null
    }
    let order: Order, text: String

    init(_ order: Order, _ text: String) { (self.order, self.text) = (order, text) }
  }

  private let columns: [(position: Int, part: Part?, title: String)]
  private(set) var labels: [[Value]] = []
  private var index: [[Value]: Int] = [:], appearances: [[String: Int]]

  /// The columns that `text` names: `production+season`, `air_date:month`.
  /// - Throws: `usage` for an unknown column or part.
  init(_ text: String, _ chart: ChartColumns) throws(Problem) {
    var columns: [(position: Int, part: Part?, title: String)] = []
    // A column may have such a sign in its name.
    let names = chart.schema.position(of: text) != nil ? [text] : text.split(separator: "+").map(String.init)
    for name in names {
      let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard chart.schema.position(of: name) == nil, parts.count > 1, let word = parts.last else {
        let position = try chart.position(of: name)
        columns.append((position, nil, ChartColumns.words(name)))
        continue
      }
      let column = parts.dropLast().joined(separator: ":"), position = try chart.position(of: column)
      guard let part = Part(rawValue: word) else {
        throw Problem(
          .usage, "unknown part of a date: “\(word)”",
          hint: .choose(word, from: Part.allCases.map(\.rawValue), "available parts"))
      }
      guard chart.type(position).isTemporal else {
        throw Problem(
          .usage, "\(column) is \(chart.type(position).name), and only dates have a \(word)", hint: "omit :\(word)")
      }
      columns.append((position, part, "\(word) of \(ChartColumns.words(column))"))
    }
    if columns.isEmpty { throw Problem(.usage, "missing column of the matrix", hint: "use rows=COLUMN") }
    self.columns = columns
    appearances = columns.map { _ in [:] }
  }

  /// `production, season`.
  var title: String { columns.map(\.title).joined(separator: ", ") }

  /// The indices of the combinations that a row has: one for each element of a list.
  mutating func indices(_ batch: RowBatch, _ row: Int) -> [Int] {
    var combinations: [[Value]] = [[]]
    for place in columns.indices {
      let values = values(batch, row, place)
      combinations = combinations.flatMap { first in values.map { first + [$0] } }
    }
    return combinations.map { combination in
      if let known = index[combination] { return known }
      index[combination] = labels.count
      labels.append(combination)
      return labels.count - 1
    }
  }

  private mutating func values(_ batch: RowBatch, _ row: Int, _ place: Int) -> [Value] {
    let cell = batch[row, columns[place].position]
    func text(_ bytes: [UInt8]) -> Value {
      let text = String(decoding: bytes, as: UTF8.self)
      if appearances[place][text] == nil { appearances[place][text] = appearances[place].count }
      return Value(.text, text)
    }
    switch cell {
    case .null: return [Value(.null, "null")]
    case .text(let start, let length):
      let bytes = batch.bytes(start, length)
      if let part = columns[place].part { return [part.value(of: bytes) ?? Value(.null, "null")] }
      return [
        Dates.isDate(bytes) || Dates.isTimestamp(bytes) || Dates.isDatetime(bytes)
          ? Value(.date, String(decoding: bytes, as: UTF8.self)) : text(bytes)
      ]
    case .json(let start, let length):
      var all: [Value] = []
      let bytes = batch.bytes(start, length)
      guard bytes.first == UInt8(ascii: "[") else { return [text(bytes)] }
      _ = unsafe bytes.withUnsafeBytes { bytes in
        unsafe ListText.first(in: bytes) { element in
          let value = text(element)
          if !all.contains(value) { all.append(value) }
          return false
        }
      }
      return all
    case .integer, .real, .number:
      let number = ChartNumber(cell, batch.arena)
      return [Value(number.position.map { .number($0) } ?? .text, number.text)]
    case .boolean, .bytes: return [text(ChartNumber.plain(cell, batch.arena))]
    }
  }

  /// Adds the parts of dates between the first and the last one that no row has, if there are not too many.
  mutating func fill(atMost most: Int) {
    guard columns.count == 1, let part = columns[0].part else { return }
    let known = Set(labels.compactMap { if case .number(let number) = $0[0].order { Int(number) } else { nil } })
    guard let first = known.min(), let last = known.max(), last - first < most else { return }
    for number in first...last where !known.contains(number) { labels.append([part.value(number)]) }
  }

  /// The indices in order: numbers and dates ascending, text by first appearance, null last.
  func sorted() -> [Int] {
    func precedes(_ a: Value, _ b: Value, _ place: Int) -> Bool? {
      if a == b { return nil }
      switch (a.order, b.order) {
      case (.number(let a), .number(let b)): return a == b ? nil : a < b
      case (.date, .date): return a.text < b.text
      case (.text, .text): return appearances[place][a.text] ?? 0 < appearances[place][b.text] ?? 0
      default:
        func rank(_ order: Value.Order) -> Int {
          switch order {
          case .number: 0
          case .date: 1
          case .text: 2
          case .null: 3
          }
        }
        return rank(a.order) < rank(b.order)
      }
    }
    return labels.indices.sorted { a, b in
      for place in columns.indices {
        if let result = precedes(labels[a][place], labels[b][place], place) { return result }
      }
      return a < b
    }
  }

  func text(_ index: Int) -> String { labels[index].map(\.text).joined(separator: " ") }

  /// A combination in a message: `season 1`.
  func place(_ index: Int) -> String {
    zip(columns, labels[index]).map { "\($0.title) \($1.text)" }.joined(separator: ", ")
  }

  /// Whether a parent value, such as the season of an episode, changes between two combinations.
  func changes(_ a: Int, _ b: Int) -> Bool { columns.count > 1 && labels[a].dropLast() != labels[b].dropLast() }
}
