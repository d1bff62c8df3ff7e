import Domain
import Codecs
import Rows

/// Makes an authorization out of its node in a source's file.
struct SourceFileAuthorization {
  private let problems: SourceProblems

  init(_ problems: SourceProblems) { self.problems = problems }

  /// The authorization, or several.
  func authorization(_ node: SourceNode) -> SourceAuthorization {
    guard node.json.arrayValue != nil else { return one(node) }
    return .several(node.elements.map(one))
  }

  private func one(_ node: SourceNode) -> SourceAuthorization {
    let placement: SourceKey.Placement
    switch node["type"]?.text {
    case "oauth2": return oauth(node)
    case "bearer": placement = .bearer
    case "basic": placement = .basic
    case "query": placement = .query(parameter: node["param"]?.text ?? "")
    default: placement = .header(name: node["header"]?.text ?? "")
    }
    let variables = node["env"]?.oneOrMore.map(\.text) ?? [], file = node["file"]?.text
    if variables.isEmpty == (file == nil) {
      problems.note(node.problem(file == nil ? "missing “env”" : "“env” and “file” cannot be used together"))
    }
    if variables.count == 1, file == nil, node["prefix"] == nil, let variable = variables.first {
      switch placement {
      case .bearer: return .bearer(variable: variable)
      case .basic: return .basic(variable: variable)
      case .query(let parameter): return .query(parameter: parameter, variable: variable)
      case .header(let name): return .header(name: name, variable: variable)
      }
    }
    let secrets = variables.map { SourceSecret.variable($0) } + (file.map { [.file($0)] } ?? [])
    return .key(SourceKey(placement, secrets, prefix: node["prefix"]?.text))
  }

  private func oauth(_ node: SourceNode) -> SourceAuthorization {
    let grant = node["grant"].flatMap { SourceOAuth.Grant(rawValue: $0.text) } ?? .clientCredentials
    if grant == .clientCredentials, node["client_secret"] == nil {
      problems.note(node.problem("missing “client_secret”"))
    }
    if grant == .refreshToken, node["refresh_token"] == nil { problems.note(node.problem("missing “refresh_token”")) }
    if grant == .clientCredentials, let token = node["refresh_token"] {
      problems.note(token.problem("applies only to the grant refresh_token"))
    }
    // A path is one of the API; the host may be a variable.
    if let url = node["token_url"], URLText.isWeb(url.text), !url.text.contains("://{"),
      !RESTOrigin(url.text).keepsSecrets
    {
      problems.note(url.problem("expected an https URL, found \(RESTText.firstWords(Array(url.text.utf8)))"))
    }
    return .oauth2(
      SourceOAuth(
        grant, tokenURL: node["token_url"]?.text ?? "", clientID: secret(node["client_id"]),
        clientSecret: node["client_secret"].map(secret), refreshToken: node["refresh_token"].map(secret),
        scope: node["scope"]?.text, sending: node["send"].flatMap { SourceOAuth.Sending(rawValue: $0.text) } ?? .basic))
  }

  private func secret(_ node: SourceNode?) -> SourceSecret {
    if let file = node?["file"] { return .file(file.text) }
    return .variable(node?["env"]?.text ?? "")
  }
}
