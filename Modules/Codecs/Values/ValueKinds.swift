internal import CMasks
package import Rows

/// The kinds of values that a column has, and the narrowest type that keeps all of them as they are spelled: the rules
/// for CSV, JSON and workbooks.
package struct ValueKinds: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Integers in canonical form; of four digits, they may be years.
  package static let integer = Self(rawValue: 1), year = Self(rawValue: 2)
  /// The shortest text of a Double; another one with an exponent, of a number that is exactly a Double.
  package static let real = Self(rawValue: 4), exponent = Self(rawValue: 8)
  /// Any other number, such as `1.10`; `.5`, which JSON does not have.
  package static let decimal = Self(rawValue: 16), bare = Self(rawValue: 32)
  /// Numbers that may be identifiers: integers beyond Int64; `1e5`, without a point or a sign in the exponent.
  package static let long = Self(rawValue: 64), code = Self(rawValue: 128)
  /// `true`, `True`, `TRUE`, and their opposites.
  package static let lowerWord = Self(rawValue: 256), titleWord = Self(rawValue: 512), upperWord = Self(rawValue: 1024)
  /// Days; months, which may be seasons; RFC 3339 in UTC; times without a zone, with `T` or with a space.
  package static let day = Self(rawValue: 2048), month = Self(rawValue: 4096), instant = Self(rawValue: 8192)
  package static let local = Self(rawValue: 16384), spacedLocal = Self(rawValue: 32768)
  package static let text = Self(rawValue: 65536)
  /// Lists of texts, of integers, without elements; other nested values.
  package static let texts = Self(rawValue: 1 << 17), integers = Self(rawValue: 1 << 18),
    emptyList = Self(rawValue: 1 << 19)
  package static let nested = Self(rawValue: 1 << 20)
  /// Times with an offset from UTC, which are text unless each keeps its spelling.
  fileprivate static let zoned = Self(rawValue: 1 << 21)

  package static let numbers: Self = [.integer, .year, .real, .exponent, .decimal, .bare, .long, .code]
  private static let words: Self = [.lowerWord, .titleWord, .upperWord]
  private static let strings: Self = [.day, .month, .instant, .local, .spacedLocal, .text]

  /// The first rule applies of which a column has only kinds of `all` and at least one of `some`. A number with a point
  /// or with a sign in its exponent proves that those which may be identifiers are numbers as well.
  private static let rules: [(all: Self, some: Self, type: ColumnType)] = [
    ([.integer, .year], [.integer, .year], .integer),
    ([.real, .exponent, .code], [.real, .exponent], .real),
    (numbers, [.real, .exponent, .decimal, .bare], .decimal),
    (.lowerWord, .lowerWord, .boolean), (.titleWord, .titleWord, .boolean), (.upperWord, .upperWord, .boolean),
    ([.day, .month, .year], .day, .date),
    (.instant, .instant, .timestamp),
    ([.local, .day], .local, .datetime), ([.spacedLocal, .day], .spacedLocal, .datetime),
    (strings, strings, .text),
    ([.texts, .emptyList], [.texts, .emptyList], .list(.text)),
    ([.integers, .emptyList], .integers, .list(.integer)),
  ]

  /// The type of a column with these kinds.
  /// - Parameter other: the type of a column to which no rule applies.
  package func type(else other: ColumnType) -> ColumnType {
    if isEmpty { return .text }
    return Self.rules.first { isSubset(of: $0.all) && !isDisjoint(with: $0.some) }?.type ?? other
  }

  package var spelling: ValueSpelling {
    switch self {
    case .titleWord: .capitalized
    case .upperWord: .uppercase
    default: contains(.spacedLocal) && isSubset(of: [.spacedLocal, .day]) ? .spaced : .usual
    }
  }

  /// Whether no other value changes the type of a column of a file without nested values.
  package var isText: Bool { contains(.text) }

  // MARK: - The kind of a value

  /// The kind of a field of a text format. Bytes of any content follow it.
  package init(field: ByteRun) {
    let count = field.count
    guard count > 0 else {
      self = .text
      return
    }
    let text = unsafe field.start, first = field[0]
    if first &- 48 < 10 || first == UInt8(ascii: "-") || first == UInt8(ascii: ".") {
      if count >= 7, field[4] == UInt8(ascii: "-"), let kind = unsafe Self(temporal: text, count) {
        self = kind
      } else {
        self = unsafe Self(number: text, count) ?? .text
      }
    } else {
      self = Self(word: field) ?? .text
    }
  }

  private init?(word: ByteRun) {
    guard word.count == 4 || word.count == 5 else { return nil }
    let spellings: [(Self, ValueSpelling)] = [
      (.lowerWord, .usual), (.titleWord, .capitalized), (.upperWord, .uppercase),
    ]
    guard let found = spellings.first(where: { word.equals($0.1.word(true)) || word.equals($0.1.word(false)) }) else {
      return nil
    }
    self = found.0
  }

  /// The kind of a date or a time; nil for other text.
  package init?(temporal text: UnsafePointer<UInt8>, _ count: Int) {
    if count == 10, unsafe Dates.isDay(text) {
      self = .day
      return
    }
    let span = unsafe Span(_unsafeStart: text, count: count)
    if count == 7, Dates.isDate(span) {
      self = .month
      return
    }
    switch Dates.timeForm(span) {
    case .instant: self = .instant
    case .local: self = .local
    case .spaced: self = .spacedLocal
    case nil: return nil
    }
  }

  /// The kind of a number in a text format; nil for other text.
  package init?(number text: UnsafePointer<UInt8>, _ count: Int) {
    let sign = unsafe text[0] == UInt8(ascii: "-") ? 1 : 0
    if unsafe count > sign && text[sign] == UInt8(ascii: ".") {
      guard unsafe NumberSpelling.isBare(text, count) else { return nil }
      self = .bare
      return
    }
    guard let isWhole = unsafe JSONScanner.isWholeNumber(text, count) else { return nil }
    let run = unsafe ByteRun(start: text, count: count)
    switch unsafe JSONNumberKind(text, count: count, isWhole: isWhole) {
    case .integer: self = count == 4 && sign == 0 ? .year : .integer
    case .real: self = run.hasCodeForm ? .code : .real
    case .other where isWhole: self = count == 2 ? .decimal : .long
    case .other:
      guard let mark = run.exponentMark else {
        self = .decimal
        return
      }
      // An exponent of more digits does not occur in practice.
      let digits = count - mark - (run[mark + 1] &- 48 < 10 ? 1 : 2)
      guard digits <= NumberSpelling.longestExponent else { return nil }
      let isExact = unsafe NumberSpelling.exactReal(text, count) != nil
      if run.hasCodeForm { self = isExact ? .code : [.code, .long] } else { self = isExact ? .exponent : .decimal }
    }
  }
}

