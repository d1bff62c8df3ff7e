import Codecs
import Domain

/// Reading the rows of files by a rule.
extension TrackerRule {
  private struct Unreadable: Error { let message: String }

  static func trimmed(_ text: String) -> String { String(decoding: trimmed(Array(text.utf8)), as: UTF8.self) }
  static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    let rest = bytes.drop { $0 <= 0x20 }
    return Array(rest[..<(rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex)])
  }

  /// Whether the rule is for a file with these columns.
  func takes(_ name: String, _ columns: Set<String>) -> Bool {
    TrackerPattern.fits(file, name) && takes(columns)
  }
  func takes(_ columns: Set<String>) -> Bool {
    if !columns.isEmpty, !has.allSatisfy(columns.contains) { return false }
    return !lacks.contains { $0.split(separator: "|").allSatisfy { columns.contains(String($0)) } }
  }

  func records(of table: TrackerTable, file: String) -> [TrackerRecord] {
    var records = table.rows.enumerated().map { TrackerRecord($1.value, in: nil, file: file, line: $1.line, row: $0) }
    func inner(_ record: TrackerRecord, _ values: [JSON], isOuter: Bool) -> [TrackerRecord] {
      values.map { TrackerRecord($0, in: isOuter ? record : nil, file: file, line: record.line, row: record.row) }
    }
    if !lists.isEmpty {
      records = records.flatMap { record in
        lists.flatMap { inner(record, record.value[$0]?.arrayValue ?? [], isOuter: false) }
      }
    }
    if form != nil, let place {
      records = records.flatMap { record in inner(record, Self.maps(record.text([place]) ?? ""), isOuter: true) }
    }
    for pointer in explode {
      records = records.flatMap { inner($0, $0.value.value(at: pointer)?.arrayValue ?? [], isOuter: true) }
    }
    return records
  }

  /// The objects of a text such as `[map[id:1 type:series] map[id:2 type:movie]]`.
  private static func maps(_ text: String) -> [JSON] {
    text.split(separator: "map[").dropFirst(text.hasPrefix("map[") ? 0 : 1).map { part in
      .object(
        part.prefix { $0 != "]" }.split(separator: " ").compactMap { pair in
          pair.firstIndex(of: ":").map { colon in
            JSON.Member(Array(pair[..<colon].utf8), .string(String(pair[pair.index(after: colon)...])))
          }
        })
    }
  }

  /// Whether a record fulfils the conditions.
  func accepts(_ record: TrackerRecord, _ variables: [String: String]) -> Bool {
    conditions.allSatisfy { condition in
      let text = record.text(condition.at) ?? ""
      if var wanted = condition.value {
        if wanted.hasPrefix("{") { wanted = variables[String(wanted.dropFirst().dropLast())] ?? "" }
        switch wanted {
        case "some": if text.isEmpty { return false }
        case "none": if !text.isEmpty { return false }
        default: if !wanted.isEmpty, text != wanted { return false }
        }
      }
      if let not = condition.not, text == not { return false }
      if let start = condition.start, !text.hasPrefix(start) { return false }
      return condition.values.isEmpty || condition.values.contains(text)
    }
  }

  func row(
    of record: TrackerRecord, _ format: TrackerFormat, _ variables: [String: String], _ zone: TimeZoneRules?
  ) -> TrackerRow {
    var row = TrackerRow(target, source: service ?? format.name, rule: name)
    row.isEachPlay = isEachPlay
    do throws(Unreadable) {
      for column in columns {
        let value = try value(column, record, format)
        guard column.name == "at" || column.name == "on" else {
          row.values[column.name] = value ?? .null
          continue
        }
        guard let text = value?.stringValue else { continue }
        let formats = column.formats.map { format in
          format.hasPrefix("{") ? variables[String(format.dropFirst().dropLast())] ?? "" : format
        }
        guard let moment = Self.moment(text, formats), ("1850"..."2200").contains(moment.day.prefix(4)) else {
          throw Unreadable(message: "invalid date “\(text)”")
        }
        row.values["day"] = .string(moment.day)
        guard let at = moment.at else { continue }
        row.values["at"] = .string(at)
        guard let zone, let utc = Instant(timestamp: at)?.seconds else { continue }
        let local = Instant(seconds: utc + Int64(zone.offset(at: utc))).timestamp
        row.values["day"] = .string(String(local.prefix(10)))
      }
    } catch {
      row.failure = error.message
    }
    if row.failure != nil { row.keep(record.value, in: record.outer?.value["name"]) }
    row.identity = record.texts(identity)
    if identity.count == 1 { row.ownText = record.at(identity[0])?.stringValue }
    if !otherIdentity.isEmpty, row.identity.allSatisfy(\.isEmpty) { row.identity = record.texts(otherIdentity) }
    return row
  }

  private static let integers: Set<String> = ["year", "season", "episode", "times", "again", "position"]

  private func value(
    _ column: TrackerColumn, _ record: TrackerRecord, _ format: TrackerFormat
  ) throws(Unreadable) -> JSON? {
    if let constant = column.constant { return .string(constant) }
    guard var text = record.text(column.from), !column.nulls.contains(text) else {
      return column.guesses.first { record.at($0.name) != nil }.map { .string($0.value) }
    }
    for step in column.steps {
      switch step.kind {
      case .split: return .array(Self.parts(text).map { .string($0) })
      case .stripHTML: text = Self.withoutTags(text)
      case .year: text = String(text.prefix(4))
      case .words:
        let words = format.words.first { $0.name == step.words }?.values ?? [:]
        guard let word = words[text.lowercased()] else {
          throw Unreadable(message: "unknown \(column.name) “\(text)”")
        }
        text = word
      case .cut:
        if let found = step.isLast ? text.ranges(of: step.after).last : text.firstRange(of: step.after) {
          text = String(text[found.upperBound...])
        } else if step.isOnly {
          return nil
        }
        if !step.before.isEmpty, let found = text.firstRange(of: step.before) {
          text = String(text[..<found.lowerBound])
        }
      }
    }
    if text.isEmpty || column.nulls.contains(text) { return nil }
    if column.name == "rewatch" { return .boolean(["yes", "true"].contains(text.lowercased())) }
    if Self.integers.contains(column.name) {
      guard let number = Double(text), number.magnitude < 1e9, number == number.rounded() else {
        throw Unreadable(message: "invalid \(column.name) “\(text)”")
      }
      let range = column.name == "year" ? 1850...2200 : 0...1_000_000
      guard range.contains(Int(number)) else {
        throw Unreadable(message: "\(column.name) \(text) is out of range (\(range.lowerBound) to \(range.upperBound))")
      }
      return .number(Int64(number))
    }
    if column.name == "rating" {
      guard let rating = Double(text), rating > 0, rating <= 10 else {
        throw Unreadable(message: "rating \(text) is out of range (0.5 to 10)")
      }
      let rounded = (rating * 1000).rounded() / 1000
      return .string(rounded == rounded.rounded() ? String(Int(rounded)) : "\(rounded)")
    }
    let service = column.name.split(separator: "_", maxSplits: 1).last.map(String.init) ?? ""
    for name in [column.name, service] where TrackerRow.services.contains(name) && !Self.isIdentifier(text, of: name) {
      throw Unreadable(message: "invalid \(name) id “\(text)”")
    }
    return .string(text)
  }

  private static func isIdentifier(_ text: String, of service: String) -> Bool {
    func isNumber(_ text: some Collection<UInt8>) -> Bool {
      !text.isEmpty && text.count < 20 && text.allSatisfy { $0 &- 48 < 10 }
    }
    return switch service {
    case "imdb": text.utf8.starts(with: "tt".utf8) && isNumber(text.utf8.dropFirst(2))
    case "letterboxd", "letterboxd_slug": text.utf8.count <= 200 && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    default: isNumber(text.utf8)
    }
  }

  /// The parts of a text with commas; a part in quotes may contain them.
  private static func parts(_ text: String) -> [String] {
    var parts = [[UInt8]()], isQuoted = false
    for byte in text.utf8 {
      switch byte {
      case 0x22: isQuoted.toggle()
      case 0x2C where !isQuoted: parts.append([])
      default: parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { trimmed(String(decoding: $0, as: UTF8.self)) }.filter { !$0.isEmpty }
  }

  private static func withoutTags(_ text: String) -> String {
    var result: [UInt8] = [], rest = Array(text.utf8)[...]
    while let open = rest.firstIndex(of: 0x3C) {
      result += rest[..<open]
      guard let close = rest[open...].firstIndex(of: 0x3E), close > open + 1 else {
        result.append(0x3C)
        rest = rest[(open + 1)...]
        continue
      }
      rest = rest[(close + 1)...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  /// The day of a date or time, and the instant of a time; nil for other text. A time without an offset is in UTC.
  static func moment(_ text: String, _ formats: [String]) -> (at: String?, day: String)? {
    let text = trimmed(text)
    if formats.contains("epoch-seconds"), let number = Double(text), number.magnitude < 1e12,
      let stamp = Dates.timestamp(epochSeconds: Int64(number))
    {
      return (String(decoding: stamp, as: UTF8.self), String(decoding: stamp.prefix(10), as: UTF8.self))
    }
    var bytes = Array(text.utf8)
    if let format = formats.first(where: { $0.contains("M") && $0.contains("/") }) {
      // Years have two digits or four.
      return [format, format.replacing("yy", with: "yyyy")].lazy.compactMap { DatePattern($0)?.fields(bytes)?.date }
        .first
        .map { (nil, String(decoding: $0, as: UTF8.self)) }
    }
    if Dates.isDate(bytes) { return (nil, text) }
    guard bytes.count > 15 else { return nil }
    if bytes[10] == 0x20 { bytes[10] = UInt8(ascii: "T") }
    // Seconds, and an offset, may be missing.
    if bytes.count == 16 || ![UInt8(ascii: ":")].contains(bytes[16]) { bytes.insert(contentsOf: ":00".utf8, at: 16) }
    let hasOffset = bytes.last == UInt8(ascii: "Z") || bytes[19...].contains { $0 == UInt8(ascii: "+") || $0 == 0x2D }
    if !hasOffset { bytes.append(UInt8(ascii: "Z")) }
    if hasOffset, bytes.count > 5, bytes[bytes.count - 5] == UInt8(ascii: "+") || bytes[bytes.count - 5] == 0x2D {
      bytes.insert(UInt8(ascii: ":"), at: bytes.count - 2)
    }
    guard let stamp = Dates.utc(bytes) else { return nil }
    return (String(decoding: stamp.prefix(19), as: UTF8.self) + "Z", String(decoding: stamp.prefix(10), as: UTF8.self))
  }
}
