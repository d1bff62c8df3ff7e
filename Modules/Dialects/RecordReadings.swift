/// The ways to read a damaged record as exactly as many fields as the table has columns.
struct RecordReadings {
  struct Reading {
    /// What it supposes: the cheapest is the likeliest.
    var cost: Int
    var fields: [[UInt8]]
    var reasons: [Reject.Reason]
  }

  /// The costs of a quote that does not quote, a missing delimiter, a quote inside a field and a space after a quote.
  static let stray = 10, missing = 12, inside = 3, space = 1
  /// Paths that are kept at a place for a number of fields, readings of a record, its quotes, and the unpaired quotes
  /// of a field. Without the last a line of many quotes takes seconds.
  private static let beam = 6, most = 100, mostQuotes = 400, mostUnpaired = 8

  private let dialect: CSVDialect, quote: UInt8, width: Int
  private let parser: RecordParser

  init(_ dialect: CSVDialect, quote: UInt8, width: Int) {
    self.dialect = dialect
    self.quote = quote
    self.width = width
    parser = RecordParser(dialect)
  }

  /// A field that may begin at a place.
  private struct Option {
    /// Where the next field begins; nil if this one is the last.
    var next: Int?
    /// Its text, without the quotes around it.
    var range: Range<Int>
    var cost = 0
    var reason: Reject.Reason?
    var isQuoted = false
    /// Whether an empty field follows as the last.
    var addsEmpty = false
  }
  /// The fields up to a place: the last of them, and the path before it.
  private struct Path {
    var previous = 0, option = 0, count = 0, cost = 0
  }
  private var options: [Option] = [], paths: [Path] = []

