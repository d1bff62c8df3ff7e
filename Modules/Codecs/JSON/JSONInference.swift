internal import CMasks
import Rows

/// Finds the columns of a document's records and the narrowest types that hold every value as it is spelled.
struct JSONInference {
  /// More keys than this are not columns but data.
  static let maximumColumns = CSVReading.maximumColumns

  private var names: [[UInt8]] = []
  private var evidence: [TypeEvidence] = []
  private var positions: [[UInt8]: Int] = [:]
  private var keys = JSONKeys()
  private let keepsSpellings: Bool

  /// - Parameter keepsSpellings: whether times may each have a spelling of their own.
  init(keepsSpellings: Bool) { self.keepsSpellings = keepsSpellings }

  /// Looks at all records of a piece.
  mutating func read(_ text: borrowing JSONPiece) throws(JSONSyntaxError) {
    let piece = text.context, end = text.text.count
    let count = end - piece.start
    let bad = unsafe Int(bb_first_not_utf8(text.text.base + piece.start, count))
    if bad < count {
      throw JSONSyntaxError(
        "invalid UTF-8 at byte \(piece.place.offset + bad) of the document", at: piece.start + bad,
        hint: .set(.inputEncoding, to: "windows-1252"))
    }
    var scanner = unsafe JSONScanner(text.text.base, at: piece.start)
    var isNext = piece.isFirst || piece.form == .lines
    while true {
      scanner.skipSpace()
      if scanner.at == end { return }
      if piece.form == .array, isNext, scanner.byte == UInt8(ascii: "]") { return }
      if !isNext {
        guard try scanner.another(UInt8(ascii: "]")) else { return }
      }
      try record(&scanner)
      isNext = piece.form == .lines
    }
  }

  private mutating func record(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
    guard scanner.byte == UInt8(ascii: "{") else { throw scanner.unexpected(wanted: "an object (one record)") }
    try scanner.enter(0)
    guard scanner.byte != UInt8(ascii: "}") else {
      scanner.at += 1
      return
    }
    var expected = 0
    var goesOn: Bool
    repeat {
      guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a double-quoted key") }
      let start = scanner.at + 1
      let escaped = try scanner.skipString()
      let position = try column(scanner, from: start, escaped: escaped, expected: expected)
      try scanner.skipColon()
      let first = scanner.at + 1, isString = scanner.byte == UInt8(ascii: "\"")
      let kind = try value(&scanner)
      if isString {
        if !evidence[position].isDecided {
          let text = unsafe ByteRun(start: scanner.base + first, count: scanner.at - first - 1)
          evidence[position].add(kind, text)
        }
      } else {
        evidence[position].add(value: kind)
      }
      expected = position + 1
      goesOn = try scanner.another(UInt8(ascii: "}"))
    } while goesOn
  }

  private mutating func column(
    _ scanner: JSONScanner, from start: Int, escaped: Bool, expected: Int
  ) throws(JSONSyntaxError) -> Int {
    let count = scanner.at - 1 - start
    if !escaped, expected < names.count, names[expected].count == count {
      let isExpected = unsafe names[expected].withUnsafeBufferPointer { name in
        for i in 0..<count where unsafe name[i] != scanner.base[start + i] { return false }
        return true
      }
      if isExpected { return expected }
    }
    let name = unsafe JSONScanner.text(scanner.base, from: start, to: scanner.at - 1, escaped: escaped)
    if let position = positions[name] { return position }
    guard names.count < Self.maximumColumns else {
      throw JSONSyntaxError("the records have more than \(Self.maximumColumns) different keys", at: start - 1)
    }
    positions[name] = names.count
    names.append(name)
    evidence.append(TypeEvidence(kinds: [], keepsSpellings: keepsSpellings))
    return names.count - 1
  }

  private mutating func value(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> ValueKinds {
    let start = scanner.at
    switch scanner.byte {
    case UInt8(ascii: "\""):
      _ = try scanner.skipString()
      let count = scanner.at - start - 2
      // A string that looks like a number or a Boolean is text, as its author chose.
      guard count >= 7, unsafe scanner.base[start + 5] == UInt8(ascii: "-") else { return .text }
      return unsafe ValueKinds(temporal: scanner.base + start + 1, count) ?? .text
    case UInt8(ascii: "n"):
      try scanner.skipWord("null")
      return []
    case UInt8(ascii: "t"):
      try scanner.skipWord("true")
      return .lowerWord
    case UInt8(ascii: "f"):
      try scanner.skipWord("false")
      return .lowerWord
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let isWhole = try scanner.skipNumber()
      switch unsafe JSONNumberKind(scanner.base + start, count: scanner.at - start, isWhole: isWhole) {
      case .integer: return .integer
      case .real: return .real
      case .other:
        return unsafe NumberSpelling.isRealWithExponent(scanner.base + start, scanner.at - start) ? .exponent : .decimal
      }
    default:
      let isArray = scanner.byte == UInt8(ascii: "[")
      var shape = JSONShape()
      try scanner.skipValue(&keys, &shape)
      guard isArray, shape.others == 0 else { return .nested }
      switch (shape.texts, shape.integers) {
      case (0, 0): return .emptyList
      case (_, 0): return .texts
      case (0, _): return .integers
      default: return .nested
      }
    }
  }

  /// The inferred schema, and the columns whose type `types` does not give.
  ///
  /// - Parameter isWhole: whether the whole document was read, so that an unknown name in `types` is an error.
  func schema(
    _ table: String, types: ColumnTypes, isWhole: Bool
  ) throws(Problem) -> (schema: Schema, inferred: Set<Int>) {
    var columns: [ColumnDescription] = []
    var inferred: Set<Int> = []
    for (name, evidence) in zip(names, evidence) {
      let name = String(decoding: name, as: UTF8.self), found = evidence.inferred(else: .json)
      var column = ColumnDescription(name, types[name] ?? found.type)
      column.spelling = types[name] == nil ? found.spelling : types.spelling(of: name)
      if types[name] == nil { inferred.insert(columns.count) }
      columns.append(column)
    }
    let found = { (name: String) in positions[Array(name.utf8)].map { columns[$0] } }
    for name in types.missing({ found($0) != nil }, isNested: { found($0)?.type.isNested == true }) {
      guard !isWhole else {
        throw Problem(
          .usage, "“\(table)” has no column “\(name)”",
          hint: .choose(name, from: columns.map(\.name), "available columns"))
      }
      columns.append(ColumnDescription(name, types[name] ?? .text))
    }
    return (Schema(table, columns: columns), inferred)
  }
}
