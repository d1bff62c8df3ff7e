package import Rows

extension TimeSpelling {
  private static let marks = "-/.".utf8

  /// The form that a text has, in the usual order and with all digits; nil for other text.
  private static func form(of text: Span<UInt8>) -> TimeSpelling? {
    guard (8...40).contains(text.count) else { return nil }
    var mark = 0
    while mark < 5, text[mark] &- 48 < 10 { mark += 1 }
    guard mark > 0, marks.contains(text[mark]) else { return nil }
    var form = TimeSpelling(), end = mark
    form.mark = text[mark]
    while end < text.count, text[end] != UInt8(ascii: " "), text[end] != UInt8(ascii: "T") { end += 1 }
    if end < text.count {
      form.gap = text[end]
      form.half = Half.allCases.first { half in
        let word = Array(half.rawValue.utf8), start = text.count - word.count
        return start > end
          && (0..<word.count).allSatisfy {
            text[start + $0] == word[$0] || $0 == word.count - 2 && text[start + $0] == word[$0] + 15
          }
      }
      var sign = end + 1
      while sign < text.count, ![UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "Z")].contains(text[sign]) {
        sign += 1
      }
      if sign < text.count {
        let zone = String(decoding: (sign..<text.count).map { text[$0] }, as: UTF8.self)
        guard let seconds = DatePattern.offset(zone) else { return nil }
        form.offset = (zone, seconds)
        form.hasSeconds = (end..<sign).count { text[$0] == UInt8(ascii: ":") } > 1
      }
    }
    return form
  }

  /// The forms that a text has; none for text other than a date or time in a form of this kind.
  static func forms(of text: Span<UInt8>) -> [TimeSpelling] {
    guard var form = form(of: text) else { return [] }
    var forms: [TimeSpelling] = []
    for order in Order.allCases {
      for (isPadded, isHourPadded) in [(true, true), (true, false), (false, true), (false, false)] {
        (form.order, form.isPadded, form.isHourPadded) = (order, isPadded, isHourPadded)
        if form.gap != nil || isHourPadded, form.value(text) != nil { forms.append(form) }
      }
    }
    return forms
  }

  /// A time of its own spelling. In another form than the usual one, the offset and the byte before the time, with its
  /// lowest bit set if there are no seconds, follow the instant, and a space follows the local time.
  /// - Returns: nil for a text that is not of the type, or not in the order of ISO 8601.
  static func own(_ text: Span<UInt8>, of type: ColumnType) -> [UInt8]? {
    let kind = Dates.timeForm(text)
    if type == .datetime {
      guard kind == .local || kind == .spaced || text.count == 10 && Dates.isDate(text) else { return nil }
      var value = (0..<text.count).map { text[$0] }
      guard kind == .spaced else { return value }
      value[10] = UInt8(ascii: "T")
      return value + [UInt8(ascii: " ")]
    }
    if kind == .instant { return (0..<text.count).map { text[$0] } }
    guard let form = form(of: text), form.mark == UInt8(ascii: "-"), form.half == nil, let gap = form.gap,
      let offset = form.offset, let value = form.value(text)
    else { return nil }
    return value + Array(offset.text.utf8) + [form.hasSeconds ? gap : gap | 1]
  }

  /// The length of a time without its own spelling.
  static func length(ofOwn value: ByteRun) -> Int {
    let last = value.count - 1
    guard last > 10, value[last] & ~1 == UInt8(ascii: " ") || value[last] & ~1 == UInt8(ascii: "T") else {
      return value.count
    }
    return (10..<last).first { value[$0] == UInt8(ascii: "Z") }.map { $0 + 1 } ?? last
  }

  /// The text of a time of its own spelling; nil in the usual form.
  fileprivate static func text(ofOwn value: ByteRun) -> [UInt8]? {
    let length = length(ofOwn: value), bytes = value.bytes
    guard length < bytes.count else { return nil }
    var form = TimeSpelling()
    (form.gap, form.hasSeconds) = (bytes.last.map { $0 & ~1 }, (bytes.last ?? 0) & 1 == 0)
    let zone = String(decoding: bytes[length...].dropLast(), as: UTF8.self)
    form.offset = DatePattern.offset(zone).map { (zone, $0) }
    return form.text(of: Array(bytes[..<length]))
  }

  /// The date or time that a text writes in this form, in that of cells; nil for other text. `text(of:)` writes the
  /// same text again.
  func value(_ text: Span<UInt8>) -> [UInt8]? {
    var at = 0
    func number(_ isPadded: Bool) -> Int? {
      var value = 0, count = 0
      while count < 2, at < text.count, text[at] &- 48 < 10 {
        value = value * 10 + Int(text[at] &- 48)
        (at, count) = (at + 1, count + 1)
      }
      return count == 2 ? isPadded || value > 9 ? value : nil : count == 1 && !isPadded ? value : nil
    }
    func skip(_ byte: UInt8) -> Bool {
      guard at < text.count, text[at] == byte else { return false }
      at += 1
      return true
    }
    func year() -> Int? {
      guard let first = number(true), let second = number(true) else { return nil }
      return first * 100 + second
    }
    var fields = DatePattern.Fields()
    for place in 0..<3 {
      if place > 0, !skip(mark) { return nil }
      switch (order, place) {
      case (.yearMonthDay, 0), (.dayMonthYear, 2), (.monthDayYear, 2):
        guard let found = year() else { return nil }
        fields.year = found
      case (.yearMonthDay, 1), (.dayMonthYear, 1), (.monthDayYear, 0): fields.month = number(isPadded)
      default: fields.day = number(isPadded)
      }
    }
    guard let month = fields.month, let day = fields.day, 1...12 ~= month,
      1...CivilDate.days(in: month, of: fields.year) ~= day
    else { return nil }
    guard let gap else { return at == text.count ? fields.date : nil }
    guard skip(gap), var hour = number(isHourPadded), skip(UInt8(ascii: ":")), let minute = number(true) else {
      return nil
    }
    var second = 0, hasSeconds = false
    if skip(UInt8(ascii: ":")) {
      guard let found = number(true) else { return nil }
      (second, hasSeconds) = (found, true)
      if skip(UInt8(ascii: ".")) {
        let start = at
        while at < text.count, text[at] &- 48 < 10 { at += 1 }
        guard at > start else { return nil }
        fields.fraction = (start..<at).map { text[$0] }
      }
    }
    var rest = (at..<text.count).map { text[$0] }
    if let offset {
      guard hasSeconds == self.hasSeconds, rest.reversed().starts(with: offset.text.utf8.reversed()) else { return nil }
      rest.removeLast(offset.text.utf8.count)
    }
    if let half {
      guard 1...12 ~= hour, rest == half.word(isAfternoon: false) || rest == half.word(isAfternoon: true) else {
        return nil
      }
      hour = hour % 12 + (rest == half.word(isAfternoon: true) ? 12 : 0)
    } else if !rest.isEmpty {
      return nil
    }
    guard hour < 24, minute < 60, second < 60 else { return nil }
    fields.seconds = hour * 3600 + minute * 60 + second
    guard let value = fields.timestamp(offset: offset?.seconds ?? 0) else { return nil }
    if offset != nil { return value }
    return Array(hasSeconds ? value.dropLast() : value.prefix(16))
  }

  fileprivate func text(of value: [UInt8]) -> [UInt8] {
    var value = value
    if let offset, value.count > 19, let utc = DatePattern.local?.fields(Array(value.prefix(19))) {
      // The fraction stays.
      let fraction = value[19...].filter { $0 != UInt8(ascii: "Z") }
      value = (Dates.timestamp(utc.localSeconds + Int64(offset.seconds), fraction: []) ?? value).prefix(19) + fraction
    }
    guard value.count >= 10 else { return value }
    func unpadded(_ part: ArraySlice<UInt8>, _ isPadded: Bool) -> [UInt8] {
      Array(!isPadded && part.first == 48 ? part.dropFirst() : part)
    }
    let year = Array(value[..<4]), month = unpadded(value[5..<7], isPadded), day = unpadded(value[8..<10], isPadded)
    let parts =
      switch order {
      case .yearMonthDay: [year, month, day]
      case .dayMonthYear: [day, month, year]
      case .monthDayYear: [month, day, year]
      }
    var text = Array(parts.joined(separator: [mark]))
    guard let gap, value.count >= 16 else { return text }
    var clock = value[11..<13], word: [UInt8] = []
    if let half, let hour = Int(String(decoding: clock, as: UTF8.self)) {
      clock = Dates.twoDigits((hour + 11) % 12 + 1)[...]
      word = half.word(isAfternoon: hour >= 12)
    }
    text += [gap] + unpadded(clock, isHourPadded) + (hasSeconds ? value[13...] : value[13..<16]) + word
    return text + Array((offset?.text ?? "").utf8)
  }
}

