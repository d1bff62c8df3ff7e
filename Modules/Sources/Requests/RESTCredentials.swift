import Codecs
import Domain
import Rows
import Synchronization

/// Adds the keys and tokens of a source to its requests, and replaces those that the server refuses.
final class RESTCredentials: Sendable {
  struct Signed {
    var url: String
    var headers: [HTTPHeader]
    /// Whether there are keys that were not tried yet.
    var hasOthers = false
    /// The number of each key that was used, by position of the authorization.
    fileprivate var used: [Int] = []
    fileprivate var tokens: [(position: Int, token: String)] = []
  }

  private let name: String
  private let server: String
  private let origin: RESTOrigin
  private let sourceHeaders: [SourceParameter]
  private let authorizations: [SourceAuthorization]
  private let environment: [String: String]
  private let services: RESTSource.Services
  private let secret: Secrets
  private let tokens: [RESTTokens?]
  /// The number of the key that is used now, by position of the authorization; how many were refused in a row.
  private let current: Mutex<[(key: Int, refused: Int)]>

  init(
    _ description: APIDescription, server: String, transport: any HTTPTransport, environment: [String: String],
    services: RESTSource.Services, secret: Secrets
  ) {
    name = description.name
    self.server = server
    origin = RESTOrigin(server)
    sourceHeaders = description.headers
    let authorizations = description.authorization
    self.authorizations = authorizations
    self.environment = environment
    self.services = services
    self.secret = secret
    let reader = RESTSecretReader(name: description.name, environment: environment, services: services, secret: secret)
    tokens = authorizations.map { authorization in
      guard authorization.type == .oauth2 else { return nil }
      return RESTTokens(authorization, name: description.name, server: server, transport: transport, reader, services)
    }
    current = Mutex(authorizations.map { _ in (0, 0) })
  }

  private var reader: RESTSecretReader {
    RESTSecretReader(name: name, environment: environment, services: services, secret: secret)
  }

  /// The URL and the header fields of a request: the configured ones, the authorization, and `Accept`. Another origin
  /// than the source's own receives only the last.
  /// - Throws: `configuration` if a secret is not set; what the token request throws.
  func signed(_ call: RESTCall) async throws(Problem) -> Signed {
    let accept = HTTPHeader("Accept", call.format.accepted)
    let url = call.url
    // Most URLs are the server's own, followed by a path.
    let isBelow = url.hasPrefix(server) && url.utf8.dropFirst(server.utf8.count).first == UInt8(ascii: "/")
    guard isBelow || RESTOrigin(url) == origin else { return Signed(url: url, headers: [accept]) }
    var signed = Signed(url: url, headers: sourceHeaders.map { HTTPHeader($0.name, $0.value) })
    for header in call.headers {
      signed.headers.removeAll { $0.isCalled(header.name) }
      signed.headers.append(HTTPHeader(header.name, header.value))
    }
    if !signed.headers.contains(where: { $0.isCalled("accept") }) { signed.headers.insert(accept, at: 0) }
    let positions = current.withLock { $0 }
    for (position, authorization) in authorizations.enumerated() {
      signed.used.append(positions[position].key)
      if let tokens = tokens[position] {
        let token = try await tokens.current()
        signed.tokens.append((position, token))
        try add(authorization, token, to: &signed)
        continue
      }
      let secrets = authorization.secrets, number = positions[position].key % max(1, secrets.count)
      guard secrets.indices.contains(number) else { continue }
      try add(authorization, try reader.value(of: secrets[number]), to: &signed)
      if positions[position].refused + 1 < secrets.count { signed.hasOthers = true }
    }
    return signed
  }

  private func add(
    _ authorization: SourceAuthorization, _ value: String, to signed: inout Signed
  ) throws(Problem) {
    let name = authorization.name, prefix = authorization.prefix
    switch authorization.type {
    case .bearer, .oauth2: signed.headers.append(HTTPHeader("Authorization", (prefix ?? "Bearer ") + value))
    case .basic:
      let login = String(decoding: Base64.encoded(Array(value.utf8)), as: UTF8.self)
      secret.add(login)
      if let password = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first {
        secret.add(String(password))
      }
      signed.headers.append(HTTPHeader("Authorization", (prefix ?? "Basic ") + login))
    case .header: signed.headers.append(HTTPHeader(name, (prefix ?? "") + value))
    case .query:
      // A link that the server gave may have the key already, or what it shows instead of it.
      var query = RESTQuery(path: RESTQuery.without(name, signed.url), parameters: [])
      query.parameters = [SourceParameter(name, value)]
      signed.url = query.text
    }
  }

  /// Replaces what the server refused; returns whether the request is worth another attempt.
  func recover(from status: Int, _ signed: Signed) async throws(Problem) -> Bool {
    for (position, token) in signed.tokens where status == 401 {
      if await tokens[position]?.refuse(token) == true { return true }
    }
    return current.withLock { current in
      var isWorthwhile = false
      for (position, used) in signed.used.enumerated() {
        let count = authorizations[position].secrets.count
        guard count > 1 else { continue }
        if current[position].key != used {
          // Another request has replaced it already.
          isWorthwhile = true
        } else if current[position].refused + 1 < count {
          current[position].key = (used + 1) % count
          current[position].refused += 1
          isWorthwhile = true
        }
      }
      return isWorthwhile
    }
  }
}

/// Reads secrets, and notes them so that messages do not contain them.
struct RESTSecretReader: Sendable {
  let name: String
  let environment: [String: String]
  let services: RESTSource.Services
  let secret: Secrets

  /// The value of a secret.
  /// - Throws: `configuration` for one that is not set, or has control characters.
  func value(of place: SourceSecret) throws(Problem) -> String {
    guard let path = place.file else { return try variable(place.variable ?? "") }
    var text = try services.secret(path)
    if text.hasSuffix("\n") { text.removeLast() }
    return try checked(text, "the file \(path)")
  }

  private func variable(_ variable: String) throws(Problem) -> String {
    guard let value = environment[variable], !value.isEmpty else {
      throw Problem(
        .configuration, "\(name) requires a key, but the environment variable \(variable) is not set",
        hint: "export \(variable)=…")
    }
    return try checked(value, "the environment variable \(variable)")
  }

  private func checked(_ value: String, _ place: String) throws(Problem) -> String {
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw Problem(
        .configuration, value.isEmpty ? "\(place) is empty" : "\(place) contains control characters",
        hint: "set it again")
    }
    secret.add(value)
    return value
  }
}

extension SourceResponseFormat {
  /// The value of the header field `Accept`.
  var accepted: String {
    switch name {
    case nil, .json?: "application/json"
    case .ndjson?: "application/x-ndjson, application/json;q=0.5"
    case .csv?: "text/csv, */*;q=0.5"
    case .xml?: "application/xml, text/xml, application/atom+xml, */*;q=0.5"
    }
  }
}
