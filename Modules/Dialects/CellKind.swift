/// The kind of value that a field of a table seems to hold, by its spelling.
///
/// The kinds decide between dialects and repairs; they are not the types of columns.
struct CellKind: OptionSet, Sendable, Hashable {
  let rawValue: UInt16
  static let empty = CellKind(rawValue: 1), null = CellKind(rawValue: 2)
  static let integer = CellKind(rawValue: 4), number = CellKind(rawValue: 8), currency = CellKind(rawValue: 16)
  static let date = CellKind(rawValue: 32), time = CellKind(rawValue: 64), address = CellKind(rawValue: 128)
  static let mail = CellKind(rawValue: 256), boolean = CellKind(rawValue: 512)
  static let word = CellKind(rawValue: 1024), json = CellKind(rawValue: 2048), other = CellKind(rawValue: 4096)
  /// The kinds that text rarely has by accident.
  static let typed: CellKind = [.integer, .number, .currency, .date, .time, .address, .mail, .boolean]

  /// Whether it is one of the kinds of `typed`.
  var isTyped: Bool { !isDisjoint(with: .typed) }

  static func of(_ field: Span<UInt8>) -> CellKind {
    var start = 0, end = field.count
    while start < end, isSpace(field[start]) { start += 1 }
    while end > start, isSpace(field[end - 1]) { end -= 1 }
    if start == end { return .empty }
    if end - start > 400 { return .other }
    return unsafe field.withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe CellScanner(CellBytes($0), start, end).kind } ?? .empty
    }
  }

  static func of(_ field: [UInt8]) -> CellKind { of(field.span) }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
  static func isUpper(_ byte: UInt8) -> Bool { byte &- 65 < 26 }
  static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 &- 97 < 26 }
  /// A letter, a digit, `_` or part of a character beyond ASCII.
  static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == 0x5F || byte >= 0x80 }

  /// The pattern of a field: runs of digits, capitals and other letters become `9`, `A` and `a`.
  static func shape(of field: [UInt8]) -> [UInt8] {
    var shape: [UInt8] = [], seen = 0
    for byte in field.drop(while: isSpace).prefix(40) {
      seen += 1
      let mark: UInt8 =
        isDigit(byte) ? 0x39 : isUpper(byte) ? 0x41 : isLetter(byte) || byte >= 0x80 ? 0x61 : byte
      if [0x39, 0x41, 0x61].contains(mark), shape.last == mark { continue }
      shape.append(mark)
    }
    if seen < 40 { while let last = shape.last, isSpace(last) { shape.removeLast() } }
    return shape
  }
}

/// The bytes of a field, which its scanner does not outlive and whose end it does not pass.
@safe private struct CellBytes {
  private let base: UnsafePointer<UInt8>
  @unsafe init(_ base: UnsafePointer<UInt8>) { unsafe self.base = base }
  subscript(index: Int) -> UInt8 { unsafe base[index] }
}

extension StaticString {
  /// A byte of its UTF-8.
  fileprivate subscript(index: Int) -> UInt8 { unsafe utf8Start[index] }
}

/// Recognizes the kinds of a trimmed field.
private struct CellScanner {
  private let text: CellBytes
  private let start: Int, end: Int
  private var at: Int

  init(_ text: CellBytes, _ start: Int, _ end: Int) {
    self.text = text
    (self.start, self.end, at) = (start, end, start)
  }

  var kind: CellKind {
    let first = text[start]
    if CellKind.isDigit(first) || Self.numeric.contains(first) || first >= 0x80 || CellKind.isUpper(first) {
      var scan = self
      if scan.isInteger() { return .integer }
      scan.at = start
      if scan.isNumber() { return .number }
      scan.at = start
      if scan.isCurrency() { return .currency }
    }
    var scan = self
    if CellKind.isDigit(first) || CellKind.isLetter(first) {
      if scan.isDate() { return .date }
      scan.at = start
      if scan.isTime() { return .time }
    }
    if scan.isAddress() { return .address }
    scan.at = start
    if scan.isMail() { return .mail }
    if CellKind.isDigit(first) {
      scan.at = start
      if scan.isHexadecimalOrIP() { return .integer }
    }
    if isOne(of: Self.nulls) || isDashes { return .null }
    if isOne(of: Self.booleans) { return .boolean }
    if isPhrase { return .word }
    let last = text[end - 1]
    return (first == 0x5B || first == 0x7B) && (last == 0x5D || last == 0x7D) ? .json : .other
  }