extension TimeSpelling.Half {
  /// `AM` or `PM`, as it is written.
  fileprivate func word(isAfternoon: Bool) -> [UInt8] {
    var word = Array(rawValue.utf8)
    // From A to P.
    if isAfternoon { word[word.count - 2] += 15 }
    return word
  }
}

extension DatePattern {
  /// A time without a zone.
  fileprivate static let local = DatePattern("yyyy-MM-dd'T'HH:mm:ss")
}

extension ValueSpelling {
  /// The text of a value in this spelling.
  package func written(_ value: Value) -> [UInt8] {
    let text = value.plainText
    if case .boolean(let truth) = value { return Array("\(word(truth))".utf8) }
    let copy = Arena(text)
    return withExtendedLifetime(copy) { self.text(of: ByteRun(copy, 0, UInt32(copy.count))) } ?? text
  }

  /// Whether cells have other bytes than their texts, not only others in place.
  var isRespelled: Bool {
    switch self {
    case .time, .each: true
    case .usual, .capitalized, .uppercase, .spaced: false
    }
  }

  /// The bytes of a cell with a text in this spelling; nil for other text.
  func value(_ text: Span<UInt8>, of type: ColumnType) -> [UInt8]? {
    switch self {
    case .time(let form): form.value(text)
    case .each: TimeSpelling.own(text, of: type)
    case .usual, .capitalized, .uppercase, .spaced: nil
    }
  }

