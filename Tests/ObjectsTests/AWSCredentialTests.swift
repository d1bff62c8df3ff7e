import Codecs
import Domain
import Rows
import Synchronization
import Testing

@testable import Objects

@Suite("AWS credentials") struct AWSCredentialTests {
  /// A machine with these variables, files and responses; notes the requests.
  private final class Machine: HTTPTransport {
    let variables: [String: String], texts: [String: String], commands: [String: String]
    let responses: [String: String]
    let requests = Mutex<[HTTPRequest]>([])
    let time = Mutex<Int64>(1_700_000_000)

    init(
      _ variables: [String: String] = [:], files: [String: String] = [:], commands: [String: String] = [:],
      responses: [String: String] = [:]
    ) { (self.variables, texts, self.commands, self.responses) = (variables, files, commands, responses) }

    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      requests.withLock { $0.append(request) }
      guard let text = responses["\(request.method.rawValue) \(request.url)"] else {
        throw Problem(.unavailable, "connection failed", at: request.url)
      }
      return MemoryS3.xml(text)
    }

    private struct MachineClock: WallClock {
      let machine: Machine
      func now() -> Instant { Instant(seconds: machine.time.withLock { $0 }) }
    }

    var chain: AWSCredentialChain {
      let texts = self.texts, commands = self.commands
      return AWSCredentialChain(
        AWSEnvironment(
          variables: variables.merging(["HOME": "/home/u"]) { own, _ in own }, clock: MachineClock(machine: self),
          file: { (path) throws(Problem) in texts[path].map { Array($0.utf8) } },
          files: { directory in texts.keys.filter { $0.hasPrefix(directory + "/") } },
          output: { (command) throws(Problem) in Array((commands[command] ?? "").utf8) }),
        region: "eu-west-1", transport: self, metadata: self)
    }
  }

  private static let keys = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"]
  private static func role(_ action: String = "AssumeRole") -> String {
    "<\(action)Response><Credentials><AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
      + "<Expiration>2023-11-14T23:13:20Z</Expiration></Credentials></\(action)Response>"
  }
  private static let json = #"{"Code":"Success","AccessKeyId":"JSON","SecretAccessKey":"s","Token":"t"}"#

  @Test("variables come first") func variables() async throws {
    let machine = Machine(
      Self.keys.merging(["AWS_SESSION_TOKEN": "t", "AWS_PROFILE": "p"]) { a, _ in a },
      files: ["/home/u/.aws/credentials": "[p]\naws_access_key_id = FILE\naws_secret_access_key = s\n"])
    let found = try await machine.chain.credentials()
    #expect(found == AWSCredentials(accessKey: "ENV", secretKey: "s", token: "t"))
  }

  @Test("profiles of both files, with comments and spaces", arguments: ["default", "work", "spaced name"])
  func profiles(name: String) async throws {
    let machine = Machine(
      ["AWS_PROFILE": name],
      files: [
        "/home/u/.aws/credentials":
          "# keys\n[default]\naws_access_key_id=default\naws_secret_access_key=a/b+c= # not a part\n\n[ work ]\naws_access_key_id = work\naws_secret_access_key = x\n",
        "/home/u/.aws/config":
          "[profile work]\nregion = eu-west-1\ns3 =\n  addressing_style = path\n[profile spaced name]\naws_access_key_id = spaced name\naws_secret_access_key = s\n",
      ])
    let found = try await machine.chain.credentials()
    #expect(found.accessKey == name)
    if name == "default" { #expect(found.secretKey == "a/b+c=") }
  }

  @Test("the places of the files") func otherFiles() async throws {
    let machine = Machine(
      ["AWS_SHARED_CREDENTIALS_FILE": "~/keys"],
      files: ["/home/u/keys": "[default]\naws_access_key_id = A\naws_secret_access_key = s\n"])
    #expect(try await machine.chain.credentials().accessKey == "A")
  }

  @Test("a role is assumed with the keys of another profile, and renewed before it ends") func role() async throws {
    let machine = Machine(
      ["AWS_PROFILE": "admin"],
      files: [
        "/home/u/.aws/config":
          "[profile admin]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = default\nexternal_id = e\n[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
      ], responses: ["POST https://sts.eu-west-1.amazonaws.com/": Self.role()])
    let chain = machine.chain
    #expect(try await chain.credentials().accessKey == "ROLE")
    _ = try await chain.credentials()
    #expect(machine.requests.withLock { $0.count } == 1)
    machine.time.withLock { $0 += 3400 }
    _ = try await chain.credentials()
    let requests = machine.requests.withLock { $0 }, body = String(decoding: requests[0].body, as: UTF8.self)
    #expect(
      requests.count == 2 && body.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr") && body.contains("ExternalId=e")
    )
    #expect(
      requests[0].headers.contains { $0.name == "Authorization" && $0.value.contains("A/20231114/eu-west-1/sts/") })
  }

  @Test("a web identity") func webIdentity() async throws {
    let machine = Machine(
      ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:r"], files: ["/token": "jwt\n"],
      responses: ["POST https://sts.eu-west-1.amazonaws.com/": Self.role("AssumeRoleWithWebIdentity")])
    #expect(try await machine.chain.credentials().accessKey == "ROLE")
    let request = machine.requests.withLock { $0[0] }
    #expect(String(decoding: request.body, as: UTF8.self).hasSuffix("WebIdentityToken=jwt"))
    #expect(!request.headers.contains { $0.name == "Authorization" })
  }

  @Test("the output of a program") func process() async throws {
    let machine = Machine(
      files: ["/home/u/.aws/config": "[default]\ncredential_process = /bin/keys --x \"y z\"\n"],
      commands: [
        "/bin/keys --x \"y z\"":
          #"{"Version":1,"AccessKeyId":"P","SecretAccessKey":"s","SessionToken":"t","Expiration":"2030-01-01T00:00:00Z"}"#
      ])
    let found = try await machine.chain.credentials()
    #expect(found.accessKey == "P" && found.token == "t" && found.expiry == 1_893_456_000)
  }

  @Test("an invalid output does not get into the message") func invalidProcess() async throws {
    let machine = Machine(
      files: ["/home/u/.aws/config": "[default]\ncredential_process = keys\n"], commands: ["keys": "SECRET"])
    await #expect {
      try await machine.chain.credentials()
    } throws: { error in (error as? Problem)?.kind == .configuration && !"\(error)".contains("SECRET") }
  }

  @Test("single sign-on, and its end", arguments: [("2030-01-01T00:00:00Z", true), ("2020-01-01T00:00:00Z", false)])
  func signOn(end: String, isValid: Bool) async throws {
    let machine = Machine(
      ["AWS_PROFILE": "s"],
      files: [
        "/home/u/.aws/config":
          "[profile s]\nsso_session = o\nsso_account_id = 12\nsso_role_name = r\n[sso-session o]\nsso_start_url = https://o.test\nsso_region = eu-north-1\n",
        "/home/u/.aws/sso/cache/0a.json":
          #"{"startUrl":"https://o.test","accessToken":"BEARER","expiresAt":"\#(end)"}"#,
      ],
      responses: [
        "GET https://portal.sso.eu-north-1.amazonaws.com/federation/credentials?account_id=12&role_name=r":
          #"{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":1893456000000}}"#
      ])
    if isValid {
      #expect(try await machine.chain.credentials().expiry == 1_893_456_000)
    } else {
      await #expect(throws: Problem.self) { try await machine.chain.credentials() }
    }
  }

  @Test("a container") func container() async throws {
    let machine = Machine(
      ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"], responses: ["GET http://169.254.170.2/v2/x": Self.json])
    #expect(try await machine.chain.credentials().accessKey == "JSON")
    let other = Machine(["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://evil.example/x"])
    await #expect(throws: Problem.self) { try await other.chain.credentials() }
    #expect(other.requests.withLock { $0.isEmpty })
  }

  @Test("an instance, with a token for its metadata") func instance() async throws {
    let base = "http://169.254.169.254/latest"
    let responses = [
      "PUT \(base)/api/token": "IMDS", "GET \(base)/meta-data/iam/security-credentials/": "role-1",
      "GET \(base)/meta-data/iam/security-credentials/role-1": Self.json,
    ]
    let machine = Machine(responses: responses)
    #expect(try await machine.chain.credentials().accessKey == "JSON")
    #expect(
      machine.requests.withLock { $0.dropFirst() }.allSatisfy {
        $0.headers.contains(HTTPHeader("X-aws-ec2-metadata-token", "IMDS"))
      })
    let disabled = Machine(["AWS_EC2_METADATA_DISABLED": "true"], responses: responses)
    await #expect {
      try await disabled.chain.credentials()
    } throws: { error in
      (error as? Problem)?.kind == .permission && "\(error)".contains("/home/u/.aws/credentials")
    }
    #expect(disabled.requests.withLock { $0.isEmpty })
  }

  @Test(
    "profiles that cannot be used",
    arguments: [
      "[profile other]\nregion = x\n",
      "[profile p]\nrole_arn = r\nsource_profile = q\n[profile q]\nrole_arn = r\nsource_profile = p\n",
      "[profile p]\nrole_arn = r\nsource_profile = absent\n",
      "[profile p]\nrole_arn = r\nmfa_serial = m\naws_access_key_id = A\naws_secret_access_key = s\n",
    ])
  func invalid(text: String) async {
    let machine = Machine(["AWS_PROFILE": "p"], files: ["/home/u/.aws/config": text])
    await #expect {
      try await machine.chain.credentials()
    } throws: { error in (error as? Problem)?.kind == .configuration }
  }
}
