import Domain
import Rows

extension SourceAuthorization {
  static let tables: [SourceTable<SourceAuthorization>] = [
    SourceTable(
      SourceAuthorization(.bearer), name: "bearer", "send the header Authorization: Bearer",
      [variable, secretFile, prefix]),
    SourceTable(
      SourceAuthorization(.basic), name: "basic",
      "send the header Authorization: Basic; the variable contains user:password", [variable, secretFile]),
    SourceTable(
      SourceAuthorization(.query), name: "query", "send a query parameter",
      [.key("param", \.name, .matching(.word), "parameter name").required(), variable, secretFile]),
    SourceTable(
      SourceAuthorization(.header), name: "header", "send a header",
      [.key("header", \.name, .matching(.field), "header name").required(), variable, secretFile, prefix]),
    SourceTable(
      SourceAuthorization(.oauth2), name: "oauth2", "exchange secrets for a token", since: 2,
      [
        .key("grant", \.grant, .word, "grant type").required(),
        .key(
          "token_url", \.tokenURL, .matching(.link), "https URL of the token endpoint, or its path after the base URL"
        ).required(),
        .key("client_id", \.clientID, .object(secret), "client identifier").required(),
        .optional("client_secret", \.clientSecret, .object(secret), "client secret"),
        .optional("refresh_token", \.refreshToken, .object(secret), "first refresh token"),
        .optional("scope", \.scope, .text, "scope to request"),
        .key("send", \.sending, .word, "how the client's credentials are sent [default: basic]"),
      ]),
  ]
  private typealias Key = SourceKey<SourceAuthorization>
  private static let variable = Key.key(
    "env", \.variables, .oneOrMore(.matching(.variable)),
    "environment variable that contains the secret, or several to use one after the other"
  ).required(upTo: 1)
  private static let secretFile = Key.optional(
    "file", \.file, .matching(.line), "file that contains the secret", since: 2)
  private static let prefix = Key.optional("prefix", \.prefix, .text, "text before the secret", since: 2)
  private static let secret = SourceTable(
    SourceSecret(), "the place of a secret: env or file",
    [
      .optional("env", \.variable, .matching(.variable), "environment variable that contains the secret"),
      .optional("file", \.file, .matching(.line), "file that contains the secret"),
    ])

  /// The statement of one key about another.
  static func check(_ node: SourceNode, _ problems: SourceProblems) {
    guard node["type"]?.text == "oauth2" else {
      if (node["env"] == nil) == (node["file"] == nil) {
        problems.note(
          node.problem(node["env"] == nil ? "missing “env”" : "“env” and “file” cannot be used together"))
      }
      return
    }
    let grant = node["grant"].flatMap { Grant(rawValue: $0.text) } ?? .clientCredentials
    let needed = grant == .clientCredentials ? "client_secret" : "refresh_token"
    if node[needed] == nil { problems.note(node.problem("missing “\(needed)”")) }
    if grant == .clientCredentials, let token = node["refresh_token"] {
      problems.note(token.problem("applies only to the grant refresh_token"))
    }
    // A path is one of the API; the host may be a variable.
    if let url = node["token_url"], URLText.isWeb(url.text), !url.text.contains("://{"),
      !RESTOrigin(url.text).keepsSecrets
    {
      problems.note(
        url.problem("expected an https URL, found \(RESTText.firstWords(Array(URLText.redacted(url.text).utf8)))"))
    }
  }
}
