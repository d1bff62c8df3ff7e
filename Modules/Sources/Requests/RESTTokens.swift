import Codecs
import Domain
import Rows

/// The token that a source's credentials are exchanged for: requested once for all requests, and renewed before it
/// expires.
actor RESTTokens {
  private struct Token {
    var text: String
    var expires: ContinuousClock.Instant
  }
  private let oauth: SourceAuthorization
  private let name: String
  private let url: String
  private let transport: any HTTPTransport
  private let secrets: RESTSecretReader
  private let services: RESTSource.Services
  private var token: Token?
  private var renewal: Task<Result<Token, Problem>, Never>?
  /// The refresh token that the server issued last.
  private var refreshToken: String?
  /// Time before its end at which a token is renewed.
  private static let margin = Duration.seconds(60)

  init(
    _ oauth: SourceAuthorization, name: String, server: String, transport: any HTTPTransport,
    _ secrets: RESTSecretReader,
    _ services: RESTSource.Services
  ) {
    self.oauth = oauth
    self.name = name
    url = oauth.tokenURL.hasPrefix("/") ? server + oauth.tokenURL : oauth.tokenURL
    self.transport = transport
    self.secrets = secrets
    self.services = services
  }

  /// A token that is valid for another minute.
  /// - Throws: `unavailable` if the server issues none, `configuration` for a missing secret and for a token URL
  ///   without encryption.
  func current() async throws(Problem) -> String {
    if let token, token.expires > .now { return token.text }
    let task: Task<Result<Token, Problem>, Never>
    if let renewal {
      task = renewal
    } else {
      task = Task { await self.renewed() }
      renewal = task
    }
    return try await task.value.get().text
  }

  /// Notes that the server refused a token; returns whether another one may help.
  func refuse(_ text: String) -> Bool {
    guard let known = token, known.text == text else { return true }
    token = nil
    // A new token that is refused at once is not replaced again.
    guard refused != text else { return false }
    let isFirst = refused == nil
    refused = text
    return isFirst
  }
  private var refused: String?

  private func renewed() async -> Result<Token, Problem> {
    defer { renewal = nil }
    do throws(Problem) {
      let new = try await requested()
      token = new
      return .success(new)
    } catch {
      return .failure(error)
    }
  }

  private func requested() async throws(Problem) -> Token {
    let origin = RESTOrigin(url)
    guard origin.keepsSecrets else {
      throw Problem(.configuration, "token_url must be an https URL", at: URLText.redacted(url))
    }
    var form = [SourceParameter("grant_type", oauth.grant.rawValue)]
    if oauth.grant == .refreshToken {
      let known: String?
      if let refreshToken { known = refreshToken } else { known = try services.refreshToken(name, origin.text) }
      let refresh: String
      if let known {
        refresh = known
        secrets.secret.add(known)
      } else if let first = oauth.refreshToken {
        refresh = try secrets.value(of: first)
      } else {
        throw Problem(.configuration, "\(name) has no refresh token", hint: "add refresh_token to “auth”")
      }
      form.append(SourceParameter("refresh_token", refresh))
    }
    if let scope = oauth.scope { form.append(SourceParameter("scope", scope)) }
    let client = try secrets.value(of: oauth.clientID)
    let secret = try oauth.clientSecret.map { (place) throws(Problem) in try secrets.value(of: place) }
    var headers = [
      HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
    ]
    if oauth.sending == .basic, let secret {
      let login = "\(RESTQuery.encoded(client)):\(RESTQuery.encoded(secret))"
      let encoded = String(decoding: Base64.encoded(Array(login.utf8)), as: UTF8.self)
      secrets.secret.add(encoded)
      headers.append(HTTPHeader("Authorization", "Basic \(encoded)"))
    } else {
      form.append(SourceParameter("client_id", client))
      if let secret { form.append(SourceParameter("client_secret", secret)) }
    }
    let request = HTTPRequest(
      .post, url, headers: headers, body: Array(RESTQuery.form(form).utf8), maximumBytes: 1 << 20)
    let response = try await transport.send(request), body = try await response.bytes()
    return try await token(in: RESTDocument(url: url, status: response.status, body: body))
  }

  private func token(in document: RESTDocument) async throws(Problem) -> Token {
    guard (200...201).contains(document.status) else {
      var refusal = document.refusal
      refusal.message = "the token request was refused: \(refusal.message)"
      refusal.hint = "check the client's credentials"
      throw refusal
    }
    let answer = try JSON.parse(document.body, name: URLText.redacted(url), duplicateKeys: .kept)
    guard let text = answer["access_token"]?.stringValue, !text.isEmpty,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else {
      throw Problem(.badData, "the response has no access_token", at: URLText.redacted(url))
    }
    secrets.secret.add(text)
    if let rotated = answer["refresh_token"]?.stringValue, !rotated.isEmpty, oauth.grant == .refreshToken {
      secrets.secret.add(rotated)
      refreshToken = rotated
      try await services.keepRefreshToken(rotated, name, RESTOrigin(url).text)
    }
    let seconds = answer["expires_in"].flatMap { RESTColumnReader.integer($0) } ?? 3600
    let life = Duration.seconds(max(0, min(seconds, 1 << 31)))
    // A token of less than two minutes is used for half of its life.
    return Token(text: text, expires: .now + max(life - Self.margin, life / 2))
  }
}
