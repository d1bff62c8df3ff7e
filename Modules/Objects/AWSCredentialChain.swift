import Codecs
public import Domain
public import Rows
import Synchronization

/// Finds the credentials of the user in the places and in the order of other programs for AWS, keeps them, and renews
/// them before they end.
public final class AWSCredentialChain: Sendable {
  private let environment: AWSEnvironment
  private let transport: any HTTPTransport
  private let metadata: any HTTPTransport
  private let region: String
  private let known = Mutex<AWSCredentials?>(nil)

  /// Seconds before their end at which credentials are renewed.
  private static let margin: Int64 = 300
  /// Role profiles that refer to one another, at most.
  private static let deepest = 8

  /// - Parameters:
  ///   - environment: the variables, files and programs of the machine.
  ///   - region: the region of the security token service.
  ///   - transport: for the security token service and single sign-on.
  ///   - metadata: for containers and instances: without a proxy, which would send requests from elsewhere.
  public init(
    _ environment: AWSEnvironment, region: String, transport: any HTTPTransport, metadata: any HTTPTransport
  ) {
    (self.environment, self.region, self.transport, self.metadata) = (environment, region, transport, metadata)
  }

  /// The credentials.
  /// - Throws: `permission` if there are none, naming the places that were searched; `configuration` for an invalid
  ///   profile; `unavailable`.
  public func credentials() async throws(Problem) -> AWSCredentials {
    let now = environment.clock.now().seconds
    if let known = known.withLock({ $0 }), known.expiry.map({ $0 - Self.margin > now }) ?? true { return known }
    let found = try await find()
    for key in [found.accessKey, found.secretKey, found.token ?? ""] { environment.secrets.add(key) }
    known.withLock { $0 = found }
    return found
  }

  /// Forgets credentials that a server refused as expired.
  func forget(_ credentials: AWSCredentials) { known.withLock { if $0 == credentials { $0 = nil } } }

  // MARK: - The places