  private static let numeric = Array("+-.,$(".utf8)
  private static let nulls = ["na", "n/a", "null", "none", "nan", "\\n", ".", "?", "#n/a"] as [StaticString]
  private static let booleans = ["true", "false", "yes", "no"] as [StaticString]
  private static let symbols = ["$", "£", "€", "¥", "usd", "eur", "gbp", "chf"] as [StaticString]
  private static let suffixSymbols = ["$", "%", "€", "£", "usd", "eur", "kr", "zł"] as [StaticString]
  private static let domains =
    ["com", "org", "net", "edu", "gov", "htm", "php", "jpg", "png", "gif"] as [StaticString]
  private static let schemes = ["http://", "https://", "ftp://", "www."] as [StaticString]
  private static let between = Array(" .'’()/&+%°-".utf8), closing = Array(".)!?%°+".utf8)

  // MARK: - Steps

  private var isAtEnd: Bool { at == end }

  @inline(__always) private mutating func run(_ isMember: (UInt8) -> Bool, _ most: Int = .max) -> Int {
    let from = at
    while at < end, at - from < most, isMember(text[at]) { at += 1 }
    return at - from
  }

  private mutating func digits(_ most: Int = .max) -> Int { run(CellKind.isDigit, most) }
  private mutating func letters(_ most: Int) -> Int { run(CellKind.isLetter, most) }

  private mutating func take(_ set: StaticString) -> Bool {
    guard at < end else { return false }
    for index in 0..<set.utf8CodeUnitCount where set[index] == text[at] {
      at += 1
      return true
    }
    return false
  }

  /// - Parameter word: in lower case.
  private mutating func take(word: StaticString) -> Bool {
    guard end - at >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount {
      let byte = text[at + index]
      if (CellKind.isUpper(byte) ? byte | 0x20 : byte) != word[index] { return false }
    }
    at += word.utf8CodeUnitCount
    return true
  }

  private mutating func takeOne(of words: [StaticString]) -> Bool {
    if isAtEnd || CellKind.isDigit(text[at]) { return false }
    for word in words where take(word: word) { return true }
    return false
  }

  private func isOne(of words: [StaticString]) -> Bool {
    guard end - start <= 5 else { return false }
    var scan = self
    for word in words where word.utf8CodeUnitCount == end - start && scan.take(word: word) { return true }
    return false
  }

  // MARK: - Kinds

  private mutating func isInteger() -> Bool {
    _ = take("+-")
    return 1...18 ~= digits() && isAtEnd
  }

  private mutating func exponent() {
    let mark = at
    guard take("eE") else { return }
    _ = take("+-")
    if digits() == 0 { at = mark }
  }

  private mutating func isNumber() -> Bool {
    _ = take("+-")
    let begin = at, whole = digits()
    if whole == 0 {
      guard take(".,"), digits() > 0 else { return false }
      exponent()
      return isAtEnd
    }
    let afterWhole = at
    if take(".,") {
      _ = digits()
      exponent()
      if isAtEnd { return true }
    }
    at = afterWhole
    exponent()
    if isAtEnd { return at > afterWhole }
    // Groups of three digits.
    at = begin
    guard 1...3 ~= digits(3) else { return false }
    var groups = 0
    while true {
      let mark = at
      guard take(" ,.'"), digits(3) == 3 else {
        at = mark
        break
      }
      groups += 1
    }
    guard groups > 0 else { return false }
    let mark = at
    if !(take(".,") && digits() > 0) { at = mark }
    exponent()
    return isAtEnd
  }

  private mutating func amount() -> Bool {
    digits() > 0 && run { CellKind.isDigit($0) || $0 == 0x2E || $0 == 0x2C } >= 0
  }

  private mutating func isCurrency() -> Bool {
    _ = take("+-")
    let mark = at
    _ = take(" ")
    if takeOne(of: Self.symbols) {
      _ = take(" ")
      _ = take("+-")
      return amount() && isAtEnd
    }
    at = mark
    let isOpen = take("(")
    guard amount() else { return false }
    if take(")"), isOpen, isAtEnd { return true }
    _ = take(" ")
    return takeOne(of: Self.suffixSymbols) && isAtEnd
  }

