internal import Codecs
public import Domain

/// An API read by its description: asked, checked whole, and made into rows of the dataset's schema, in order of the key.
public struct RESTSource: RecordSource {
  private let description: SourceDescription
  private let server: String
  private let transport: any HTTPTransport
  private let report: @Sendable (String) -> Void

  /// The API `description`, at `server` when another one is to be asked. `report` is told what a person should know of the records.
  /// - Throws: `usage` when the server is no http or https URL.
  public init(
    _ description: SourceDescription, server: String? = nil, transport: any HTTPTransport,
    report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    var base = server ?? description.baseURL
    while base.hasSuffix("/") { base.removeLast() }
    guard base.lowercased().hasPrefix("http://") || base.lowercased().hasPrefix("https://") else {
      throw Problem(.usage, "“\(URLText.redacted(base))” is no server", hint: "write a URL: https://host/path")
    }
    self.description = description
    self.server = base
    self.transport = transport
    self.report = report
  }

  /// The API's name.
  public var name: String { description.name }

  /// The datasets it has.
  public func tables() async throws(Problem) -> [Schema] {
    var schemas: [Schema] = []
    for dataset in description.datasets { schemas.append(try Catalog.dataset(named: dataset.name)) }
    return schemas
  }

  /// All rows of a dataset, or those that one of its queries gives.
  /// - Throws: `usage` for a dataset or query it does not have, `unavailable`, `badData` naming record and column.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard let dataset = description.datasets.first(where: { $0.name == table }) else {
      let known = description.datasets.map(\.name).joined(separator: ", ")
      throw Problem(.usage, "\(name) has no \(table)", hint: "it has: \(known)")
    }
    let schema = try Catalog.dataset(named: table)
    var path = dataset.path, query: SourceDescription.Query?
    for (key, value) in request.parameters {
      guard query == nil else { throw Problem(.usage, "\(name) can be asked for one thing at a time") }
      guard let found = dataset.queries.first(where: { $0.name == key }) else {
        let known = dataset.queries.map(\.name).joined(separator: ", ")
        throw Problem(
          .usage, "\(name) cannot be asked for \(table) by \(key)",
          hint: known.isEmpty ? "ask for all" : "it can by: \(known)")
      }
      path = found.path + (found.parameter.map { "?\($0)=\(Self.encoded(value))" } ?? "")
      query = found
    }
    guard let answer = try await ask(server + path, isRandom: query?.isRandom ?? false, isQuery: query != nil) else {
      return ReadyRows(schema: schema, batches: [])
    }
    let mapping = RecordMapping(dataset, schema, place: URLText.redacted(server + path))
    let (batches, warning) = try mapping.batches(answer, isOne: query?.isRandom ?? false)
    if let warning { report(warning) }
    return ReadyRows(schema: schema, batches: batches)
  }

  /// The answer's document; nil when a query found nothing.
  private func ask(_ url: String, isRandom: Bool, isQuery: Bool) async throws(Problem) -> JSON? {
    var request = HTTPRequest(.get, url, headers: [HTTPHeader("Accept", "application/json")], maximumBytes: 64 << 20)
    request.isStorable = !isRandom
    let place = URLText.redacted(url)
    let response = try await transport.send(request)
    let body = try await response.bytes()
    if response.status == 404, isQuery, Self.isJSON(body) { return nil }
    guard response.status == 200 else {
      throw Problem(.unavailable, "answers \(response.status)\(Self.said(body))", at: place)
    }
    if body.isEmpty, isRandom { return nil }
    guard !body.isEmpty else { throw Problem(.badData, "answers with nothing", at: place) }
    guard Self.isJSON(body) else {
      throw Problem(.badData, "answers with something that is not JSON\(Self.said(body))", at: place)
    }
    return try JSON.parse(body, name: place)
  }

  private static func isJSON(_ body: [UInt8]) -> Bool {
    let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
    guard let first = start.first(where: { ![32, 9, 10, 13].contains($0) }) else { return false }
    return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
  }

  /// The beginning of what a server said, for a message: its own `message` when there is one, without control characters.
  private static func said(_ body: [UInt8]) -> String {
    var text = String(decoding: body.prefix(400), as: UTF8.self)
    if let message = try? JSON.parse(body, name: "")["message"]?.stringValue { text = message }
    let words = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }).split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "" : ": “\(words.prefix(60))\(words.count > 60 ? "…" : "")”"
  }

  /// A value of a query, percent-encoded: everything but letters, digits and `-._~`.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
      let isPlain = byte &- 48 < 10 || (byte | 32) &- 97 < 26 || [45, 46, 95, 126].contains(byte)
      return isPlain ? [byte] : [37, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
