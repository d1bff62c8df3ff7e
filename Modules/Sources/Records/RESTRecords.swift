import Codecs
import Domain
import Rows

struct RESTRecords {
  private let pointer: String
  private let path: JSONPointer
  private let form: SourceRecordForm
  private let hasHeader: Bool
  private let explode: [JSONPointer]
  /// The members of which a single record needs one, so that an error is none; empty for any.
  private let members: Set<String>
  /// The members, or the positions, that each row has, and whether a row without is an error.
  private let required: [(step: String, stops: Bool)]
  /// Whether a response that is null has no records.
  private let nullIsNone: Bool

  /// - Throws: `configuration` for texts that are not JSON Pointers.
  init(_ dataset: APIDataset) throws(Problem) {
    try self.init(
      dataset.records, dataset.recordForm, hasHeader: dataset.hasHeaderRow, explode: dataset.explode,
      columns: dataset.columns, nullIsNone: dataset.absent?.contains(.null) ?? false)
  }
  init(
    _ pointer: String, _ form: SourceRecordForm = .list, hasHeader: Bool = false, explode: [String] = [],
    columns: [SourceColumn] = [], nullIsNone: Bool = false
  ) throws(Problem) {
    self.nullIsNone = nullIsNone
    var members: Set<String> = []
    for pointer in columns.flatMap(\.pointers) where explode.isEmpty && form == .object {
      guard let step = try JSONPointer(pointer).steps.first else {
        members = []
        break
      }
      members.insert(step)
    }
    self.members = members
    var required: [(String, Bool)] = []
    for column in columns where form == .rows && explode.isEmpty && column.isRequired {
      if let pointer = column.pointers.first, let step = try JSONPointer(pointer).steps.first {
        required.append((step, column.onError == .stop))
      }
    }
    self.required = required
    self.pointer = pointer
    path = try JSONPointer(pointer)
    self.form = form
    self.hasHeader = hasHeader
    var pointers: [JSONPointer] = []
    for pointer in explode { pointers.append(try JSONPointer(pointer)) }
    self.explode = pointers
  }

  /// The records of a document, in order, and how many there were before arrays in them became records.
  /// - Throws: `badData` for a document of another form.
  func records(in context: RESTContext) throws(Problem) -> (records: [RESTRecord], count: Int) {
    if nullIsNone, context.document.isNull { return ([], 0) }
    guard let found = context.document.value(at: path) else {
      // An element that XML repeats may also be absent, if what it would be in is there, and is not an error.
      if context.isXML, form == .list,
        let outer = context.document.value(at: JSONPointer(steps: Array(path.steps.dropLast()))), !outer.isErrorElement
      {
        return ([], 0)
      }
      if let message = context.document.errorsMessage { throw RESTDocument.refusal(message, at: context.url) }
      throw Problem(
        .badData, "the response has no \(pointer): \(RESTText.firstWords(context.document.canonicalBytes))",
        at: URLText.redacted(context.url))
    }
    var records = try records(of: found, in: context)
    let count = records.count
    for pointer in explode { records = try exploded(records, at: pointer, in: context) }
    return (records, count)
  }