extension ByteRun {
  /// The position of the `e` of a number; nil without one.
  fileprivate var exponentMark: Int? { (0..<count).first { self[$0] | 0x20 == UInt8(ascii: "e") } }

  /// Whether a number has an exponent without a sign, and no point: `1e5`, which may be a code.
  fileprivate var hasCodeForm: Bool {
    guard let mark = exponentMark else { return false }
    return self[mark + 1] &- 48 < 10 && !(0..<mark).contains { self[$0] == UInt8(ascii: ".") }
  }
}

/// The evidence of the values in a column of a text format for its type.
struct TypeEvidence: Sendable {
  private(set) var kinds: ValueKinds
  private var versions = VersionEvidence()
  private var times = TimeForms()
  /// The kinds of values that may be times of their own spelling.
  private var own: ValueKinds
  /// Whether a month or a day of a date begins with a zero.
  private var haveZeros = false

  /// - Parameter keepsSpellings: whether times may each have a spelling of their own.
  init(kinds: ValueKinds, keepsSpellings: Bool) {
    self.kinds = kinds
    own = keepsSpellings ? [] : .text
    if !kinds.isEmpty { times.exclude() }
  }

  /// Whether the column is text, whatever follows.
  var isDecided: Bool { kinds.isText && !times.isPossible && own.isText }

