import Domain
import Codecs
import Rows

/// The columns that records suggest, and their types.
struct DraftColumns {
  /// A column, and the values that decided about it.
  struct Column {
    var pointer: String
    var name = ""
    var type = ColumnType.text
    var source: SourceColumn
    /// A remark about the type, for a message.
    var remark = ""
    var values: [JSON] = []
    var isUnique = false
    var isComplete = false
  }
  var columns: [Column] = []
  /// Members with one value in all records.
  private(set) var skipped: [String] = []

  private static let most = 200
  private static let wordsForNull: Set<String> = ["-", "?", "n/a", "na", "null", "none", "nil", "unknown", "."]

  /// - Parameters:
  ///   - records: the records.
  ///   - isXML: whether they come from XML.
  init(_ records: [JSON], _ form: SourceRecordForm, isXML: Bool) {
    var order: [String] = [], found: [String: [JSON]] = [:]
    for record in records { Self.flatten(record, [], &order, &found, isXML) }
    for pointer in order.prefix(Self.most) {
      let all = found[pointer] ?? [], values = all.filter { !$0.isNull && $0.stringBytes?.isEmpty != true }
      let last = Self.steps(pointer).last ?? ""
      // An object in other records has its own columns.
      if values.isEmpty, order.contains(where: { $0.hasPrefix(pointer + "/") }) { continue }
      if records.count > 1, all.count == records.count, Set(values).count == 1, values.count == all.count,
        ["object", "type", "kind", "@type", "__typename", "_index", "_type", "class"].contains(last.lowercased())
      {
        skipped.append(pointer)
        continue
      }
      var column = Column(pointer: pointer, source: SourceColumn("", from: pointer))
      column.values = values
      column.isComplete = values.count == records.count
      column.isUnique = column.isComplete && Set(values).count == values.count
      Self.infer(&column, name: last)
      let hasEmpty = all.contains { $0.stringBytes?.isEmpty == true }
      if values.isEmpty { (column.type, column.source.isOptional) = (hasEmpty ? .text : .json, true) }
      if hasEmpty, column.type != .text, column.source.nulls.isEmpty { column.source.nulls = [.string([])] }
      columns.append(column)
    }
    if form == .map || form == .lists {
      var key = Column(pointer: "#key", source: SourceColumn("", from: "#key"))
      (key.isUnique, key.isComplete) = (form == .map, true)
      columns.insert(key, at: 0)
    }
    name()
  }

  private static func steps(_ pointer: String) -> [String] { (try? JSONPointer(pointer))?.steps ?? [] }

  /// Collects the scalars and lists of a record by their places.
  private static func flatten(
    _ value: JSON, _ steps: [String], _ order: inout [String], _ found: inout [String: [JSON]], _ isXML: Bool
  ) {
    func add() {
      let pointer = JSONPointer(steps: steps).description
      if found[pointer] == nil { order.append(pointer) }
      found[pointer, default: []].append(value)
    }
    switch value {
    case .object(let members):
      guard steps.count < 5 else { return }
      if isXML, members.contains(where: { $0.name == "$" }), !steps.isEmpty {
        let pointer = JSONPointer(steps: steps).description
        if found[pointer] == nil { order.append(pointer) }
        found[pointer, default: []].append(value.elementText)
        for member in members where member.name.hasPrefix("@") {
          flatten(member.value, steps + [member.name], &order, &found, isXML)
        }
        return
      }
      for member in members { flatten(member.value, steps + [member.name], &order, &found, isXML) }
    case .array(let elements):
      if elements.isEmpty { return }
      // A point, or a row: each place has its meaning.
      let isPoint = (2...3).contains(elements.count) && elements.allSatisfy { $0.numberLiteral?.contains(46) == true }
      if isPoint || steps.isEmpty {
        for (place, element) in elements.enumerated() {
          flatten(element, steps + [String(place)], &order, &found, isXML)
        }
      } else {
        add()
      }
    default: add()
    }
  }

  // MARK: - Types

  private static func infer(_ column: inout Column, name: String) {
    let values = column.values
    guard !values.isEmpty else {
      column.remark = "null in all records"
      return
    }
    if values.allSatisfy({ $0.arrayValue != nil }) { return inferList(&column) }
    if values.allSatisfy({ $0.booleanValue != nil }) { return column.type = .boolean }
    if values.allSatisfy({ $0.numberLiteral != nil }) { return inferNumber(&column, name) }
    let texts = values.compactMap(\.stringValue)
    guard texts.count == values.count else { return column.type = .json }
    if inferText(texts, &column, name) { return }
    // Words for null only when the rest fits.
    let rest = texts.filter { !wordsForNull.contains($0.lowercased()) }
    let words = Set(texts.filter { wordsForNull.contains($0.lowercased()) })
    if rest.count >= 2, !words.isEmpty, inferText(rest, &column, name), column.type != .text {
      column.source.nulls = words.sorted().map { .string($0) }
      column.remark += column.remark.isEmpty ? "null: \(words.sorted().joined(separator: ", "))" : ""
    } else {
      (column.type, column.source.formats, column.source.zone) = (.text, [], nil)
    }
  }