  /// The cheapest readings of `text`, a record without its line end, in order.
  mutating func readings(_ text: Span<UInt8>) -> [Reading] {
    guard ByteText.count(of: quote, in: text) <= Self.mostQuotes else { return [] }
    options.removeAll(keepingCapacity: true)
    paths.removeAll(keepingCapacity: true)
    paths.append(Path())
    var places = [(at: 0, paths: [0])], ends: [Int] = []
    while let least = places.indices.min(by: { places[$0].at < places[$1].at }) {
      let place = places.remove(at: least), first = options.count
      appendOptions(text, place.at)
      for previous in place.paths {
        for index in first..<options.count {
          let option = options[index], start = paths[previous]
          let path = Path(
            previous: previous, option: index, count: start.count + (option.addsEmpty ? 2 : 1),
            cost: start.cost + option.cost)
          guard let next = option.next else {
            if path.count == width {
              paths.append(path)
              ends.append(paths.count - 1)
            }
            continue
          }
          guard path.count < width else { continue }
          let place = places.firstIndex { $0.at == next } ?? places.count
          if place == places.count { places.append((next, [])) }
          add(path, to: &places[place].paths)
        }
      }
    }
    ends.sort { (paths[$0].cost, $0) < (paths[$1].cost, $1) }
    var readings: [Reading] = []
    for end in ends.prefix(Self.most) {
      let reading = reading(text, end)
      if !readings.contains(where: { $0.fields == reading.fields }) { readings.append(reading) }
    }
    guard readings.count > 1 else { return readings }
    return readings.sorted { left, right in
      left.cost != right.cost
        ? left.cost < right.cost
        : left.fields.lexicographicallyPrecedes(right.fields) { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// Adds a path to those of a place, which are in the order of their numbers of fields.
  private mutating func add(_ path: Path, to list: inout [Int]) {
    var end = list.count
    while end > 0, paths[list[end - 1]].count > path.count { end -= 1 }
    var start = end
    while start > 0, paths[list[start - 1]].count == path.count { start -= 1 }
    guard end - start == Self.beam else {
      list.insert(paths.count, at: end)
      return paths.append(path)
    }
    // The worst one has no path after it yet.
    guard let worst = (start..<end).max(by: { paths[list[$0]].cost < paths[list[$1]].cost }),
      paths[list[worst]].cost >= path.cost
    else { return }
    paths[list[worst]] = path
    list.insert(list.remove(at: worst), at: end - 1)
  }

  private func reading(_ text: Span<UInt8>, _ end: Int) -> Reading {
    var reading = Reading(cost: paths[end].cost, fields: [], reasons: []), at = end
    reading.fields.reserveCapacity(width)
    while at > 0 {
      let option = options[paths[at].option]
      if option.addsEmpty { reading.fields.append([]) }
      reading.fields.append(value(text, option))
      if let reason = option.reason { reading.reasons.append(reason) }
      at = paths[at].previous
    }
    reading.fields.reverse()
    return reading
  }

  private mutating func appendOptions(_ text: Span<UInt8>, _ place: Int) {
    let delimiter = dialect.delimiter, count = text.count
    var end = place, mark: Int?, quotes = 0
    while end < count, !parser.isDelimiter(text, end) {
      if text[end] == quote {
        mark = mark ?? end
        quotes += 1
      }
      end += 1
    }
    var plain = Option(next: end == count ? nil : end + delimiter.count, range: place..<end)
    if mark == place {
      let isClosed = end - place > 2 && text[end - 1] == quote
      (plain.cost, plain.reason) = (Self.stray + (isClosed ? 4 : 0), .strayQuote)
      options.append(plain)
      return appendQuoted(text, place)
    }
    (plain.cost, plain.reason) = (Self.inside * quotes, quotes > 0 ? .strayQuoteInside : nil)
    options.append(plain)
    if end == count, end > place, delimiter.count > 1, delimiter.last == 0x20, text[end - 1] == delimiter[0] {
      options.append(Option(range: place..<end - 1, addsEmpty: true))
    }
    if let mark {
      options.append(Option(next: mark, range: place..<mark, cost: Self.missing, reason: .missingDelimiter))
    }
  }

  /// The fields in quotes that begin at `place`, one for each quote that may end it.
  private mutating func appendQuoted(_ text: Span<UInt8>, _ place: Int) {
    let count = text.count, hasBackslash = dialect.escape == .backslash
    var close = place + 1, unpaired = 0, run = 0, isEscaped = false
    while close < count {
      guard text[close] == quote else {
        unpaired += run & 1
        run = 0
        isEscaped = hasBackslash && text[close] == 0x5C && !isEscaped
        close += 1
        continue
      }
      defer {
        if isEscaped { isEscaped = false } else { run += 1 }
        close += 1
      }
      // Quotes right before this one belong to the field as well.
      let lone = hasBackslash ? unpaired + run : unpaired + (run & 1)
      if lone > Self.mostUnpaired { return }
      if isEscaped { continue }
      var option = Option(range: place + 1..<close, cost: lone * Self.stray, isQuoted: true)
      if lone > 0 { option.reason = .strayQuote }
      let after = close + 1
      var spaces = after
      while spaces < count, text[spaces] == 0x20 || text[spaces] == 0x09, !parser.isDelimiter(text, spaces) {
        spaces += 1
      }
      let endsField = spaces == count || parser.isDelimiter(text, spaces)
      if endsField {
        option.next = spaces == count ? nil : spaces + dialect.delimiter.count
        if spaces > after {
          (option.cost, option.reason) = (option.cost + Self.space, option.reason ?? .spaceAfterQuote)
        }
        options.append(option)
      }
      if !endsField || spaces > after, lone == 0, close > place + 1 {
        (option.next, option.cost, option.reason) = (after, Self.missing, .missingDelimiter)
        options.append(option)
      }
    }
  }

  /// The value of a field, without escapes.
  private func value(_ text: Span<UInt8>, _ option: Option) -> [UInt8] {
    var at = option.range.lowerBound, run = 0, value: [UInt8] = []
    value.reserveCapacity(option.range.count)
    let end = option.range.upperBound, hasUnpaired = option.reason == .strayQuote
    func flush() {
      for _ in 0..<(hasUnpaired ? (run + 1) / 2 : run / 2) { value.append(quote) }
      run = 0
    }
    while at < end {
      let byte = text[at]
      at += 1
      if option.isQuoted, byte == quote {
        run += 1
        continue
      }
      flush()
      if option.isQuoted, byte == 0x5C, dialect.escape == .backslash, at < end, text[at] == 0x5C || text[at] == quote {
        value.append(text[at])
        at += 1
      } else {
        value.append(byte)
      }
    }
    flush()
    return value
  }

  /// The best reading, and whether it is certain.
  static func best(_ readings: [Reading], _ profile: ColumnProfile?) -> (reading: Reading, isSure: Bool)? {
    guard let first = readings.first else { return nil }
    guard let profile, profile.isUseful else {
      return (first, readings.count == 1 || Double(readings[1].cost - first.cost) >= 1.5)
    }
    var best = 0, values: [Double] = []
    for (index, reading) in readings.enumerated() {
      values.append(Double(reading.cost) - 4 * profile.total(reading.fields))
      if values[index] < values[best] { best = index }
    }
    let others = values.indices.filter { $0 != best }.map { values[$0] }
    return (readings[best], others.allSatisfy { $0 - values[best] >= 1.5 })
  }
}
