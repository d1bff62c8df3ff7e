public import Rows

/// The reason why a column of text is not one of numbers or dates, although its values look like them, and the settings
/// that read it as one.
public struct NearType: Sendable, Hashable {
  /// The look of numbers and dates that are text.
  private enum Look: Int, CaseIterable { case zeros, plus, separated, percent, currency, spaces, date, offset }
  /// The name of each look, and the type that reads such values.
  private static let looks: [(name: String, type: String?)] = [
    ("numbers with leading zeros", nil), ("numbers with a plus sign", nil), ("numbers with separators", nil),
    ("percentages", "percent"), ("amounts with a currency sign", "money"), ("numbers with spaces", nil),
    ("dates", nil), ("times with different offsets", "timestamp"),
  ]

  /// The words that programs write for no value.
  private static let nullWords: Set<String> = [
    "NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN", "-", ".", "?", "#N/A", "\\N", "Inf", "-Inf", "inf",
    "-inf",
  ]
  /// The orders of day, month and year.
  private static let orders = ["%d", "%m"].map { [$0, $0 == "%d" ? "%m" : "%d", "%Y"] } + [["%Y", "%m", "%d"]]

  /// The number of values, and of those that are numbers.
  package private(set) var count = 0
  private var numbers = 0
  private var looks = [Int](repeating: 0, count: Look.allCases.count)
  /// The separators that all numbers may have.
  private var forms = NumberPattern.allCases
  private var nulls: [String: Int] = [:]
  private var hasIdentifiers = false
  /// The separator of three parts, and the patterns for it that all dates fit, by their names.
  private var separator: UInt8?, patterns: [String: DatePattern] = [:]
  /// The first value that is not a number.
  package private(set) var example: String?

  /// No values.
  public init() {}

  /// Adds the value of a cell; nulls and values that are not text are ignored.
  public mutating func add(_ cell: Cell, _ arena: Arena) {
    if case .text(let start, let length) = cell { add(ByteRun(arena, start, length)) }
  }

  /// Adds the text of a value.
  package mutating func add(_ text: ByteRun) {
    count += 1
    let length = text.count, kind = ValueKinds(field: text)
    if kind.isSubset(of: .numbers) {
      numbers += 1
      if !kind.isDisjoint(with: [.long, .code]) { hasIdentifiers = true }
      if case let point = text.distance(to: UInt8(ascii: ".")), point < length {
        let isGroup = length - point == 4 && point <= 4 && kind.isSubset(of: [.real, .decimal])
        forms.removeAll { $0.point == UInt8(ascii: ",") && !(isGroup && $0.group == UInt8(ascii: ".")) }
      }
      return
    }
    if example == nil { example = text.slice(from: 0, atMost: 40).text }
    // Longer values look like nothing, and one such value decides.
    guard length > 0, length <= 40, others == 0 else { return }
    if let look = look(text) {
      looks[look.rawValue] += 1
    } else if length <= 4, Self.nullWords.contains(text.text) {
      nulls[text.text, default: 0] += 1
    }
  }

  /// The number of values that look like nothing, without the last.
  private var others: Int { count - 1 - numbers - looks.reduce(0, +) - nulls.values.reduce(0, +) }

  private mutating func look(_ run: ByteRun) -> Look? {
    func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    guard (0..<run.count).contains(where: { isDigit(run[$0]) }) else { return nil }
    var text = run.bytes[...]
    if text.first == 32 || text.last == 32 {
      let inner = Array(text.drop { $0 == 32 }.reversed().drop { $0 == 32 }.reversed())
      return DecimalNumber(inner) == nil ? nil : .spaces
    }
    if text.count > 19, Dates.utc(run.bytes) != nil { return .offset }
    if text.first == UInt8(ascii: "+") { return DecimalNumber(Array(text)) == nil ? nil : .plus }
    if text.first == UInt8(ascii: "-") { text = text.dropFirst() }
    if text.count > 1, text.first == 48, isDigit(text[text.startIndex + 1]), DecimalNumber(Array(text)) != nil {
      return .zeros
    }
    let whole = run.bytes
    let kinds: [(Look, NumberPattern.Mark?)] = [(.separated, nil), (.percent, .percent), (.currency, .money)]
    for (look, mark) in kinds {
      if look == .currency, !NumberPattern.isMoney(whole) { continue }
      let fitting = forms.filter { $0.literal(whole, marked: mark) != nil }
      if fitting.isEmpty { continue }
      forms = fitting
      return look
    }
    return isDate(Array(text)) ? .date : nil
  }