  mutating func add(field run: ByteRun) {
    let kind = ValueKinds(field: run)
    if !add(kind, run), kind == .real || kind == .decimal { versions.add(run) }
  }

  /// Adds a value other than text, of a format that has types.
  mutating func add(value kind: ValueKinds) {
    if !kind.isEmpty { times.exclude() }
    kinds.formUnion(kind)
    own.formUnion(kind)
  }

  /// Adds a text and its kind; whether it may be a date or a time in a form of its own.
  @discardableResult
  mutating func add(_ kind: ValueKinds, _ text: ByteRun) -> Bool {
    if !own.isText {
      let isZoned = kind == .text && TimeSpelling.own(text.bytes.span, of: .timestamp) != nil
      own.formUnion(isZoned ? .zoned : kind)
    }
    if kinds.isText || kind == .text {
      // Days without zeros are days of a form without them. Other values have no such form.
      if kinds == .day, !haveZeros {
        times.add([50, 48, 48, 48, 45, 49, 50, 45, 49, 50].span)
        kinds = .text
      }
      if !kinds.subtracting(.text).isEmpty || !kind.subtracting([.text, .day, .spacedLocal]).isEmpty {
        times.exclude()
      }
      if times.isPossible { times.add(text.bytes.span) }
      kinds.formUnion(kind == .text || !times.isPossible ? kind : [])
      return true
    }
    kinds.formUnion(kind)
    if kind == .day, text[5] == 48 || text[8] == 48 { haveZeros = true }
    return false
  }

  /// Adds a field whose numbers are spelled in another way.
  mutating func add(_ field: ByteRun, writtenAs numbers: NumberPattern) {
    if let literal = numbers.strictLiteral(field.bytes) {
      let copy = Arena(literal)
      return withExtendedLifetime(copy) { add(field: ByteRun(copy, 0, UInt32(copy.count))) }
    }
    let kind = ValueKinds(field: field)
    add(kind.isSubset(of: .numbers) ? .text : kind, field)
  }

  /// The type of the column, and the spelling that all its values have.
  var inferred: InferredType { inferred(else: .text) }

  /// - Parameter other: the type of a column to which no rule applies.
  func inferred(else other: ColumnType) -> InferredType {
    if kinds == .text, let form = times.form { return InferredType(type: form.type, spelling: .time(form)) }
    if own.contains(.zoned), own.isSubset(of: [.zoned, .instant]) {
      return InferredType(type: .timestamp, spelling: .each)
    }
    if own.isSuperset(of: [.local, .spacedLocal]), own.isSubset(of: [.local, .spacedLocal, .day]) {
      return InferredType(type: .datetime, spelling: .each)
    }
    let areVersions = versions.areLikely && kinds.isSubset(of: [.real, .decimal])
    return InferredType(type: areVersions ? .text : kinds.type(else: other), spelling: kinds.spelling)
  }
}

/// Whether numbers are versions: both 3.9 and 3.10 occur, and nothing that no version would be.
private struct VersionEvidence: Sendable {
  private static let most = 4096
  private var isPossible = true
  /// For each number before the point, whether 9 and 10 follow it.
  private var minors: [Int: UInt8] = [:]

  var areLikely: Bool { isPossible && minors.values.contains(3) }

  mutating func add(_ number: ByteRun) {
    guard isPossible else { return }
    let point = number.distance(to: UInt8(ascii: ".")), length = number.count - point - 1
    guard length >= 1, length <= 3, length == 1 || number[point + 1] != 48, point <= 18 else {
      return isPossible = false
    }
    let isNine = length == 1 && number[point + 1] == 57
    let isTen = length == 2 && number[point + 1] == 49 && number[point + 2] == 48
    guard isNine || isTen else { return }
    var major = 0
    for place in 0..<point { major = major &* 10 &+ Int(number[place]) }
    if minors[major] != nil || minors.count < Self.most { minors[major, default: 0] |= isNine ? 1 : 2 }
  }
}