  private static func inferList(_ column: inout Column) {
    let elements = column.values.flatMap { $0.arrayValue ?? [] }
    if elements.allSatisfy({ $0.integerValue != nil }) {
      column.type = .list(.integer)
    } else if elements.allSatisfy({ $0.stringValue.map(isURL) ?? false }) {
      column.type = .list(.url)
    } else if elements.allSatisfy({ $0.stringBytes != nil }) {
      column.type = .list(.text)
    } else if let step = ["name", "title", "id", "value", "key"].first(where: { name in
      elements.allSatisfy { $0[name]?.stringBytes != nil }
    }) {
      column.type = .list(.text)
      column.source.steps = [.each("/\(step)")]
      column.remark = "the \(step) of each element"
    } else {
      column.type = .json
    }
  }

  private static func inferNumber(_ column: inout Column, _ name: String) {
    let numbers = column.values.compactMap(\.realValue)
    let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
    let isGrowing = numbers.count > 1 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    var text = column
    let literals = column.values.map { String(decoding: $0.numberLiteral ?? [], as: UTF8.self) }
    if isWhole, inferText(literals, &text, name), text.type == .date { return column = text }
    if isWhole, isTime(name) || column.pointer == "/0" && isGrowing {
      for (format, range) in [
        (SourceFormat.epochSeconds, 1e9...4e9), (.epochMilliseconds, 1e12...4e12), (.epochMicroseconds, 1e15...4e15),
      ] where numbers.allSatisfy(range.contains) {
        column.type = .timestamp
        column.source.formats = [format]
        column.remark = format.rawValue
        return
      }
    }
    column.type = column.values.allSatisfy { $0.integerValue != nil } ? .integer : .real
  }

  private static func isTime(_ name: String) -> Bool {
    let name = name.lowercased()
    if ["ts", "dt", "at", "since", "until", "expiry", "day", "on", "sunrise", "sunset"].contains(name) { return true }
    if ["_at", "_ts", "_dt", "_on", "_utc", "_since", "_until"].contains(where: name.hasSuffix) { return true }
    return ["time", "date", "created", "updated", "modified", "expires", "timestamp", "epoch"].contains(
      where: name.contains)
  }

  private static func isURL(_ text: String) -> Bool {
    URLText.isWeb(text) && !text.contains(" ")
  }

  /// The type that all texts have; false if it is not a type of its own.
  private static func inferText(_ texts: [String], _ column: inout Column, _ name: String) -> Bool {
    let bytes = texts.map { Array($0.utf8) }
    // Some dates may lack their day or month.
    if bytes.allSatisfy({ Dates.isDate($0) }), bytes.contains(where: { $0.count == 10 }) {
      column.type = .date
      return true
    }
    if bytes.allSatisfy({ RESTDateReader.standard($0) != nil }) {
      column.type = .timestamp
      return true
    }
    // `20250301`, for a name of time.
    if isTime(name), let pattern = DatePattern("yyyyMMdd"),
      bytes.allSatisfy({ $0.count == 8 && [49, 50].contains($0[0]) && pattern.fields($0) != nil })
    {
      (column.type, column.source.formats) = (.date, [SourceFormat(rawValue: "yyyyMMdd")])
      return true
    }
    for (pattern, separator) in [
      ("yyyy-MM-dd HH:mm:ss", UInt8(ascii: " ")), ("yyyy-MM-dd'T'HH:mm:ss", UInt8(ascii: "T")),
    ] {
      let isLocal = bytes.allSatisfy { text in
        text.count >= 19 && text[10] == separator
          && Dates.isTimestamp(Array(text[..<10]) + [UInt8(ascii: "T")] + Array(text[11...]) + [UInt8(ascii: "Z")])
      }
      guard isLocal else { continue }
      let fraction = (bytes.map(\.count).max() ?? 19) - 20
      let format = fraction > 0 ? "\(pattern).\(String(repeating: "S", count: fraction))" : pattern
      column.type = .timestamp
      (column.source.formats, column.source.zone) = ([SourceFormat(rawValue: format)], "UTC")
      column.remark = "without a time zone: please check “zone”"
      return true
    }
    if texts.allSatisfy(isURL) {
      column.type = .url
      return true
    }
    if texts.allSatisfy({ $0 == "true" || $0 == "false" }) {
      column.type = .boolean
      return true
    }
    return inferNumberText(bytes, &column, name)
  }

