/// An authorization of requests. Secrets are in environment variables or files, never in descriptions.
public struct SourceAuthorization: Sendable, Hashable {
  /// The part of a request that carries the secret, or the token that secrets are exchanged for.
  public enum Kind: String, Sendable, Hashable, CaseIterable { case bearer, basic, query, header, oauth2 }
  /// The grant types of OAuth 2 without a user.
  enum Grant: String, Sendable, Hashable, CaseIterable {
    case clientCredentials = "client_credentials"
    case refreshToken = "refresh_token"
  }
  /// The place of the client's credentials in a token request.
  enum Sending: String, Sendable, Hashable, CaseIterable { case basic, body }

  var type: Kind
  /// The query parameter or the header field with the secret.
  var name = ""
  /// The environment variables with secrets: the next is used when the server refuses one.
  var variables: [String]
  /// The file with the secret, in place of variables.
  var file: String?
  /// The text before the secret in a header field; nil for `Bearer ` of a bearer, and no text for others.
  var prefix: String?
  var grant = Grant.clientCredentials
  /// The URL of the token endpoint, or its path after the base URL.
  public var tokenURL = ""
  var clientID = SourceSecret()
  /// The client's secret; nil for a public client.
  var clientSecret: SourceSecret?
  /// The first refresh token; nil for `clientCredentials`.
  var refreshToken: SourceSecret?
  /// The scope that is requested; nil for none.
  var scope: String?
  /// The place of the client's credentials in a token request.
  var sending = Sending.basic

  /// A secret in an environment variable.
  /// `name` is the query parameter or the header field.
  public init(_ type: Kind, _ name: String = "", variable: String? = nil) {
    (self.type, self.name, variables) = (type, name, variable.map { [$0] } ?? [])
  }

  /// The places of the secrets that are sent.
  var secrets: [SourceSecret] {
    variables.map { SourceSecret(variable: $0) } + (file.map { [SourceSecret(file: $0)] } ?? [])
  }
  /// All variables that hold secrets.
  public var allVariables: [String] {
    variables + [clientID, clientSecret, refreshToken].compactMap { $0?.variable }
  }
}

struct SourceSecret: Sendable, Hashable {
  var variable: String?
  /// A file, whose last line end does not count.
  var file: String?
  init(variable: String? = nil, file: String? = nil) { (self.variable, self.file) = (variable, file) }
}
