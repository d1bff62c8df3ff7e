import Codecs
import Documents
import Rows

/// Makes JSON of a response in another format.
struct RESTBody {
  let bytes: [UInt8]
  let place: String
  let format: SourceResponseFormat

  /// The format that a header `Content-Type` names; nil for JSON and others.
  static func format(ofType type: String?) -> SourceResponseFormat.Name? {
    guard let type = type?.lowercased().prefix(while: { $0 != ";" }) else { return nil }
    let name = String(type.filter { $0 != " " })
    if name == "text/csv" || name == "application/csv" || name.hasSuffix("+csv") { return .csv }
    if ["ndjson", "jsonl", "jsonlines", "json-seq"].contains(where: {
      name.hasSuffix("/\($0)") || name.hasSuffix("/x-\($0)")
    }) {
      return .ndjson
    }
    if name == "application/xml" || name == "text/xml" || name.hasSuffix("+xml") && name != "application/xhtml+xml" {
      return .xml
    }
    return nil
  }

  /// The values of the lines, as an array.
  func lines() throws(Problem) -> JSON {
    var values: [JSON] = [], number = 0
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      number += 1
      // A record separator may precede each line.
      let text = line.drop { $0 == 0x1E }
      guard text.contains(where: { $0 > 32 }) else { continue }
      do throws(Problem) {
        values.append(try JSON.parse(Array(text), name: ""))
      } catch {
        throw Problem(.badData, "line \(number): \(error.message)", at: place)
      }
    }
    return .array(values)
  }

  /// The records of CSV, as an array of objects of texts; an empty field without quotes is null.
  func table() async throws(Problem) -> JSON {
    guard bytes.contains(where: { $0 > 32 }) else { return .array([]) }
    var reading = CSVReading()
    let header = decoded.prefix { $0 != 10 }
    func count(_ byte: UInt8) -> Int { header.count { $0 == byte } }
    let comma = UInt8(ascii: ","), other = ";\t|".utf8.max { count($0) < count($1) } ?? comma
    // A header that another character divides has fewer commas.
    if let delimiter = format.delimiter?.utf8.first ?? (count(other) > count(comma) ? other : nil) {
      reading.delimiter = delimiter
    }
    let source = MemoryByteSource(decoded, name: place)
    // The header first: all columns are texts, so that no number changes its spelling.
    let names = try CSVRowStream.inferring(source, table: "csv", reading).schema.columns.map(\.name)
    for name in names { reading.types[name] = .text }
    let stream = try CSVRowStream.inferring(MemoryByteSource(decoded, name: place), table: "csv", reading)
    let keys = stream.schema.columns.map { Array($0.name.utf8) }
    var records: [JSON] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        records.append(
          .object(
            keys.enumerated().map { column, key in
              switch batch.value(row, column) {
              case .text(let text), .number(let text): JSON.Member(key, .string(text))
              default: JSON.Member(key, .null)
              }
            }))
      }
    }
    return .array(records)
  }

  /// The bytes as UTF-8.
  private var decoded: [UInt8] {
    switch format.encoding {
    case nil, .utf8?: return bytes
    case .latin1?, .windows1252?:
      return Array(WesternText.decoded(bytes, isWindows: format.encoding == .windows1252).utf8)
    }
  }

  /// An XML document: elements are objects, attributes `@name`, text `$`; an element that occurs more than once in any
  /// element of the same place is an array in all of them. The root's name may begin pointers.
  func element() throws(Problem) -> JSON {
    let root = try XMLElement.document(bytes, name: place)
    var lists: Set<String> = []
    Self.collect(root, "", &lists)
    let document = Self.json(root, "", lists)
    return .object((document.objectMembers ?? []) + [JSON.Member(root.name, document)])
  }

  /// Collects the places of elements that occur more than once.
  private static func collect(_ element: XMLElement, _ path: String, _ lists: inout Set<String>) {
    var seen: Set<String> = []
    for child in element.elements {
      let place = "\(path)/\(child.name)"
      if !seen.insert(child.name).inserted { lists.insert(place) }
      collect(child, place, &lists)
    }
  }

  private static func json(_ element: XMLElement, _ path: String, _ lists: Set<String>) -> JSON {
    var members: [JSON.Member] = []
    for (name, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
      members.append(JSON.Member("@\(name)", .string(value)))
    }
    var repeated: [String: [JSON]] = [:], order: [(name: String, value: JSON?)] = []
    for child in element.elements {
      let place = "\(path)/\(child.name)", value = json(child, place, lists)
      if !lists.contains(place) {
        order.append((child.name, value))
      } else {
        if repeated[child.name] == nil { order.append((child.name, nil)) }
        repeated[child.name, default: []].append(value)
      }
    }
    members += order.map { JSON.Member($0.name, $0.value ?? .array(repeated[$0.name] ?? [])) }
    let text = SourceStep.trimmed(Array(element.text.utf8))
    if !text.isEmpty { members.append(JSON.Member("$", .string(text))) }
    return .object(members)
  }
}
