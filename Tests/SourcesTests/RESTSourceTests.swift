import Domain
import Query
import Rows
import Sources
import Synchronization
import Testing

/// A server of given responses, by path and query; anything else is 404. Records the requests.
final class CannedServer: HTTPTransport {
  let requests = Mutex<[HTTPRequest]>([])
  private let answers: [String: (status: Int, headers: [HTTPHeader], body: String)]

  init(_ answers: [String: String]) { self.answers = answers.mapValues { (200, [], $0) } }
  init(_ answers: [String: (status: Int, headers: [HTTPHeader], body: String)]) { self.answers = answers }

  var asked: [String] { requests.withLock { $0.map { String($0.url.dropFirst("https://h".count)) } } }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    requests.withLock { $0.append(request) }
    let path = String(request.url.dropFirst("https://h".count))
    let answer = answers[path] ?? (404, [], "<!DOCTYPE html><title>404</title>")
    return HTTPResponse(
      status: answer.status, headers: HTTPFields(answer.headers), url: request.url,
      body: SingleChunkBody(bytes: Array(answer.body.utf8)))
  }

  private struct SingleChunkBody: AsyncSequence, Sendable {
    typealias Failure = Problem
    let bytes: [UInt8]
    struct AsyncIterator: AsyncIteratorProtocol {
      var bytes: [UInt8]?
      mutating func next() async throws(Problem) -> [UInt8]? {
        defer { bytes = nil }
        return bytes
      }
      mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> [UInt8]? {
        defer { bytes = nil }
        return bytes
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes) }
  }
}

/// The rows of a source as text, with bars between the columns, and its warnings.
struct Outcome {
  var rows: [String] = []
  var warnings: [String] = []

  init(
    _ source: APIDescription, _ table: String, _ server: CannedServer, columns: [String]? = nil,
    selection: Selection? = nil, parameters: [String: String] = [:], environment: [String: String] = [:],
    stored: (any RecordSource)? = nil
  ) async throws {
    let notes = Notes()
    let rest = try RESTSource(
      source, server: "https://h", transport: server, environment: environment, stored: stored, report: notes.add)
    let stream = try await rest.rows(
      of: table, RowRequest(columns: columns, selection: selection, parameters: parameters))
    let positions = (columns ?? stream.schema.columns.map(\.name)).compactMap(stream.schema.position)
    for batch in try await stream.collect() {
      for row in 0..<batch.count {
        rows.append(positions.map { Self.shown(batch.value(row, $0)) }.joined(separator: "|"))
      }
    }
    warnings = notes.lines
  }

  private final class Notes: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  private static func shown(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .number(let bytes), .text(let bytes), .json(let bytes), .bytes(let bytes):
      String(decoding: bytes, as: UTF8.self)
    }
  }
}