  private static func inferNumberText(_ texts: [[UInt8]], _ column: inout Column, _ name: String) -> Bool {
    func isNumber(_ text: [UInt8]) -> Bool {
      var digits = text[...]
      if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
      let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 &- 48 < 10 } }) else { return false }
      // Leading zeros are those of a code.
      return parts[0].count == 1 || parts[0].first != 48
    }
    guard texts.allSatisfy(isNumber) else { return false }
    if texts.contains(where: { $0.contains(46) }) {
      column.type = .decimal
      return true
    }
    let name = name.lowercased()
    let isCode = ["id", "code", "zip", "phone", "number", "isbn", "postal", "version"].contains { word in
      name == word || name.hasSuffix("_\(word)") || word.count > 2 && name.contains(word)
    }
    guard !isCode, texts.allSatisfy({ $0.count < 19 }) else { return false }
    column.type = texts.contains { $0.count > 9 } || column.pointer.hasSuffix("/value") ? .decimal : .integer
    column.remark = "written as text"
    return true
  }

  /// Gives a column a wider type.
  /// - Returns: false for one without a wider type.
  mutating func widen(_ name: String) -> Bool {
    guard let place = columns.firstIndex(where: { $0.name == name }), columns[place].type != .json else { return false }
    let isText = columns[place].values.allSatisfy { $0.arrayValue == nil && $0.objectMembers == nil }
    switch columns[place].type {
    case .integer: columns[place].type = .decimal
    case .text, .list: columns[place].type = .json
    default: columns[place].type = isText ? .text : .json
    }
    (columns[place].source.formats, columns[place].source.zone, columns[place].source.steps) = ([], nil, [])
    columns[place].remark = "not all values fit"
    return true
  }

  // MARK: - Names

  /// Adds columns that no record has, and puts all in an order: first those of `pointers`.
  mutating func complete(_ further: [Column], order pointers: [String]) {
    columns += further.filter { column in !columns.contains { $0.pointer == column.pointer } }
    let ranks = Dictionary(pointers.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    let ranked = columns.enumerated().sorted {
      (ranks[$0.element.pointer] ?? .max, $0.offset) < (ranks[$1.element.pointer] ?? .max, $1.offset)
    }
    columns = ranked.map(\.element)
    name()
  }

  /// Gives each column a name of its own: the last step, with the step before it where that says more.
  private mutating func name() {
    let plain: Set<String> = [
      "value", "name", "id", "url", "href", "@id", "$", "number", "text", "key", "title", "login",
    ]
    let wrappers: Set<String> = [
      "attributes", "properties", "fields", "_source", "source", "data", "value", "node", "record", "content",
    ]
    var names = DistinctNames()
    for place in columns.indices {
      var steps = Self.steps(columns[place].pointer.hasPrefix("#") ? "/key" : columns[place].pointer).map { step in
        String(step.map { $0.isLetter || $0.isNumber ? $0 : "_" }).trimmed("_")
      }.filter { !$0.isEmpty }
      steps = steps.enumerated().filter { $0.offset == steps.count - 1 || !wrappers.contains($0.element) }.map(
        \.element)
      if steps.count > 1, steps.last == "value" { steps.removeLast() }
      if steps.isEmpty { steps = ["value"] }
      if Int(steps[0]) != nil { steps[0] = "column_\(steps[0])" }
      var depth = steps.count > 1 && (plain.contains(steps.last ?? "") || Int(steps.last ?? "") != nil) ? 2 : 1
      var name = steps.suffix(depth).joined(separator: "_")
      while names.has(name), depth < steps.count {
        depth += 1
        name = steps.suffix(depth).joined(separator: "_")
      }
      let unique = names.add(name)
      columns[place].name = unique
      columns[place].source.name = unique
    }
  }

  // MARK: - Keys

  /// The columns that may be the key, the most likely first.
  var keys: [Int] {
    func score(_ place: Int) -> Int? {
      let column = columns[place]
      guard column.isUnique else { return nil }
      switch column.type {
      case .integer, .text, .url, .date, .timestamp: break
      default: return nil
      }
      let steps = Self.steps(column.pointer), last = (steps.last ?? "").lowercased()
      var score = 0
      if column.pointer == "#key" {
        score = 70
      } else if ["id", "_id", "uuid", "guid", "key", "sys_id", "@id"].contains(last) {
        score = 100
      } else if last.hasSuffix("_id") || last.hasSuffix("id") && last.count < 12 {
        score = 80
      } else if ["name", "slug", "code", "number", "sku", "symbol"].contains(last) {
        score = 40
      } else if column.type == .timestamp {
        score = -40
      }
      if column.type == .text, let longest = column.values.compactMap({ $0.stringBytes?.count }).max(), longest > 100 {
        score -= 60
      }
      return score * 10 - steps.count * 60 - place
    }
    return columns.indices.compactMap { place in score(place).map { (place, $0) } }.sorted { $0.1 > $1.1 }.map(\.0)
  }

  /// The first two columns that are unique together.
  func pair(_ count: Int) -> [Int]? {
    let scalar = columns.indices.filter { place in
      let column = columns[place]
      guard column.isComplete, column.values.count == count else { return false }
      switch column.type {
      case .integer, .text, .date, .timestamp: return true
      default: return false
      }
    }.prefix(12)
    for (order, first) in scalar.enumerated() {
      for second in scalar.dropFirst(order + 1)
      where Set(zip(columns[first].values, columns[second].values).map { [$0, $1] }).count == count {
        return [first, second]
      }
    }
    return nil
  }
}

extension String {
  /// The text without a character at its ends.
  fileprivate func trimmed(_ character: Character) -> String {
    var text = self[...]
    while text.first == character { text = text.dropFirst() }
    while text.last == character { text = text.dropLast() }
    return String(text)
  }
}