  private func find() async throws(Problem) -> AWSCredentials {
    let profiles = try environment.profiles(), isNamed = environment["AWS_PROFILE"] != nil
    // As the command line of AWS: a profile that was named has precedence over keys in variables only if those are
    // absent.
    if let keys = environmentKeys { return keys }
    if let file = environment["AWS_WEB_IDENTITY_TOKEN_FILE"], let role = environment["AWS_ROLE_ARN"] {
      return try await webIdentity(file, role, session: environment["AWS_ROLE_SESSION_NAME"])
    }
    let name = environment.profile
    if let found = try await profile(name, profiles, depth: 0) { return found }
    if isNamed, profiles[profile: name] == nil {
      throw Problem(
        .configuration, "AWS profile not found: “\(name)”", at: environment.configurationFile,
        hint: "set AWS_PROFILE to the name of a profile in this file")
    }
    if let found = try await container() { return found }
    if let found = await instance() { return found }
    throw Problem(
      .permission,
      "no AWS credentials found in the environment, in \(environment.credentialsFile), "
        + "in \(environment.configurationFile) or from the machine",
      hint:
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket, use s3.anonymous=true")
  }

  private var environmentKeys: AWSCredentials? {
    guard let key = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else {
      return nil
    }
    return AWSCredentials(accessKey: key, secretKey: secret, token: environment["AWS_SESSION_TOKEN"])
  }

  /// The credentials of a profile; nil if it has none.
  private func profile(
    _ name: String, _ profiles: AWSProfiles, depth: Int
  ) async throws(Problem) -> AWSCredentials? {
    guard let profile = profiles[profile: name] else { return nil }
    guard depth < Self.deepest else {
      throw Problem(.configuration, "AWS profile “\(name)” refers to itself", at: environment.configurationFile)
    }
    let keys = profile["aws_access_key_id"].flatMap { key in
      profile["aws_secret_access_key"].map {
        AWSCredentials(accessKey: key, secretKey: $0, token: profile["aws_session_token"])
      }
    }
    if let role = profile["role_arn"] {
      if let file = profile["web_identity_token_file"] {
        return try await webIdentity(environment.expanded(file), role, session: profile["role_session_name"])
      }
      let base: AWSCredentials?
      if let source = profile["source_profile"] {
        base = source == name ? keys : try await self.profile(source, profiles, depth: depth + 1)
      } else {
        switch profile["credential_source"] {
        case "Environment": base = environmentKeys
        case "EcsContainer": base = try await container()
        case "Ec2InstanceMetadata": base = await instance()
        default: base = keys
        }
      }
      guard let base else {
        throw Problem(
          .configuration, "AWS profile “\(name)” has a role, but its source has no credentials",
          at: environment.configurationFile, hint: "set source_profile to a profile with keys")
      }
      if profile["mfa_serial"] != nil {
        throw Problem(
          .configuration, "AWS profile “\(name)” requires a device code, which is not supported",
          at: environment.configurationFile, hint: "sign in with another program, and set AWS_SESSION_TOKEN")
      }
      return try await assumed(role, base, profile)
    }
    if let keys { return keys }
    if profile["sso_session"] != nil || profile["sso_start_url"] != nil {
      return try await signedOn(name, profile, profiles)
    }
    if let command = profile["credential_process"] { return try process(command, name) }
    return nil
  }

  private func process(_ command: String, _ name: String) throws(Problem) -> AWSCredentials {
    let output = try environment.output(command)
    guard let object = try? JSON.parse(output, name: "credential_process"),
      object["Version"]?.integerValue == 1, let found = Self.credentials(object, token: "SessionToken")
    else {
      // The output may hold secrets.
      throw Problem(.configuration, "credential_process of AWS profile “\(name)” printed no credentials")
    }
    return found
  }

  // MARK: - The security token service

  private func webIdentity(_ file: String, _ role: String, session: String?) async throws(Problem) -> AWSCredentials {
    guard let token = try environment.file(file) else {
      throw Problem(.configuration, "AWS_WEB_IDENTITY_TOKEN_FILE not found", at: file)
    }
    let text = String(decoding: token, as: UTF8.self).filter { !$0.isWhitespace }
    return try await tokens(
      [
        ("Action", "AssumeRoleWithWebIdentity"), ("RoleArn", role), ("RoleSessionName", session ?? "bb"),
        ("Version", "2011-06-15"), ("WebIdentityToken", text),
      ], signedBy: nil)
  }

  private func assumed(
    _ role: String, _ base: AWSCredentials, _ profile: [String: String]
  ) async throws(Problem) -> AWSCredentials {
    var parameters = [
      ("Action", "AssumeRole"), ("RoleArn", role), ("RoleSessionName", profile["role_session_name"] ?? "bb"),
      ("Version", "2011-06-15"),
    ]
    if let id = profile["external_id"] { parameters.append(("ExternalId", id)) }
    if let seconds = profile["duration_seconds"] { parameters.append(("DurationSeconds", seconds)) }
    return try await tokens(parameters, signedBy: base)
  }

  private func tokens(
    _ parameters: [(String, String)], signedBy base: AWSCredentials?
  ) async throws(Problem) -> AWSCredentials {
    let url = environment["AWS_ENDPOINT_URL_STS"] ?? "https://sts.\(region).amazonaws.com"
    var request = HTTPRequest(
      .post, url.hasSuffix("/") ? url : url + "/",
      headers: [
        HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("Accept-Encoding", "identity"),
      ],
      body: Array(AWSQuery.text(parameters).utf8), maximumBytes: 1 << 20)
    (request.isRepeatable, request.isSigned, request.isStorable) = (true, true, false)
    if let base {
      AWSSigner(credentials: base, region: region, service: "sts")
        .sign(&request, timestamp: environment.clock.now().timestamp)
    }
    let response = try await transport.send(request)
    let body = try await response.bytes(), action = parameters.first { $0.0 == "Action" }?.1 ?? ""
    let document =
      response.status == 200
      ? try S3Document(body, roots: [action + "Response"], at: URLText.redacted(url)) : S3Document(body)
    guard response.status == 200, let key = document["AccessKeyId"], let secret = document["SecretAccessKey"] else {
      let code = document["Code"] ?? "HTTP status \(response.status)"
      throw Problem(
        response.status >= 500 ? .unavailable : .permission, "cannot assume the AWS role: \(code)",
        at: URLText.redacted(url))
    }
    return AWSCredentials(
      accessKey: key, secretKey: secret, token: document["SessionToken"],
      expiry: document["Expiration"].flatMap(Self.seconds))
  }

  // MARK: - Single sign-on

  /// The credentials that a token in the cache of `aws sso login` gives.
  private func signedOn(
    _ name: String, _ profile: [String: String], _ profiles: AWSProfiles
  ) async throws(Problem) -> AWSCredentials {
    let session = profile["sso_session"].flatMap { profiles["sso-session", $0] } ?? profile
    let expired = Problem(
      .permission, "the sign-on of AWS profile “\(name)” has expired", hint: "run aws sso login")
    guard let start = session["sso_start_url"], let region = session["sso_region"],
      let account = profile["sso_account_id"], let role = profile["sso_role_name"]
    else {
      throw Problem(.configuration, "AWS profile “\(name)” is incomplete", at: environment.configurationFile)
    }
    let now = environment.clock.now().seconds
    var token: String?
    for file in environment.files(environment.expanded("~/.aws/sso/cache")) where file.hasSuffix(".json") {
      guard let bytes = try environment.file(file), let object = try? JSON.parse(bytes, name: file),
        object["startUrl"]?.stringValue == start, let found = object["accessToken"]?.stringValue,
        let end = object["expiresAt"]?.stringValue.flatMap(Self.seconds), end > now
      else { continue }
      token = found
    }
    guard let token else { throw expired }
    let url = environment["AWS_ENDPOINT_URL_SSO"] ?? "https://portal.sso.\(region).amazonaws.com"
    let query = AWSQuery.text([("account_id", account), ("role_name", role)])
    var request = HTTPRequest(
      .get, "\(url)/federation/credentials?\(query)", headers: [HTTPHeader("x-amz-sso_bearer_token", token)],
      maximumBytes: 1 << 20)
    (request.isSigned, request.isStorable) = (true, false)
    let response = try await transport.send(request), body = try await response.bytes()
    guard response.status == 200, let keys = (try? JSON.parse(body, name: "sso"))?["roleCredentials"],
      let key = keys["accessKeyId"]?.stringValue, let secret = keys["secretAccessKey"]?.stringValue
    else { throw expired }
    return AWSCredentials(
      accessKey: key, secretKey: secret, token: keys["sessionToken"]?.stringValue,
      expiry: keys["expiration"]?.integerValue.map { $0 / 1000 })
  }

  // MARK: - The machine

  private func container() async throws(Problem) -> AWSCredentials? {
    let url: String
    if let path = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
      url = "http://169.254.170.2\(path)"
    } else if let full = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] {
      let host = AWSQuery.parts(of: full).host.prefix { $0 != ":" }
      guard
        URLText.scheme(of: full) == "https"
          || ["localhost", "127.0.0.1", "169.254.170.2", "169.254.170.23"].contains(host)
      else {
        throw Problem(
          .configuration, "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or lead to this machine")
      }
      url = full
    } else {
      return nil
    }
    var headers: [HTTPHeader] = []
    if let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"], let bytes = try environment.file(file) {
      headers.append(HTTPHeader("Authorization", String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }))
    } else if let token = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] {
      headers.append(HTTPHeader("Authorization", token))
    }
    let body = try await ask(HTTPRequest(.get, url, headers: headers, timeout: .seconds(5)))
    guard let body, let object = try? JSON.parse(body, name: "credentials"),
      let found = Self.credentials(object, token: "Token")
    else { throw Problem(.permission, "the container has no AWS credentials", at: URLText.redacted(url)) }
    return found
  }

  /// The credentials of the role of an instance; nil if this is none.
  private func instance() async -> AWSCredentials? {
    if environment.isTrue("AWS_EC2_METADATA_DISABLED") { return nil }
    let server = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254"
    let base = server.hasSuffix("/") ? String(server.dropLast()) : server
    var request = HTTPRequest(
      .put, "\(base)/latest/api/token", headers: [HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600")],
      timeout: .seconds(1))
    guard let token = try? await ask(request) else { return nil }
    let headers = [HTTPHeader("X-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))]
    let path = "\(base)/latest/meta-data/iam/security-credentials/"
    request = HTTPRequest(.get, path, headers: headers, timeout: .seconds(2))
    guard let names = try? await ask(request),
      let role = String(decoding: names, as: UTF8.self).split(whereSeparator: \.isNewline).first
    else { return nil }
    request.url = path + AWSQuery.encoded(String(role))
    guard let body = try? await ask(request), let object = try? JSON.parse(body, name: "credentials") else {
      return nil
    }
    return Self.credentials(object, token: "Token")
  }

  /// The body of a small response of the machine; nil for another status than 200.
  private func ask(_ request: HTTPRequest) async throws(Problem) -> [UInt8]? {
    var request = request
    (request.isSigned, request.isStorable, request.maximumBytes) = (true, false, 1 << 16)
    let response = try await metadata.send(request), body = try await response.bytes()
    return response.status == 200 ? body : nil
  }

  private static func credentials(_ object: JSON, token: String) -> AWSCredentials? {
    guard let key = object["AccessKeyId"]?.stringValue, let secret = object["SecretAccessKey"]?.stringValue else {
      return nil
    }
    return AWSCredentials(
      accessKey: key, secretKey: secret, token: object[token]?.stringValue,
      expiry: object["Expiration"]?.stringValue.flatMap(seconds))
  }

  /// The seconds since 1970 of a time in UTC, fractions of a second omitted.
  private static func seconds(_ text: String) -> Int64? {
    let whole = text.prefix { $0 != "." && $0 != "Z" && $0 != "+" }
    return Instant(timestamp: "\(whole)Z")?.seconds
  }
}
