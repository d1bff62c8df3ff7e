import Codecs

/// The places of a response that may have its records, the most likely first.
struct DraftRecords {
  struct Candidate {
    var pointer: String
    var form: SourceRecordForm
    /// The records, as the columns see them.
    var records: [JSON]
    /// The number of all records of the response.
    var count: Int
    var score: Double
    var shown: String {
      "\(pointer.isEmpty ? "the whole response" : pointer)\(form == .list ? "" : " (\(form.rawValue))")"
    }
  }

  static let most = 500
  private static let usualNames: Set<String> = [
    "data", "items", "results", "result", "records", "rows", "entries", "docs", "hits", "list", "objects", "values",
    "elements", "children", "bindings", "edges", "nodes", "content", "features", "entry", "item", "collection",
  ]
  private static let otherNames: Set<String> = [
    "links", "_links", "meta", "included", "facets", "aggregations", "errors", "error", "warnings", "schema", "fields",
    "pagination", "paging", "info", "extension", "includes",
  ]
  static let pagingNames: Set<String> = [
    "page", "pages", "total", "totalpages", "totalcount", "totalresults", "count", "limit", "offset", "next",
    "previous", "prev", "hasmore", "perpage", "pagesize", "size", "cursor", "nextcursor", "numfound", "start", "first",
    "last", "status", "ok", "success", "object", "took", "timedout",
  ]
  private(set) var candidates: [Candidate] = []

