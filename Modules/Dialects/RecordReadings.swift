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
  /// States that are kept at a place, quotes of a record, and unpaired quotes of a field. Without the last a line of
  /// many quotes takes seconds.
  private static let beam = 6, mostQuotes = 400, mostUnpaired = 8

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
    var value: [UInt8]
    var cost: Int
    var reason: Reject.Reason?
    /// Whether an empty field follows as the last.
    var addsEmpty = false
  }

  /// All readings of `text`, a record without its line end, the cheapest first.
  func readings(_ text: [UInt8]) -> [Reading] {
    guard text.reduce(0, { $0 + ($1 == quote ? 1 : 0) }) <= Self.mostQuotes else { return [] }
    // By place, then by number of fields.
    var states: [Int: [Int: [Reading]]] = [0: [0: [Reading(cost: 0, fields: [], reasons: [])]]]
    var places = [0], done: [Reading] = []
    func insert(_ reading: Reading, _ list: inout [Reading]) {
      if let same = list.firstIndex(where: { $0.fields == reading.fields }) {
        if reading.cost < list[same].cost { list[same] = reading }
      } else {
        list.append(reading)
      }
    }
    while !places.isEmpty {
      var least = 0
      for index in places.indices where places[index] < places[least] { least = index }
      let place = places.remove(at: least)
      guard let counts = states.removeValue(forKey: place) else { continue }
      let options = options(text, place)
      for (count, readings) in counts.sorted(by: { $0.key < $1.key }) where count < width {
        for reading in readings {
          for option in options {
            var next = reading
            next.fields.append(option.value)
            if option.addsEmpty { next.fields.append([]) }
            next.cost += option.cost
            if let reason = option.reason { next.reasons.append(reason) }
            guard let to = option.next else {
              if next.fields.count == width { insert(next, &done) }
              continue
            }
            guard next.fields.count < width else { continue }
            if states[to] == nil {
              states[to] = [:]
              places.append(to)
            }
            var list = states[to]?[count + 1] ?? []
            insert(next, &list)
            if list.count > Self.beam, let worst = list.indices.max(by: { list[$0].cost < list[$1].cost }) {
              list.remove(at: worst)
            }
            states[to]?[count + 1] = list
          }
        }
      }
    }
    return done.sorted { left, right in
      left.cost != right.cost
        ? left.cost < right.cost
        : left.fields.lexicographicallyPrecedes(right.fields) { $0.lexicographicallyPrecedes($1) }
    }
  }

  private func isDelimiter(_ text: [UInt8], _ at: Int) -> Bool {
    at + dialect.delimiter.count <= text.count
      && text[at..<at + dialect.delimiter.count].elementsEqual(dialect.delimiter)
  }

  private func options(_ text: [UInt8], _ place: Int) -> [Option] {
    let delimiter = dialect.delimiter, count = text.count
    var options: [Option] = []
    var end = place
    while end < count, !isDelimiter(text, end) { end += 1 }
    let plain = Array(text[place..<end]), isLast = end == count
    let quotes = plain.reduce(0) { $0 + ($1 == quote ? 1 : 0) }
    if plain.first == quote {
      let isClosed = plain.count > 2 && plain.last == quote
      options.append(
        Option(
          next: isLast ? nil : end + delimiter.count, value: plain, cost: Self.stray + (isClosed ? 4 : 0),
          reason: .strayQuote))
    } else {
      options.append(
        Option(
          next: isLast ? nil : end + delimiter.count, value: plain, cost: Self.inside * quotes,
          reason: quotes > 0 ? .strayQuoteInside : nil))
      if isLast, delimiter.count > 1, delimiter.last == 0x20, plain.last == delimiter[0] {
        options.append(Option(next: nil, value: Array(plain.dropLast()), cost: 0, reason: nil, addsEmpty: true))
      }
      if let mark = plain.firstIndex(of: quote), mark > 0 {
        options.append(
          Option(
            next: place + mark, value: Array(plain[..<mark]), cost: Self.missing, reason: .missingDelimiter))
      }
    }
    if place < count, text[place] == quote { appendQuoted(text, place, &options) }
    return options
  }

  /// The fields in quotes that begin at `place`, one for each quote that may end it.
  private func appendQuoted(_ text: [UInt8], _ place: Int, _ options: inout [Option]) {
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
      let value = value(text[place + 1..<close], hasUnpaired: lone > 0)
      let reason: Reject.Reason? = lone > 0 ? .strayQuote : nil
      let after = close + 1
      if after >= count {
        options.append(Option(next: nil, value: value, cost: lone * Self.stray, reason: reason))
      } else if isDelimiter(text, after) {
        options.append(
          Option(next: after + dialect.delimiter.count, value: value, cost: lone * Self.stray, reason: reason))
      } else {
        var spaces = after
        while spaces < count, text[spaces] == 0x20 || text[spaces] == 0x09 { spaces += 1 }
        if spaces > after, spaces >= count || isDelimiter(text, spaces) {
          options.append(
            Option(
              next: spaces >= count ? nil : spaces + dialect.delimiter.count, value: value,
              cost: lone * Self.stray + Self.space, reason: reason ?? .spaceAfterQuote))
        }
        if lone == 0, close > place + 1 {
          options.append(Option(next: after, value: value, cost: Self.missing, reason: .missingDelimiter))
        }
      }
    }
  }

  /// The text between quotes, without escapes.
  private func value(_ raw: ArraySlice<UInt8>, hasUnpaired: Bool) -> [UInt8] {
    var value: [UInt8] = [], run = 0, at = raw.startIndex
    func flush() {
      for _ in 0..<(hasUnpaired ? (run + 1) / 2 : run / 2) { value.append(quote) }
      run = 0
    }
    while at < raw.endIndex {
      let byte = raw[at]
      at += 1
      if byte == quote {
        run += 1
        continue
      }
      flush()
      if byte == 0x5C, dialect.escape == .backslash, at < raw.endIndex, raw[at] == 0x5C || raw[at] == quote {
        value.append(raw[at])
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
