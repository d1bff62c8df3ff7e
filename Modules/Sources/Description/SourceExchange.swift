import Codecs
public import Domain
public import Rows

/// A request of a source and its response, without secrets.
public struct SourceExchange: Sendable, Hashable {
  /// `GET` or `POST`.
  public var method: String
  /// The URL.
  public var url: String
  /// The body of the request; empty for none.
  var sent: String
  /// The status of the response; 0 before there is one.
  var status = 0
  /// The header fields of the response that its reader needs.
  public var headers: [HTTPHeader] = []
  var body: [UInt8] = []

  init(method: String, url: String, sent: String) {
    (self.method, self.url, self.sent) = (method, url, sent)
  }

  /// The text that tells requests apart: method, path, parameters in any order, and body, but not the server.
  public var identity: String {
    let whole = url.prefix { $0 != "#" }
    let place = whole.firstRange(of: "://").map { whole[$0.upperBound...].drop { $0 != "/" && $0 != "?" } } ?? whole
    let path = place.prefix { $0 != "?" }
    let parameters = place.dropFirst(path.count + 1).split(separator: "&").sorted()
    // A secret that was removed may have been encoded since.
    return [method, String(path), parameters.joined(separator: "&"), sent].joined(separator: "\n")
      .replacing("%E2%80%A6", with: "…")
  }
}

/// Responses of a source's server, kept in order to test its definition without a network.
public struct SourceRecording: Sendable {
  /// The requests and responses.
  public var exchanges: [SourceExchange] = []
  /// The part that was read.
  public var sample = SourceSample()
  /// The values of variables that are not secret, by name.
  public var variables: [String: String] = [:]
  /// The date of the recording, `2024-05-17`.
  public var today = ""
  /// The datasets that were read.
  public var datasets: [String] = []

  /// An empty recording.
  public init() {}
}

extension SourceRecording {
  /// The key of the version number.
  private static let mark = "bb_recording"
  private static let version: Int64 = 1

  /// The recording as a file: bodies that are JSON as JSON, others as text or in base64.
  public var bytes: [UInt8] {
    let kept = exchanges.map { exchange -> JSON in
      var members: [JSON.Member] = [
        JSON.Member("method", .string(exchange.method)), JSON.Member("url", .string(exchange.url)),
      ]
      if !exchange.sent.isEmpty { members.append(JSON.Member("sent", .string(exchange.sent))) }
      members.append(JSON.Member("status", .number(Int64(exchange.status))))
      members.append(
        JSON.Member("headers", .array(exchange.headers.map { .array([.string($0.name), .string($0.value)]) })))
      if let document = try? JSON.parse(exchange.body, name: "") {
        members.append(JSON.Member("json", document))
      } else if let text = String(validating: exchange.body, as: UTF8.self) {
        members.append(JSON.Member("text", .string(text)))
      } else {
        members.append(JSON.Member("base64", .string(Base64.encoded(exchange.body))))
      }
      return .object(members)
    }
    return JSON.object([
      JSON.Member(Self.mark, .number(Self.version)), JSON.Member("today", .string(today)),
      JSON.Member("pages", .number(Int64(sample.pages))),
      JSON.Member(
        "variables", .object(variables.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) })),
      JSON.Member("datasets", .array(datasets.map { .string($0) })), JSON.Member("exchanges", .array(kept)),
    ]).indentedBytes()
  }

  /// Whether a file is a recording.
  public static func isRecording(_ bytes: [UInt8]) -> Bool {
    (try? JSON.parse(bytes, name: ""))?[mark] != nil
  }

  /// Reads a recording.
  /// - Throws: `badData` for another file, `configuration` for a recording of a later version.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    let document = try JSON.parse(bytes, name: name)
    guard let version = document[Self.mark]?.integerValue else {
      throw Problem(.badData, "not a recording of a source", at: name)
    }
    guard version <= Self.version else {
      throw Problem(
        .configuration, "unsupported recording format \(version); this program supports up to \(Self.version)",
        at: name, hint: "use a newer version of bb")
    }
    self.init()
    today = document["today"]?.stringValue ?? ""
    sample.pages = document["pages"]?.integerValue.flatMap { Int(exactly: $0) } ?? sample.pages
    datasets = (document["datasets"]?.arrayValue ?? []).compactMap(\.stringValue)
    for member in document["variables"]?.objectMembers ?? [] { variables[member.name] = member.value.stringValue }
    for (position, node) in (document["exchanges"]?.arrayValue ?? []).enumerated() {
      guard let method = node["method"]?.stringValue, let url = node["url"]?.stringValue,
        let status = node["status"]?.integerValue.flatMap({ Int(exactly: $0) }),
        let body = node["json"]?.canonicalBytes ?? node["text"]?.stringBytes
          ?? node["base64"]?.stringBytes.flatMap(Base64.decode)
      else { throw Problem(.badData, "/exchanges/\(position): incomplete response", at: name) }
      var exchange = SourceExchange(method: method, url: url, sent: node["sent"]?.stringValue ?? "")
      exchange.status = status
      for pair in node["headers"]?.arrayValue ?? [] {
        guard let name = pair[0]?.stringValue, let value = pair[1]?.stringValue else { continue }
        exchange.headers.append(HTTPHeader(name, value))
      }
      exchange.body = body
      exchanges.append(exchange)
    }
  }
}
