internal import Codecs
internal import Rows

enum JSONDeviation: String, CaseIterable {
  case documents = "several documents"
  case comment = "comments"
  case trailingComma = "trailing commas"
  case singleQuotes = "single quotes"
  case bareKey = "keys without quotes"
  case constant = "constants such as NaN as null"

  /// Whether a value, and not only its spelling, has to be guessed.
  var isGuess: Bool { [.singleQuotes, .bareKey, .constant].contains(self) }
}

/// Writes text that resembles JSON as JSON, byte by byte; lines stay lines.
///
/// Several documents become one array: their arrays are joined, and other values become elements.
struct JSONConverter {
  private(set) var deviations: Set<JSONDeviation> = []
  /// The line of the first that is a guess.
  private var line: Int?
  /// The members of the document that are arrays of objects, by their pointers.
  private var members: [[String]] = []
  private(set) var output: [UInt8] = []
  /// Whether something does not even resemble a value of JSON: then the parser says where.
  private(set) var isForeign = false

  /// Whether several documents become one array.
  private let joins: Bool
  private enum State { case between, string(UInt8), escape(UInt8), word, slash, line, block, star }
  private var state = State.between
  /// For each open bracket whether it is an object; the keys on the way to the current value.
  private var open: [Bool] = [], path: [String] = []
  private var word: [UInt8] = []
  /// Whether a comma was read and not written, a key comes next, and a value was written.
  private var hasComma = false, awaitsKey = false, hasValue = false
  /// Documents, and whether one is an array, spans lines, or follows another in a line.
  private var documents = 0, isIrregular = false, feeds = 0, feedsBefore = -1
  /// Whether the bracket before was that of an array in an object.
  private var mayBeRecords = false

  init(joins: Bool) {
    self.joins = joins
    if joins { output = [0x5B] }
  }

  mutating func takeOutput() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  mutating func add(_ byte: UInt8) {
    switch state {
    case .string(let quote): inString(byte, quote)
    case .escape(let quote):
      if byte != 0x27 { output.append(0x5C) } else if quote == 0x22 { note(.singleQuotes) }
      output.append(byte)
      if awaitsKey { word += [0x5C, byte] }
      state = .string(quote)
    case .word:
      if Self.isWord(byte), word.count < Self.longestWord { return word.append(byte) }
      endWord()
      between(byte)
    case .slash:
      state = byte == 0x2A ? .block : byte == 0x2F ? .line : .between
      guard case .between = state else { return blank(2) }
      output.append(0x2F)
      between(byte)
    case .line:
      if byte == 0x0A { state = .between }
      byte == 0x0A ? between(byte) : blank(1)
    case .block, .star:
      if case .star = state, byte == 0x2F { state = .between } else { state = byte == 0x2A ? .star : .block }
      byte == 0x0A ? between(byte) : blank(1)
    case .between: between(byte)
    }
  }

  mutating func end() {
    if case .word = state { endWord() }
    if case .slash = state { output.append(0x2F) }
    if joins { output.append(0x5D) } else if hasComma { output.append(0x2C) }
  }

  /// The only member of the only document that is an array of objects; nil if there is none, or more.
  var records: [String]? { documents == 1 && members.count == 1 ? members[0] : nil }
  /// Whether the only document is an object without arrays of objects, or begins as one that is not in one line.
  func isRecord(isWhole: Bool) -> Bool {
    documents == 1 && members.isEmpty && output.first { !CellKind.isSpace($0) } == UInt8(ascii: "{")
      && (isWhole ? open.isEmpty : !open.isEmpty && feeds > feedsBefore)
  }
  /// Whether it is neither one document nor one in each line.
  var hasDocuments: Bool { documents > 1 && isIrregular }

  private mutating func note(_ deviation: JSONDeviation) {
    deviations.insert(deviation)
    if deviation.isGuess, line == nil { line = feeds + 1 }
  }

  /// - Throws: `badData` if a value was guessed.
  func refuseGuesses(in name: String) throws(Problem) {
    guard let line else { return }
    let found = JSONDeviation.allCases.filter { $0.isGuess && deviations.contains($0) }.map(\.rawValue)
    throw Problem(
      .badData, "expected JSON, found \(found.joined(separator: ", "))", at: "\(name):\(line)",
      hint: .set(.repair, for: "read it"))
  }