  /// Whether a text has three parts that are a date in one of the orders that all dates fit.
  private mutating func isDate(_ text: [UInt8]) -> Bool {
    guard let mark = text.first(where: { $0 &- 48 >= 10 }), mark != 44, separator ?? mark == mark else { return false }
    if separator == nil {
      for order in Self.orders {
        let name = order.joined(separator: String(UnicodeScalar(mark)))
        patterns[name] = DatePattern(any: name)
      }
      separator = mark
    }
    patterns = patterns.filter { $0.value.fields(text) != nil }
    return !patterns.isEmpty
  }

  /// Adds the values of another part of the column.
  public mutating func merge(_ other: NearType) {
    count += other.count
    numbers += other.numbers
    for place in looks.indices { looks[place] += other.looks[place] }
    forms.removeAll { !other.forms.contains($0) }
    nulls.merge(other.nulls) { $0 + $1 }
    hasIdentifiers = hasIdentifiers || other.hasIdentifiers
    if other.separator != nil {
      patterns = separator == nil ? other.patterns : patterns.filter { other.patterns[$0.key] != nil }
      separator = other.separator
    }
    example = example ?? other.example
  }

  /// A look of nearly all values, and the settings that read them so: alternatives of settings that are used together.
  /// - Returns: nil for a column of text.
  private func finding(_ column: String) -> (look: String, settings: [[Remedy.Choice]])? {
    let name = NameListParser.written(column), nullCount = nulls.values.reduce(0, +), odd = looks.reduce(0, +)
    guard numbers + odd > 0 else { return nil }
    if odd == 0, nullCount > 0, numbers + nullCount == count {
      let words = nulls.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      let shown = words.prefix(3).map { "“\($0.key)” (\($0.value))" }.joined(separator: ", ")
      return ("numbers but for \(shown)", [words.map { Remedy.Choice(.inputNull, $0.key) }])
    }
    if numbers == count {
      let look = hasIdentifiers ? "numbers that may be identifiers" : "looks like versions"
      return (look, [[Remedy.Choice(.columnTypes, "\(name)=decimal")]])
    }
    guard numbers + odd + nullCount == count else {
      return numbers * 10 > count * 9 ? ("numbers but for \(count - numbers) of \(count) values", []) : nil
    }
    let found = Look.allCases.filter { looks[$0.rawValue] > 0 }
    if found == [.date] {
      let choices = patterns.keys.sorted().map { [Remedy.Choice(.columnTypes, "\(name)=date(\($0))")] }
      return choices.isEmpty ? nil : ("dates", choices)
    }
    let type = found.compactMap { Self.looks[$0.rawValue].type }.last, isMarked = type != nil
    var settings = type.map { [Remedy.Choice(.columnTypes, "\(name)=\($0)")] } ?? []
    if !Set(found).isDisjoint(with: [.separated, .percent, .currency]) {
      let ways = forms.map { $0.settings(isMarked: isMarked) }
      guard let separators = ways.min(by: { $0.count < $1.count }) else { return nil }
      settings += separators
    }
    let words = [Setting.decimalSeparator: "a decimal comma", .thousands: "thousands separators"]
    let signs = settings.compactMap { words[$0.setting] }
    let names = found.map {
      $0 == .separated ? "numbers with \(signs.joined(separator: " and "))" : Self.looks[$0.rawValue].name
    }
    return (names.joined(separator: " and "), settings.isEmpty ? [] : [settings])
  }

  /// Returns a note on the type that nearly all values of a column have; nil if they are text.
  /// `option` returns the option of a setting with a value.
  public func note(_ column: String, option: (Setting, String) -> String) -> String? {
    finding(column).map { look, settings in
      let options = settings.map { $0.map { option($0.setting, $0.value ?? "") }.joined(separator: " ") }
      return look + (options.isEmpty ? "" : ": \(options.joined(separator: " or "))")
    }
  }

  /// The settings that read the values of a column as numbers or dates; nil if none does.
  package func remedy(_ column: String) -> Remedy? {
    guard let settings = finding(column)?.settings, !settings.isEmpty else { return nil }
    return settings.reduce(Remedy()) { $0.or(.together($1)) }
  }
}
