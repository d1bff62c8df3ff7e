import Codecs
import Rows

/// The records of one file: objects, with the line or the number of each.
struct TrackerTable {
  var rows: [(value: JSON, line: Int)] = []
  /// The number of records, objects and others.
  var count = 0

  /// The most bytes of a file.
  static let mostBytes = 256 << 20

  private var header: Set<String> = []
  /// The names of the columns: those of the header, or of the first records.
  var columns: Set<String> {
    header.isEmpty ? Set(rows.prefix(50).flatMap { ($0.value.objectMembers ?? []).map(\.name) }) : header
  }

  /// Reads a file in CSV or JSON.
  /// - Parameter header: the first cell of the row with the names; nil for the first row.
  /// - Throws: `badData` for JSON that is damaged.
  init(_ bytes: [UInt8], name: String, header: String?) throws(Problem) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard name.lowercased().hasSuffix(".json") else {
      guard String(validating: text, as: UTF8.self) != nil else {
        throw Problem(
          .badData, "invalid UTF-8", at: name,
          hint: ["convert the file to UTF-8", .set(.inputEncoding, to: "windows-1252")])
      }
      readCSV(text, header)
      return
    }
    let document = try JSON.parse(text, name: name, duplicateKeys: .kept), all = document.arrayValue ?? [document]
    count = all.count
    for (place, value) in all.enumerated() where value.objectMembers != nil { rows.append((value, place + 1)) }
  }

  private mutating func readCSV(_ text: [UInt8], _ header: String?) {
    var names: [[UInt8]]?, record: [[UInt8]] = [], field: [UInt8] = []
    var line = 1, start = 1, isQuoted = false, at = 0
    func end(_ table: inout TrackerTable) {
      record.append(field)
      field = []
      defer {
        record = []
        start = line
      }
      guard let known = names else {
        if header == nil || TrackerRule.trimmed(record[0]) == Array((header ?? "").utf8) {
          names = record.map(TrackerRule.trimmed)
        }
        return
      }
      guard record.contains(where: { !TrackerRule.trimmed($0).isEmpty }) else { return }
      table.count += 1
      let members = zip(known, record).map { JSON.Member($0, .string($1)) }
      table.rows.append((.object(members), start))
    }
    while at < text.count {
      let byte = text[at]
      at += 1
      if byte == 0x0A { line += 1 }
      switch byte {
      case 0x22 where isQuoted && at < text.count && text[at] == 0x22:
        field.append(0x22)
        at += 1
      case 0x22 where isQuoted || field.isEmpty: isQuoted.toggle()
      case _ where isQuoted: field.append(byte)
      case 0x2C:
        record.append(field)
        field = []
      case 0x0D where at < text.count && text[at] == 0x0A: continue
      case 0x0A, 0x0D: end(&self)
      default: field.append(byte)
      }
    }
    if !field.isEmpty || !record.isEmpty { end(&self) }
    self.header = Set((names ?? []).map { String(decoding: $0, as: UTF8.self) })
  }
}

/// A record of a file, and what is around it.
final class TrackerRecord {
  let value: JSON, outer: TrackerRecord?, file: String, line: Int
  /// The number of the row of the file that it is from.
  let row: Int

  init(_ value: JSON, in outer: TrackerRecord?, file: String, line: Int, row: Int) {
    (self.value, self.outer, self.file, self.line, self.row) = (value, outer, file, line, row)
  }

  /// The value at a pointer, or at a selector: `#file`, `#outer/name`.
  func at(_ pointer: String) -> JSON? {
    if pointer == "#file" {
      let last = file.split(separator: "/").last ?? ""
      return .string(last.lastIndex(of: ".").map { String(last[..<$0]) } ?? String(last))
    }
    if pointer.hasPrefix("#outer/") {
      let rest = pointer.dropFirst(7)
      return outer?.at(rest.hasPrefix("#") ? String(rest) : "/" + rest)
    }
    let found = value.value(at: pointer)
    return found?.isNull == true ? nil : found
  }

  /// The text of the first value that there is; nil for none.
  func text(_ pointers: [String]) -> String? {
    for pointer in pointers { if let text = at(pointer).flatMap(Self.text), !text.isEmpty { return text } }
    return nil
  }

  static func text(_ value: JSON) -> String? {
    let text: String? =
      switch value {
      case .string(let bytes): String(decoding: bytes, as: UTF8.self)
      case .number(let literal): String(decoding: literal, as: UTF8.self)
      case .boolean(let value): value ? "true" : "false"
      default: nil
      }
    return text.map(TrackerRule.trimmed)
  }

  /// The texts of pointers, for identifiers; empty for what is missing.
  func texts(_ pointers: [String]) -> [String] {
    pointers.map { at($0).map { $0.stringValue ?? Self.text($0) ?? "" } ?? "" }
  }
}