@Suite("the Breaking Bad API as a value") struct RESTSourceTests {
  @Test("duplicate ids are numbered in order, and reported once") func occurrences() async throws {
    let quotes = (0..<4).map { #"{"quote_id": \#([9, 3, 9, 9][$0]), "quote": "q\#($0)", "episode": 101}"# }
    let got = try await Outcome(
      .breakingBad, "quotes", CannedServer(["/quotes": "[\(quotes.joined(separator: ","))]"]),
      columns: ["id", "occurrence", "quote"])
    #expect(got.rows == ["3|1|q1", "9|1|q0", "9|2|q2", "9|3|q3"])
    #expect(got.warnings == ["quotes: id 9 occurs more than once; all records were kept, distinguished by occurrence"])
  }
  @Test(
    "placeholders, partial dates and words for a status are converted",
    arguments: [
      (#""birthday": "Unknown""#, "birthday", "null"), (#""birthday": "1958""#, "birthday", "1958"),
      (#""birthday": "March 1966""#, "birthday", "1966-03"), (#""birthday": "09-07-1958""#, "birthday", "1958-09-07"),
      (#""status": "Deceased""#, "status", "dead"), (#""status": "?""#, "status", "unknown"),
      (#""status": "Presumed dead""#, "status", "presumed dead"), (#""status": null"#, "status", "unknown"),
      (#""aliases": []"#, "aliases", "[]"), (#""aliases": ["a, b", ""]"#, "aliases", #"["a, b"]"#),
      (#""occupations": ["Unknown"]"#, "occupations", "null"), (#""full_name": " ? ""#, "full_name", "null"),
      (#""full_name": "Jesus, Payan, Jr.""#, "full_name", "Jesus, Payan, Jr."),
      (#""appearance": {"el_camino": [1]}"#, "el_camino", "true"),
      (#""appearance": {"el_camino": []}"#, "el_camino", "false"),
      (#""appearance": {"breaking_bad": ["1", 2]}"#, "breaking_bad_seasons", "[1,2]"),
    ])
  func characters(field: String, column: String, value: String) async throws {
    let server = CannedServer(["/characters": #"[{"character_id": " 1", "name": "n", \#(field)}]"#])
    let got = try await Outcome(.breakingBad, "characters", server, columns: ["id", column])
    #expect(got.rows == ["1|\(value)"] && got.warnings.isEmpty)
  }
  @Test("nonsense that is known becomes null with a warning; a new word is kept with one") func warnings() async throws
  {
    let server = CannedServer([
      "/characters": #"[{"character_id": 1, "name": "n", "birthday": "Invalid date", "status": "Missing"}]"#
    ])
    let got = try await Outcome(.breakingBad, "characters", server, columns: ["birthday", "status"])
    #expect(got.rows == ["null|Missing"] && got.warnings.count == 2)
  }
  @Test("a name is requested exactly and encoded; an unknown name gives no rows") func names() async throws {
    let server = CannedServer([
      "/characters?name=Tom%C3%A1s%20%26%20Co": (
        404, [], #"{"message":"No character found, check spelling or character name"}"#
      )
    ])
    let got = try await Outcome(.breakingBad, "characters", server, parameters: ["name": "Tomás & Co"])
    #expect(got.rows.isEmpty && server.asked == ["/characters?name=Tom%C3%A1s%20%26%20Co"])
  }
  @Test("a web page with status 404 is not a response to a name") func page() async throws {
    let problem = await #expect(throws: Problem.self) {
      try await Outcome(.breakingBad, "characters", CannedServer([String: String]()), parameters: ["name": "x"])
    }
    #expect(problem?.kind == .unavailable && problem?.place == "https://h/characters?name=x")
  }
  @Test("a random record is an object, not stored, or nothing if the server has none") func random() async throws {
    let server = CannedServer([
      "/quotes/random": #"{"quote_id": 70, "quote": "q"}"#, "/quotes/random?character=Nobody": "",
    ])
    let one = try await Outcome(.breakingBad, "quotes", server, columns: ["id"], parameters: ["random": "1"])
    let none = try await Outcome(.breakingBad, "quotes", server, parameters: ["random": "1", "name": "Nobody"])
    #expect(one.rows == ["70"] && none.rows.isEmpty)
    #expect(server.requests.withLock { $0.allSatisfy { !$0.isStorable } })
  }
  @Test("an invalid episode number is reported with its record") func misfit() async throws {
    let problem = await #expect(throws: Problem.self) {
      let answer =
        #"[{"quote_id": 1, "quote": "a", "episode": 101}, {"quote_id": 2, "quote": "b", "episode": "x\u001b[31m"}]"#
      return try await Outcome(.breakingBad, "quotes", CannedServer(["/quotes": answer]))
    }
    #expect(problem?.kind == .badData && problem?.message.contains("record 2 (id 2), season") == true)
    #expect(problem?.message.contains("\u{1B}") == false)
  }
  @Test("every selector, format and column of the built-in sources is right", arguments: APIDescription.builtIn)
  func wellFormed(source: APIDescription) async throws {
    let rest = try RESTSource(source.withUsualVariables, transport: CannedServer([String: String]())) { _ in }
    #expect(try await rest.tables().map(\.name) == source.datasets.map(\.schema.name))
    for dataset in source.datasets {
      let mapped = dataset.columns.map(\.name) + dataset.supplements.flatMap { $0.columns.map(\.name) }
      #expect(Set(mapped).count == mapped.count)
      for name in mapped { #expect(dataset.schema.position(of: name) != nil, "\(source.name) \(name)") }
      for position in dataset.schema.key {
        let name = dataset.schema.columns[position].name
        #expect(mapped.contains(name) || name == dataset.occurrence, "the key \(name) is filled")
      }
    }
  }
}