  private mutating func isDate() -> Bool {
    guard day() else { return false }
    if isAtEnd { return true }
    let mark = at
    while take(" T_,") {}
    guard at > mark, 1...2 ~= digits(2), take(":"), digits(2) == 2 else { return false }
    seconds()
    _ = take(" ")
    if take("AaPp"), !take("Mm") { at -= 1 }
    _ = take(" ")
    if take("+-") {
      guard digits(2) == 2 else { return false }
      _ = take(":")
      return digits(2) == 2 && isAtEnd
    }
    let zone = at, count = letters(4)
    return isAtEnd && (count == 0 || count == 1 && text[zone] | 0x20 == 0x7A || count >= 3)
  }

  private mutating func seconds() {
    let mark = at
    guard take(":"), digits(2) == 2 else {
      at = mark
      return
    }
    let fraction = at
    if !(take(".,") && digits() > 0) { at = fraction }
  }

  private mutating func day() -> Bool {
    let first = digits(4)
    if first == 0 {
      guard 3...9 ~= letters(9) else { return false }
      _ = take(".")
      guard take(" "), 1...2 ~= digits(2) else { return false }
      _ = take(",")
      return take(" ") && digits(4) == 4
    }
    let mark = at
    if take("-/."), case let second = digits(2), second > 0 {
      let month = at
      if take("-/."), digits(4) > 0 { return true }
      at = month
      return first == 4 && second == 2 && text[mark] == 0x2D
    }
    at = mark
    if first <= 2, take("- /."), 3...9 ~= letters(9) {
      let name = at
      while take("- /.,") {}
      return at > name && 2...4 ~= digits(4)
    }
    at = mark
    return first == 4 && take(word: "年") && digits(2) > 0 && take(word: "月") && digits(2) > 0 && take(word: "日")
  }

  private mutating func isTime() -> Bool {
    guard 1...3 ~= digits(3), take(":"), digits(2) == 2 else { return false }
    seconds()
    if isAtEnd { return true }
    _ = take(" ")
    guard take("AaPp") else { return false }
    _ = take(".")
    guard take("Mm") else { return false }
    _ = take(".")
    return isAtEnd
  }

  private mutating func isAddress() -> Bool {
    for index in start..<end where CellKind.isSpace(text[index]) { return false }
    at = start
    if takeOne(of: Self.schemes) { return !isAtEnd }
    at = start
    while at < end, CellKind.isWord(text[at]) || text[at] == 0x2D || text[at] == 0x2E {
      let isPoint = text[at] == 0x2E
      at += 1
      if isPoint {
        let mark = at
        if mark - 1 > start, text[mark - 2] != 0x2E, takeOne(of: Self.domains) { return true }
        at = mark
      }
    }
    return false
  }

  private mutating func isMail() -> Bool {
    guard run({ CellKind.isWord($0) || $0 == 0x2E || $0 == 0x2B || $0 == 0x2D }) > 0, take("@"),
      run({ CellKind.isWord($0) || $0 == 0x2D }) > 0, take(".")
    else { return false }
    return run { CellKind.isWord($0) || $0 == 0x2E || $0 == 0x2D } > 0 && isAtEnd
  }

  private mutating func isHexadecimalOrIP() -> Bool {
    if take(word: "0x") {
      return run { CellKind.isDigit($0) || $0 | 0x20 &- 97 < 6 } > 0 && isAtEnd
    }
    at = start
    for part in 0..<4 where !(part == 0 || take(".")) || !(1...3 ~= digits(3)) { return false }
    return isAtEnd || take(":") && digits() > 0 && isAtEnd
  }

  private var isDashes: Bool {
    for index in start..<end where text[index] != 0x2D { return false }
    return true
  }

  /// Words with the signs that occur between and after them.
  private var isPhrase: Bool {
    guard CellKind.isWord(text[start]), CellKind.isWord(text[end - 1]) || Self.closing.contains(text[end - 1]) else {
      return false
    }
    for index in start..<end where !CellKind.isWord(text[index]) && !Self.between.contains(text[index]) {
      if index < end - 1 || !Self.closing.contains(text[index]) { return false }
    }
    return true
  }
}
