/// The authorization of a request. Secrets are in environment variables or files, never in descriptions.
public enum SourceAuthorization: Sendable, Hashable {
  /// It does not.
  case none
  /// `Authorization: Bearer …` with the value of a variable.
  case bearer(variable: String)
  /// `Authorization: Basic …` from a variable that holds `user:password`.
  case basic(variable: String)
  /// A query parameter with the value of a variable.
  case query(parameter: String, variable: String)
  /// A header field with the value of a variable.
  case header(name: String, variable: String)
  /// A secret from one of several places.
  case key(SourceKey)
  /// A token that the secrets are exchanged for.
  case oauth2(SourceOAuth)
  /// All of these.
  case several([SourceAuthorization])

  /// The variables that hold the secrets.
  public var variables: [String] {
    switch self {
    case .none: []
    case .bearer(let variable), .basic(let variable), .query(_, let variable), .header(_, let variable): [variable]
    case .key(let key): key.secrets.compactMap(\.variable)
    case .oauth2(let oauth): [oauth.clientID, oauth.clientSecret, oauth.refreshToken].compactMap { $0?.variable }
    case .several(let all): all.flatMap(\.variables)
    }
  }
}

/// A place of a secret.
public enum SourceSecret: Sendable, Hashable {
  /// An environment variable.
  case variable(String)
  /// A file, whose last line end does not count.
  case file(String)

  var variable: String? { if case .variable(let name) = self { name } else { nil } }
}

/// A secret, and the part of a request that carries it.
public struct SourceKey: Sendable, Hashable {
  /// The part of the request.
  public enum Placement: Sendable, Hashable {
    case bearer, basic
    case query(parameter: String)
    case header(name: String)
  }
  /// The part of the request.
  public var placement: Placement
  /// The secrets: the next is used when the server refuses one.
  public var secrets: [SourceSecret]
  /// The text before the secret in a header field; nil for `Bearer ` of a bearer, and no text for others.
  public var prefix: String?
  /// A key.
  public init(_ placement: Placement, _ secrets: [SourceSecret], prefix: String? = nil) {
    self.placement = placement
    self.secrets = secrets
    self.prefix = prefix
  }
}

/// OAuth 2 without a user: secrets are exchanged for a token that expires.
public struct SourceOAuth: Sendable, Hashable {
  /// The grant types.
  public enum Grant: String, Sendable, Hashable, CaseIterable {
    case clientCredentials = "client_credentials"
    case refreshToken = "refresh_token"
  }
  /// The place of the client's credentials in a token request.
  public enum Sending: String, Sendable, Hashable, CaseIterable { case basic, body }
  /// The grant type.
  public var grant: Grant
  /// The URL of the token endpoint, or its path after the base URL.
  public var tokenURL: String
  /// The client's identifier.
  public var clientID: SourceSecret
  /// The client's secret; nil for a public client.
  public var clientSecret: SourceSecret?
  /// The first refresh token; nil for `clientCredentials`.
  public var refreshToken: SourceSecret?
  /// The scope that is requested; nil for none.
  public var scope: String?
  /// The place of the client's credentials in a token request.
  public var sending: Sending
  /// A token request.
  public init(
    _ grant: Grant, tokenURL: String, clientID: SourceSecret, clientSecret: SourceSecret? = nil,
    refreshToken: SourceSecret? = nil, scope: String? = nil, sending: Sending = .basic
  ) {
    self.grant = grant
    self.tokenURL = tokenURL
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.refreshToken = refreshToken
    self.scope = scope
    self.sending = sending
  }
}