  private func records(of found: JSON, in context: RESTContext) throws(Problem) -> [RESTRecord] {
    switch form {
    case .list, .values:
      if let elements = found.arrayValue { return elements.map { RESTRecord(value: $0) } }
      if context.isXML, form == .list { return [RESTRecord(value: found)] }
      throw misfit(found, "an array of \(form == .list ? "records" : "values")", context)
    case .map:
      if let members = found.objectMembers {
        return members.map { RESTRecord(value: $0.value, key: .string($0.key)) }
      }
      // PHP writes an empty object like this.
      if found == .array([]) { return [] }
      throw misfit(found, "an object of records", context)
    case .lists:
      if found == .array([]) { return [] }
      guard let members = found.objectMembers else { throw misfit(found, "an object of arrays", context) }
      var records: [RESTRecord] = []
      for member in members where !(nullIsNone && member.value.isNull) {
        guard let elements = member.value.arrayValue else {
          throw misfit(member.value, "an array of records at \(member.name)", context)
        }
        records += elements.map { RESTRecord(value: $0, key: .string(member.key)) }
      }
      return records
    case .rows:
      guard var rows = found.arrayValue else { throw misfit(found, "an array of rows", context) }
      var names: [String]?
      if hasHeader, !rows.isEmpty {
        names = rows.removeFirst().arrayValue?.map { $0.parameterText ?? "" }
        guard names != nil else { throw misfit(found, "a first row of names", context) }
      }
      var records: [RESTRecord] = []
      func width(_ required: [(step: String, stops: Bool)]) -> Int {
        (required.compactMap { names?.firstIndex(of: $0.step) ?? Int($0.step) }.max() ?? -1) + 1
      }
      let least = width(required.filter(\.stops)), width = width(required)
      for (number, row) in rows.enumerated() {
        guard let values = row.arrayValue else { throw misfit(row, "a row (an array)", context) }
        guard values.count >= least else {
          throw Problem(
            .badData, "row \(number + 1): expected \(least) values, found \(values.count)",
            at: URLText.redacted(context.url), hint: "if values may be missing, add “optional”: true to their columns")
        }
        let named = names.map { names in JSON.object(zip(names, values).map { JSON.Member($0, $1) }) }
        records.append(RESTRecord(value: named ?? row, isShort: values.count < width))
      }
      return records
    case .columns:
      let columns = (found.objectMembers ?? []).compactMap { member in member.value.arrayValue.map { (member, $0) } }
      guard let (first, values) = columns.first else { throw misfit(found, "an object of arrays", context) }
      if let (member, others) = columns.first(where: { $0.1.count != values.count }) {
        throw Problem(
          .badData,
          "the arrays have different lengths: \(RESTText.firstWords(first.key)) has \(values.count), "
            + "\(RESTText.firstWords(member.key)) has \(others.count)", at: URLText.redacted(context.url))
      }
      return values.indices.map { place in
        RESTRecord(value: .object(columns.map { JSON.Member($0.0.key, $0.1[place]) }))
      }
    case .object:
      guard context.isXML || found.objectMembers != nil || members.isEmpty && explode.isEmpty && !found.isNull else {
        throw misfit(found, "a record", context)
      }
      if !context.isXML, !members.isEmpty, found.objectMembers?.contains(where: { members.contains($0.name) }) != true {
        throw misfit(found, "a record with \(members.sorted().prefix(3).joined(separator: ", "))", context)
      }
      return [RESTRecord(value: found)]
    case .jsonStat: return try JSONStat.records(of: found, url: context.url).map { RESTRecord(value: $0) }
    }
  }

  /// A record for each element of an array in the records.
  private func exploded(
    _ records: [RESTRecord], at pointer: JSONPointer, in context: RESTContext
  ) throws(Problem) -> [RESTRecord] {
    var parts: [RESTRecord] = []
    for record in records {
      guard let found = record.value.value(at: pointer), !(found.isNull && (nullIsNone || context.isXML)) else {
        // Records may lack the array; one record without it is not the one that was requested.
        guard form == .object, !context.isXML, record.outers.isEmpty else { continue }
        throw misfit(record.value, "an array at \(pointer)", context)
      }
      guard let elements = found.arrayValue ?? (context.isXML ? [found] : nil) else {
        throw misfit(found, "an array at \(pointer)", context)
      }
      parts += elements.map { RESTRecord(value: $0, key: record.key, outers: [record.value] + record.outers) }
    }
    return parts
  }

  private func misfit(_ found: JSON, _ wanted: String, _ context: RESTContext) -> Problem {
    Problem(
      .badData, "expected \(wanted), got \(found.kindName): \(RESTText.firstWords(found.canonicalBytes))",
      at: URLText.redacted(context.url))
  }
}

extension JSON {
  /// The message of a GraphQL response that is an error: a non-empty array `errors`, and no `data`; nil for others.
  var errorsMessage: String? {
    guard let errors = self["errors"]?.arrayValue, let first = errors.first, self["data"]?.isNull != false else {
      return nil
    }
    return first["message"]?.stringValue ?? first.stringValue ?? RESTText.shown(first)
  }

  /// Whether an XML element is an error, a web page, or a text: nothing that has records.
  fileprivate var isErrorElement: Bool {
    guard let members = objectMembers else { return true }
    return members.contains { ["error", "errors", "exception", "fault", "html", "$"].contains($0.name.lowercased()) }
  }

  /// The value of an XML element that is only text: the text; null for an empty one. Other values as they are.
  var elementText: JSON {
    switch self {
    case .object(let members):
      if let text = members.first(where: { $0.name == "$" }) { return text.value }
      return members.isEmpty ? .null : self
    case .array(let elements): return .array(elements.map(\.elementText))
    default: return self
    }
  }
}
