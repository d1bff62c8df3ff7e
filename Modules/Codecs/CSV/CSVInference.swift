import Rows

/// Finds the narrowest type of each column that gives every value back as it is spelled.
struct CSVInference {
  /// The kinds of values found in a column.
  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let integer = Kinds(rawValue: 1), real = Kinds(rawValue: 2), boolean = Kinds(rawValue: 4),
      text = Kinds(rawValue: 8)

    var type: ColumnType {
      switch self {
      case .integer: .integer
      case .real: .real
      case [.integer, .real]: .decimal
      case .boolean: .boolean
      default: .text
      }
    }
  }
  private var kinds: [Kinds]

  init(width: Int) { kinds = Array(repeating: [], count: width) }

  /// Looks at the cells of `rows` rows, all of them texts in `bytes`.
  mutating func read(_ cells: borrowing CellsBuilder, rows: Int, in bytes: UnsafePointer<UInt8>) {
    let width = kinds.count
    for row in 0..<rows {
      for column in 0..<width where kinds[column] != .text {
        guard case .text(let start, let length) = cells[row &* width &+ column] else { continue }
        kinds[column].formUnion(unsafe Self.kind(bytes + Int(start), Int(length)))
        // A column with one text value stays text.
        if kinds[column].type == .text { kinds[column] = .text }
      }
    }
  }

  private static func kind(_ text: UnsafePointer<UInt8>, _ count: Int) -> Kinds {
    guard count > 0, let first = unsafe Optional(text[0]) else { return .text }
    if first == UInt8(ascii: "t") || first == UInt8(ascii: "f") {
      let word = unsafe Array(UnsafeBufferPointer(start: text, count: count))
      return word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) ? .boolean : .text
    }
    guard first == UInt8(ascii: "-") || first &- 48 < 10 else { return .text }
    var scanner = unsafe JSONScanner(text)
    guard let isWhole = try? scanner.skipNumber(), scanner.at == count else { return .text }
    switch unsafe JSONNumberKind(text, count: count, isWhole: isWhole) {
    case .integer: return .integer
    case .real: return .real
    case .other: return unsafe NumberSpelling.isRealWithExponent(text, count) ? .real : .text
    }
  }

  /// The types, column by column.
  var types: [ColumnType] { kinds.map(\.type) }
}