  private mutating func blank(_ count: Int) {
    note(.comment)
    for _ in 0..<count { output.append(0x20) }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    CellKind.isWord(byte) || [0x24, 0x2B, 0x2D, 0x2E].contains(byte)
  }

  private mutating func inString(_ byte: UInt8, _ quote: UInt8) {
    if byte == 0x5C {
      state = .escape(quote)
    } else if byte == quote {
      output.append(0x22)
      state = .between
      endValue()
    } else {
      if byte == 0x22 { output.append(0x5C) }
      output.append(byte)
      if awaitsKey { word.append(byte) }
    }
  }

  private mutating func between(_ byte: UInt8) {
    switch byte {
    case 0x20, 0x09, 0x0D: output.append(byte)
    case 0x1E:
      isIrregular = true
      output.append(0x20)
    case 0x0A:
      feeds += 1
      output.append(byte)
    case 0x22, 0x27:
      beginValue()
      if byte == 0x27 { note(.singleQuotes) }
      word = []
      output.append(0x22)
      state = .string(byte)
    case 0x2C:
      // Commas may be between documents, which become elements.
      if hasComma, !joins || !open.isEmpty { output.append(byte) }
      hasComma = true
      if open.isEmpty { isIrregular = true }
      awaitsKey = open.last ?? false
    case 0x3A:
      awaitsKey = false
      output.append(byte)
    case 0x5B, 0x7B:
      let isJoined = joins && open.isEmpty && byte == 0x5B
      beginValue(isJoined: isJoined)
      if byte == 0x7B, mayBeRecords, members.count < 16 { members.append(path) }
      mayBeRecords = byte == 0x5B && !open.isEmpty && open.allSatisfy(\.self)
      if open.isEmpty, byte == 0x5B { isIrregular = true }
      output.append(isJoined ? 0x20 : byte)
      open.append(byte == 0x7B)
      if byte == 0x7B, open.count < 16 { path.append("") }
      awaitsKey = byte == 0x7B
    case 0x5D, 0x7D:
      if hasComma, hasValue {
        note(.trailingComma)
        hasComma = false
      }
      let isArray = byte == 0x5D && open == [false]
      if open.popLast() == true, open.count < 15 { path.removeLast() }
      output.append(joins && isArray ? 0x20 : byte)
      if joins && isArray { hasComma = hasValue } else { endValue() }
    case 0x2F: state = .slash
    case 0x23:
      state = .line
      blank(1)
    default:
      guard Self.isWord(byte) else {
        isForeign = true
        return output.append(byte)
      }
      beginValue()
      word = [byte]
      state = .word
    }
  }

  /// Before a value or key: writes the comma that precedes it.
  private mutating func beginValue(isJoined: Bool = false) {
    if open.isEmpty {
      documents += 1
      if documents > 1, feeds == feedsBefore { isIrregular = true }
      feedsBefore = feeds
    }
    // The brackets of joined arrays are not written.
    if isJoined { return }
    if !open.isEmpty || joins, hasComma {
      output.append(0x2C)
      hasComma = false
    }
    hasValue = true
  }

  private mutating func endValue() {
    mayBeRecords = false
    if awaitsKey, open.count < 16, !path.isEmpty { path[path.count - 1] = String(decoding: word, as: UTF8.self) }
    guard open.isEmpty else { return }
    if feeds > feedsBefore { isIrregular = true }
    feedsBefore = feeds
    if joins { hasComma = true }
  }

  private static let constants = ["NaN", "Infinity", "-Infinity", "+Infinity", "None", "undefined", "True", "False"]

  /// The bytes of a number or a name that are put together; a longer one is not JSON that repair could read.
  private static let longestWord = 1 << 16

  private mutating func endWord() {
    state = .between
    let text = String(decoding: word, as: UTF8.self)
    let isNumber = word.first.map { $0 < 0x3A && $0 != 0x24 } ?? false
    if awaitsKey, !isNumber {
      note(.bareKey)
      output += [0x22] + word + [0x22]
    } else if Self.constants.contains(text) {
      note(.constant)
      output += text == "True" ? Array("true".utf8) : text == "False" ? Array("false".utf8) : Array("null".utf8)
    } else {
      if awaitsKey || !isNumber && !["true", "false", "null"].contains(text) { isForeign = true }
      output += word
    }
    endValue()
  }
}