  init(_ document: JSON) {
    visit(document, [], penalty: 0)
    addSingle(document, [])
    candidates.sort { $0.score > $1.score }
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  private mutating func visit(_ value: JSON, _ steps: [String], penalty: Double) {
    guard steps.count <= 5 else { return }
    let pointer = JSONPointer(steps: steps).description
    let bonus =
      (steps.last.map { Self.usualNames.contains($0.lowercased()) } == true ? 1.5 : 0) - 0.35 * Double(steps.count)
      - penalty
    if let elements = value.arrayValue {
      addArray(elements, pointer, bonus)
      // The records may be next to an object about them.
      guard (2...3).contains(elements.count), elements.contains(where: { $0.objectMembers != nil }) else { return }
      for (place, element) in elements.enumerated() where element.arrayValue != nil {
        visit(element, steps + [String(place)], penalty: penalty)
      }
      return
    }
    guard let members = value.objectMembers else { return }
    if value["class"]?.stringValue == "dataset" || value["dimension"] != nil,
      value["value"] != nil || value["dataset"] != nil,
      let records = try? JSONStat.records(of: value, url: "")
    {
      candidates.append(
        Candidate(
          pointer: pointer, form: .jsonStat, records: Array(records.prefix(Self.most)), count: records.count, score: 8))
      return
    }
    addMap(members, pointer, bonus)
    addColumns(members, pointer, bonus)
    for member in members {
      let isOther = Self.otherNames.contains(member.name.lowercased())
      visit(member.value, steps + [member.name], penalty: penalty + (isOther ? 4 : 0))
    }
  }

  private mutating func addArray(_ elements: [JSON], _ pointer: String, _ bonus: Double) {
    guard let first = elements.first else { return }
    let part = Array(elements.prefix(Self.most)), size = min(1.5, Double(elements.count) * 0.25)
    if elements.allSatisfy({ $0.objectMembers != nil }) {
      candidates.append(
        Candidate(
          pointer: pointer, form: .list, records: part, count: elements.count,
          score: 4 + Self.likeness(part) + size + bonus))
    } else if let width = first.arrayValue?.count, width > 1, elements.count > 1,
      elements.allSatisfy({ $0.arrayValue?.count == width })
    {
      candidates.append(
        Candidate(pointer: pointer, form: .rows, records: part, count: elements.count, score: 3.5 + size + bonus))
    } else if elements.allSatisfy({ $0.stringBytes != nil || $0.numberLiteral != nil }) {
      candidates.append(
        Candidate(pointer: pointer, form: .values, records: part, count: elements.count, score: 1 + size + bonus))
    }
  }

  /// Arrays of one length, whose elements at one position are a record.
  private mutating func addColumns(_ members: [JSON.Member], _ pointer: String, _ bonus: Double) {
    let columns = members.compactMap { member in member.value.arrayValue.map { (member.key, $0) } }
    guard columns.count > 1, let count = columns.first?.1.count, count > 1,
      columns.allSatisfy({ $0.1.count == count && !$0.1.contains { $0.objectMembers != nil || $0.arrayValue != nil } })
    else { return }
    let records = (0..<min(count, Self.most)).map { place in
      JSON.object(columns.map { JSON.Member($0.0, $0.1[place]) })
    }
    candidates.append(
      Candidate(
        pointer: pointer, form: .columns, records: records, count: count,
        score: 5 + min(1.5, Double(count) * 0.25) + bonus))
  }

  /// An object of records, or of arrays of records, whose names are data.
  private mutating func addMap(_ members: [JSON.Member], _ pointer: String, _ bonus: Double) {
    let values = members.map(\.value)
    if members.count > 1, values.allSatisfy({ $0.objectMembers != nil }), Self.likeness(values) > 1.2 {
      let isData = members.allSatisfy { Self.isData($0.name) }
      candidates.append(
        Candidate(
          pointer: pointer, form: .map, records: Array(values.prefix(Self.most)), count: values.count,
          score: (isData ? 4.5 : 2.5) + Self.likeness(values) + min(1.5, Double(values.count) * 0.25) + bonus))
    }
    let all = values.flatMap { $0.arrayValue ?? [] }
    if !all.isEmpty, values.allSatisfy({ $0.arrayValue?.allSatisfy { $0.objectMembers != nil } ?? false }),
      members.count > 1 || Self.isData(members[0].name)
    {
      let isData = members.allSatisfy { Self.isData($0.name) }
      guard isData || Self.likeness(all) > 1.5 else { return }
      candidates.append(
        Candidate(
          pointer: pointer, form: .lists, records: Array(all.prefix(Self.most)), count: all.count,
          score: (isData ? 6 : 2.5) + Self.likeness(all) + bonus))
    }
  }

  /// Whether the name of a member looks like data: it has digits, or is a code.
  private static func isData(_ name: String) -> Bool {
    name.contains { $0.isNumber } || name.count <= 3 && name == name.uppercased()
  }

  /// Twice the share of the members that all records have.
  private static func likeness(_ records: [JSON]) -> Double {
    var common: Set<String>?, all: Set<String> = []
    for record in records {
      let names = Set((record.objectMembers ?? []).map(\.name))
      common = common.map { $0.intersection(names) } ?? names
      all.formUnion(names)
    }
    return all.isEmpty ? 0 : 2 * Double(common?.count ?? 0) / Double(all.count)
  }

  /// An object that is a record itself, perhaps in another object.
  private mutating func addSingle(_ value: JSON, _ steps: [String]) {
    guard steps.count < 3, let members = value.objectMembers else { return }
    let scalars = members.filter { $0.value.objectMembers == nil && $0.value.arrayValue == nil && !$0.value.isNull }
    let own = scalars.filter { !Self.pagingNames.contains(Self.plain($0.name)) }
    let hasID = own.contains { ["id", "uuid", "key", "_id"].contains($0.name.lowercased()) }
    let hasList = members.contains {
      $0.value.arrayValue?.first?.objectMembers != nil && Self.usualNames.contains($0.name.lowercased())
    }
    if hasID || own.count >= 4, !hasList {
      candidates.append(
        Candidate(
          pointer: JSONPointer(steps: steps).description, form: .object, records: [value], count: 1,
          score: (hasID ? 8 : 5) - 0.35 * Double(steps.count)))
    }
    if members.count == 1 { addSingle(members[0].value, steps + [members[0].name]) }
  }
}