  /// The text of a cell, if it differs from the cell's own.
  func text(of value: ByteRun) -> [UInt8]? {
    switch self {
    case .spaced: value.spaced
    case .time(let form): form.text(of: value.bytes)
    case .each: TimeSpelling.text(ofOwn: value)
    case .usual, .capitalized, .uppercase: nil
    }
  }
}

/// The forms of dates and times that all values of a column may have.
struct TimeForms: Sendable {
  /// Nil before the first value.
  private var forms: [TimeSpelling]?

  /// Whether a value may follow that does not make the column text.
  var isPossible: Bool { forms?.isEmpty != true }

  /// The form of all values; nil if there is none, or if they can be read in different orders.
  var form: TimeSpelling? {
    guard let first = forms?.first, forms?.allSatisfy({ $0.order == first.order }) == true else { return nil }
    return first
  }

  mutating func add(_ text: Span<UInt8>) {
    if let known = forms {
      if !known.isEmpty { forms = known.filter { $0.value(text) != nil } }
    } else {
      forms = TimeSpelling.forms(of: text)
    }
  }

  /// Makes the column text.
  mutating func exclude() { forms = [] }
}

extension Schema {
  /// The columns whose times state at their ends how they are written.
  package var ownSpellings: [Int] { columns.indices.filter { columns[$0].spelling == .each } }
}

extension RowBatch {
  /// The same times without their own spellings.
  package func unspelled(_ columns: [Int]) -> RowBatch {
    if columns.isEmpty { return self }
    var changed = CellsBuilder(capacity: cells.count)
    for position in 0..<cells.count { changed.append(cells[position]) }
    for row in 0..<count {
      for column in columns {
        guard case .text(let start, let length) = self[row, column] else { continue }
        let value = TimeSpelling.length(ofOwn: ByteRun(arena, start, length))
        changed[row * width + column] = .text(start, UInt32(value))
      }
    }
    return RowBatch(width: width, count: count, cells: changed.freeze(), arena: arena)
  }
}
