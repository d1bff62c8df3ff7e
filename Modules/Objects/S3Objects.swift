public import Domain
public import Rows
import Synchronization

/// The buckets of a command, and what it takes to talk to them.
public final class S3Objects: Sendable {
  /// The choices of the user.
  public struct Choice: Sendable, Hashable {
    /// The URL of the server; nil for that of the environment, of the profile, or of AWS.
    public var endpoint: String?
    /// The region; nil for that of the environment or of the profile.
    public var region: String?
    /// Whether requests are not signed.
    public var isAnonymous = false
    /// The usual choices.
    public init() {}
  }

  /// Makes a transport.
  /// - Parameter usesProxy: whether it uses the proxy of the user.
  public typealias MakeTransport = @Sendable (_ usesProxy: Bool) -> any HTTPTransport
  /// Repeats the requests of a transport.
  /// - Parameter readAhead: the bytes of a body that are read before a response counts as received.
  public typealias Repeating = @Sendable (_ inner: any HTTPTransport, _ readAhead: Int) -> any HTTPTransport

  private struct State {
    var credentials: AWSCredentialChain?
    var endpoints: [String: S3Endpoint] = [:]
    var storages: [String: S3Storage] = [:]
    var transports: [String: any HTTPTransport] = [:]
  }
  private let environment: AWSEnvironment
  private let choice: Choice
  private let makeTransport: MakeTransport
  private let repeating: Repeating
  private let allow: @Sendable (_ server: String) -> Void
  private let state = Mutex(State())

  /// - `environment`: the variables, files and programs of the machine.
  /// - `choice`: the choices of the user.
  /// - `allow`: called with the URL of a server that the user named, which may be private.
  public init(
    _ environment: AWSEnvironment, _ choice: Choice, transport: @escaping MakeTransport,
    repeating: @escaping Repeating, allow: @escaping @Sendable (_ server: String) -> Void
  ) {
    (self.environment, self.choice, self.allow) = (environment, choice, allow)
    (makeTransport, self.repeating) = (transport, repeating)
  }

  /// The objects of a bucket.
  /// - Throws: `configuration` for invalid settings.
  public func storage(_ bucket: String) throws(Problem) -> S3Storage {
    if let known = state.withLock({ $0.storages[bucket] }) { return known }
    let storage = S3Storage(try endpoint(bucket), repeating(try signing(bucket), 8 << 20))
    state.withLock { $0.storages[bucket] = storage }
    return storage
  }

  /// The URL of an object for requests through `transport`.
  public func url(of location: S3Location) throws(Problem) -> String { try endpoint(location.bucket).url(location.key) }

  /// A transport for the objects of a bucket, whose bodies are streamed after the bytes that are read ahead.
  public func transport(for bucket: String, readAhead: Int = 0) throws(Problem) -> any HTTPTransport {
    repeating(try signing(bucket), readAhead)
  }

  /// The connections to a bucket, opened once.
  private func signing(_ bucket: String) throws(Problem) -> any HTTPTransport {
    if let known = state.withLock({ $0.transports[bucket] }) { return known }
    let endpoint = try endpoint(bucket)
    let transport = S3Transport(makeTransport(true), endpoint, try credentials(), clock: environment.clock)
    state.withLock { $0.transports[bucket] = transport }
    return transport
  }

  private func endpoint(_ bucket: String) throws(Problem) -> S3Endpoint {
    if let known = state.withLock({ $0.endpoints[bucket] }) { return known }
    let settings = try settings
    let endpoint = try S3Endpoint(bucket: bucket, server: settings.endpoint, region: settings.region)
    if let server = settings.endpoint { allow(server) }
    state.withLock { $0.endpoints[bucket] = endpoint }
    return endpoint
  }

  private func credentials() throws(Problem) -> AWSCredentialChain? {
    if choice.isAnonymous { return nil }
    if let known = state.withLock({ $0.credentials }) { return known }
    let chain = AWSCredentialChain(
      environment, region: try settings.region, transport: repeating(makeTransport(true), 8 << 20),
      metadata: makeTransport(false))
    state.withLock { $0.credentials = chain }
    return chain
  }

  /// The server and the region: as chosen, else of the environment, else of the profile.
  private var settings: (endpoint: String?, region: String) {
    get throws(Problem) {
      let profiles = try environment.profiles(), profile = profiles[profile: environment.profile] ?? [:]
      var endpoint = choice.endpoint ?? environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"]
      if endpoint == nil, !environment.isTrue("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") {
        let services = profile["services"].flatMap { profiles["services", $0] }
        endpoint = services?["s3.endpoint_url"] ?? profile["endpoint_url"]
      }
      let region =
        choice.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? profile["region"]
        ?? "us-east-1"
      return (endpoint, region)
    }
  }
}

extension S3Storage {
  /// The objects whose keys match a pattern, in byte order; the one with exactly this key, if there is one.
  public func objects(matching text: String) async throws(Problem) -> [StoredObject] {
    let pattern = KeyPattern(text), found = try await objects(withPrefix: pattern.prefix)
    if let one = found.first(where: { $0.key.utf8.elementsEqual(text.utf8) }) { return [one] }
    return found.filter { !$0.key.hasSuffix("/") && pattern.matches($0.key) }
  }

  /// The objects below a prefix that ends with a slash, in byte order. Hidden ones, of whose key a part begins with `.`
  /// or `_`, are omitted.
  /// - Throws: `busy` if an export into partitions was interrupted there.
  public func objects(below prefix: String) async throws(Problem) -> [StoredObject] {
    let found = try await objects(withPrefix: prefix)
    if found.contains(where: { "/\($0.key)".hasSuffix("/\(S3FileSet.pending)") }) {
      throw Problem(
        .busy, "an export to this place was interrupted", at: place(of: prefix), hint: "complete it by running it again"
      )
    }
    return found.filter { object in
      !object.key.hasSuffix("/")
        && !object.key.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "/")).contains {
          $0.first == UInt8(ascii: ".") || $0.first == UInt8(ascii: "_")
        }
    }
  }
}
