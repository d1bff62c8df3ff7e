public import Rows

/// Rows as a YAML sequence of mappings, one column per line.
///
/// Text is always double-quoted, so that no reader of YAML 1.1 or 1.2 takes it for a date, a number or `no`; lists and
/// JSON values are in flow style, which is JSON. Reals with an exponent are written `1.0e+22`, which both versions read
/// as a number.
public struct YAMLWriter: Sendable {
  private let columns: [String]
  private let isReal: [Bool]
  private let nonfinite: NonfinitePolicy
  /// The text before each value: `- id: `, `  name: `.
  private let keys: [[UInt8]]

  /// A writer of rows of `schema`.
  public init(_ schema: Schema, nonfinite: NonfinitePolicy = .error) {
    self.nonfinite = nonfinite
    columns = schema.columns.map(\.name)
    isReal = schema.columns.map { $0.type == .real }
    keys = columns.enumerated().map { position, name in
      var key = ByteBuffer(capacity: 64)
      key.append(position == 0 ? "- " as StaticString : "  ")
      if Self.isPlain(name) {
        key.append(name)
      } else {
        var json = ByteBuffer(capacity: 64)
        json.append(jsonString: name)
        json.run { key.append(yamlOfJSON: $0) }
      }
      key.append(": ")
      return key.bytes()
    }
  }

  /// Names that need no quotes: a word that is nothing else in any version of YAML.
  private static func isPlain(_ name: String) -> Bool {
    let words: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
    guard let first = name.utf8.first, first &- 48 > 9, !words.contains(name.lowercased()) else { return false }
    return name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0 &- 48 < 10 || ($0 | 0x20) &- 97 < 26 }
  }

  /// Writes the text after the last row.
  public func finish(isEmpty: Bool, _ out: inout ByteBuffer) { if isEmpty { out.append("[]\n") } }

  /// The rows of a batch.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    var json = ByteBuffer(capacity: 4096)
    for row in 0..<batch.count {
      if batch.width == 0 { out.append("- {}\n") }
      for column in 0..<batch.width {
        out.append(bytes: keys[column])
        let cell = batch[row, column]
        if case .real(let value) = cell {
          try append(value, row, column, &out)
        } else {
          json.removeAll()
          json.append(jsonOf: cell, batch.arena)
          if isReal[column] {
            // A number that still has the spelling of its file.
            for byte in json.bytes().yamlNumber { out.append(byte: byte) }
            out.append(byte: 0x0A)
            continue
          }
          json.run { out.append(yamlOfJSON: $0) }
        }
        out.append(byte: 0x0A)
      }
    }
  }

  private func append(_ value: Double, _ row: Int, _ column: Int, _ out: inout ByteBuffer) throws(Problem) {
    if value.isFinite {
      // A fraction and a sign make it a number in YAML 1.1 as well.
      for byte in value.canonicalText.yamlNumber { out.append(byte: byte) }
      return
    }
    switch nonfinite {
    case .error: throw NonfinitePolicy.problem(value, column: columns[column], record: row, format: "YAML")
    case .null: out.append("null")
    case .string:
      out.append("\"")
      out.append(NonfinitePolicy.word(for: value))
      out.append("\"")
    }
  }
}

extension [UInt8] {
  /// A number, in JSON's spelling, with a fraction before its exponent and a sign in it: `1.0e+22`.
  fileprivate var yamlNumber: [UInt8] {
    guard let exponent = firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return self }
    var text = Array(self[..<exponent])
    if !text.contains(UInt8(ascii: ".")) { text += Array(".0".utf8) }
    text.append(self[exponent])
    if ![UInt8(ascii: "-"), UInt8(ascii: "+")].contains(self[exponent + 1]) { text.append(UInt8(ascii: "+")) }
    return text + self[(exponent + 1)...]
  }
}

extension ByteBuffer {
  /// Appends JSON so that YAML takes it for the same: characters that YAML does not allow as they are, or takes for
  /// line ends, as `\u0085`.
  fileprivate mutating func append(yamlOfJSON json: ByteRun) {
    var start = 0, position = 0
    while position < json.count {
      guard let (scalar, count) = Self.special(json, position) else {
        position += 1
        continue
      }
      append(json.slice(from: start, atMost: position - start))
      let digits = String(scalar, radix: 16)
      append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      position += count
      start = position
    }
    append(json.slice(from: start, atMost: json.count - start))
  }

  /// The code point at `position`, and its bytes, when it must be escaped: U+007F to U+009F, U+2028, U+2029, U+FEFF,
  /// U+FFFE, U+FFFF.
  private static func special(_ text: ByteRun, _ position: Int) -> (UInt32, Int)? {
    let first = text[position], left = text.count - position
    switch first {
    case 0x7F: return (0x7F, 1)
    case 0xC2 where left > 1 && text[position + 1] < 0xA0: return (UInt32(text[position + 1]), 2)
    case 0xE2 where left > 2 && text[position + 1] == 0x80 && text[position + 2] & 0xFE == 0xA8:
      return (0x2000 + UInt32(text[position + 2] & 0x3F), 3)
    case 0xEF where left > 2 && text[position + 1] == 0xBB && text[position + 2] == 0xBF: return (0xFEFF, 3)
    case 0xEF where left > 2 && text[position + 1] == 0xBF && text[position + 2] >= 0xBE:
      return (0xFFC0 + UInt32(text[position + 2] & 0x3F), 3)
    default: return nil
    }
  }
}
