import Codecs
import Domain
import Rows

/// The records of a response.
struct RESTRecords {
  private let pointer: String
  private let path: JSONPointer
  private let form: SourceRecordForm
  private let hasHeader: Bool
  private let explode: [JSONPointer]

  /// - Throws: `configuration` for texts that are not JSON Pointers.
  init(_ dataset: APIDataset) throws(Problem) {
    try self.init(dataset.records, dataset.recordForm, hasHeader: dataset.hasHeaderRow, explode: dataset.explode)
  }
  init(
    _ pointer: String, _ form: SourceRecordForm = .list, hasHeader: Bool = false, explode: [String] = []
  ) throws(Problem) {
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
    guard let found = context.document.value(at: path) else {
      // An element that XML repeats may also be absent.
      if context.isXML, form == .list { return ([], 0) }
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
      for member in members where !member.value.isNull {
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
      for row in rows {
        guard let values = row.arrayValue else { throw misfit(row, "a row (an array)", context) }
        let named = names.map { names in JSON.object(zip(names, values).map { JSON.Member($0, $1) }) }
        records.append(RESTRecord(value: named ?? row))
      }
      return records
    case .object: return found.isNull ? [] : [RESTRecord(value: found)]
    case .jsonStat: return try JSONStat.records(of: found, url: context.url).map { RESTRecord(value: $0) }
    }
  }

  /// A record for each element of an array in the records.
  private func exploded(
    _ records: [RESTRecord], at pointer: JSONPointer, in context: RESTContext
  ) throws(Problem) -> [RESTRecord] {
    var parts: [RESTRecord] = []
    for record in records {
      guard let found = record.value.value(at: pointer), !found.isNull else { continue }
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
