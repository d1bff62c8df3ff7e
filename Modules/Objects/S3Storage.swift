import Codecs
public import Domain
public import Rows

/// The objects of an S3 bucket.
public final class S3Storage: ObjectBucket {
  let bucket: String
  private let endpoint: S3Endpoint
  private let transport: any HTTPTransport
  private let pause: @Sendable (Duration) async -> Void

  /// Attempts of a request whose response breaks off, or says only in its body that the server failed.
  private static let attempts = 4

  /// - Parameters:
  ///   - endpoint: the server of the bucket.
  ///   - transport: signs and repeats requests.
  ///   - pause: waits before another attempt.
  public init(
    _ endpoint: S3Endpoint, _ transport: any HTTPTransport,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    (bucket, self.endpoint, self.transport, self.pause) = (endpoint.bucket, endpoint, transport, pause)
  }

  /// The URL of an object.
  public func place(of key: String) -> String { S3Location(bucket: bucket, key: key).text }

  // MARK: - Reading

  /// The description of an object.
  public func object(_ key: String) async throws(Problem) -> StoredObject? { try await description(of: key)?.object }

  /// The description of an object, and the mark of the upload that made it.
  func description(of key: String) async throws(Problem) -> (object: StoredObject, mark: String?)? {
    let response = try await send(S3Call(.head, key))
    if response.status == 404 { return nil }
    guard response.status == 200, let size = response.header("Content-Length").flatMap({ Int($0) }) else {
      throw failure(response, key)
    }
    return (StoredObject(key: key, size: size, tag: response.header("ETag")), response.header(S3Upload.mark))
  }

  /// The objects whose keys begin with `prefix`.
  public func objects(withPrefix prefix: String) async throws(Problem) -> [StoredObject] {
    try await objects(withPrefix: prefix, from: nil)
  }

  /// The objects whose keys begin with `prefix`.
  /// - Parameter first: keys before this one are omitted.
  func objects(withPrefix prefix: String, from first: String?) async throws(Problem) -> [StoredObject] {
    var found: [StoredObject] = [], token: String?
    repeat {
      var call = S3Call(.get, "")
      call.query = [("encoding-type", "url"), ("list-type", "2"), ("prefix", prefix)]
      // A page has at most 1,000 keys.
      call.maximumBytes = 8 << 20
      call.roots = ["ListBucketResult"]
      // The server omits this key as well, so a part of it is given.
      if let first, !first.isEmpty { call.query.append(("start-after", String(first.dropLast()))) }
      if let token { call.query.append(("continuation-token", token)) }
      let response = try await send(call)
      guard response.status == 200 else { throw failure(response, prefix) }
      let document = response.document, isEncoded = document["EncodingType"] == "url"
      for object in document.elements(in: "Contents") {
        guard let text = object["Key"], let size = object["Size"].flatMap({ Int($0) }),
          let key = isEncoded ? Self.decoded(text) : text
        else { throw Problem(.badData, "the server listed an invalid object", at: place(of: prefix)) }
        // Servers without prefixes list everything.
        let isWanted = key.utf8.starts(with: prefix.utf8) && !key.utf8.lexicographicallyPrecedes((first ?? "").utf8)
        let modified = object["LastModified"].flatMap(Instant.init(response:))
        if isWanted {
          found.append(StoredObject(key: key, size: size, modified: modified, tag: object["ETag"]))
        }
      }
      let isLast = document["IsTruncated"] != "true", next = isLast ? nil : document["NextContinuationToken"]
      guard isLast || next != nil && next != token else {
        throw Problem(.badData, "the server repeats a page of the list, or omits one", at: place(of: prefix))
      }
      token = next
    } while token != nil
    return found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// A key of a list, percent-encoded; nil if it is not UTF-8.
  static func decoded(_ text: String) -> String? {
    PercentCoding.bytes(of: text, spaces: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes of an object.
  public func bytes(of key: String, in range: Range<Int>?) async throws(Problem) -> [UInt8] {
    if range?.isEmpty == true { return [] }
    var call = S3Call(.get, key)
    if let range { call.headers.append(HTTPHeader("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")) }
    let response = try await send(call)
    guard response.status == (range == nil ? 200 : 206) else { throw failure(response, key) }
    return response.body
  }

  /// The bytes of an object; nil if it does not exist.
  func bytes(of key: String, atMost limit: Int) async throws(Problem) -> [UInt8]? {
    var call = S3Call(.get, key)
    call.maximumBytes = limit
    let response = try await send(call)
    if response.status == 404, response.document["Code"] != "NoSuchBucket" { return nil }
    guard response.status == 200 else { throw failure(response, key) }
    return response.body
  }

  /// Where responses are awaited.
  var readers: [any TaskExecutor] { transport.readers }

  // MARK: - Writing

  /// Writes a small object.
  public func put(_ bytes: [UInt8], at key: String, replaces: Bool) async throws(Problem) -> Bool {
    let mark = S3Upload.newMark()
    var call = S3Call(.put, key)
    call.body = bytes
    call.headers = [HTTPHeader(S3Upload.mark, mark), HTTPHeader("Content-Type", S3Upload.type)]
    if !replaces { call.headers.append(HTTPHeader("If-None-Match", "*")) }
    call.isChecked = true
    let response = try await send(call)
    switch response.status {
    case 200: return true
    // An attempt whose response was lost may have made it.
    case 409 where !replaces, 412 where !replaces: return try await description(of: key)?.mark == mark
    default: throw failure(response, key)
    }
  }

  /// Opens an object for writing.
  public func sink(_ key: String, replaces: Bool) -> any ByteSink { S3Upload(self, key, replaces: replaces) }

  /// Opens an object that appears when `S3Upload.publish` is called after `commit`.
  func staged(_ key: String, replaces: Bool) -> S3Upload { S3Upload(self, key, replaces: replaces, isStaged: true) }

  /// Removes an object.
  public func remove(_ key: String) async throws(Problem) {
    let response = try await send(S3Call(.delete, key))
    guard [200, 204, 404].contains(response.status) else { throw failure(response, key) }
  }

  // MARK: - Requests

  /// Sends a request, again if the response breaks off or describes an error that passes.
  func send(_ call: S3Call) async throws(Problem) -> S3Response {
    var attempt = 1
    while true {
      let result: Result<S3Response, Problem>
      do throws(Problem) {
        let response = try await transport.send(call.request(to: endpoint))
        let body = call.method == .head ? [] : try await response.bytes()
        let document =
          response.status == 200 && !call.roots.isEmpty
          ? try S3Document(body, roots: call.roots, at: place(of: call.key))
          : S3Document(response.status == 200 ? [] : body)
        result = .success(
          S3Response(status: response.status, headers: response.headers, body: body, document: document))
      } catch { result = .failure(error.at(place(of: call.key))) }
      let isFinal =
        switch result {
        case .failure(let problem): !problem.isTransient
        case .success(let response): !response.isPassing(call)
        }
      if isFinal || attempt == Self.attempts { return try result.get() }
      await pause(.milliseconds(Int64.random(in: 100...200) << Int64(attempt)))
      if Task.isCancelled { return try result.get() }
      attempt += 1
    }
  }

  func failure(_ response: S3Response, _ key: String) -> Problem {
    S3Failure.problem(response.status, response.document, at: place(of: key))
  }
}

extension Problem {
  /// The same problem at the object instead of at the address of the server.
  fileprivate func at(_ place: String) -> Problem {
    var copy = self
    // Credentials come from other places.
    if copy.place.hasPrefix("http") || copy.place.isEmpty { copy.place = place }
    return copy
  }
}

struct S3Call {
  var method: HTTPRequest.Method
  var key: String
  var query: [(String, String)] = []
  var headers: [HTTPHeader] = []
  var body: [UInt8] = []
  /// Whether it is sent while the process ends, although the server may fail.
  var isUrgent = false
  /// Whether the server compares the body with its digest, even if requests are not signed.
  var isChecked = false
  /// The most bytes of the response.
  var maximumBytes = 256 << 20
  /// The outermost element of a response with status 200; empty if that is not a document.
  var roots: [String] = []

  init(_ method: HTTPRequest.Method, _ key: String) { (self.method, self.key) = (method, key) }

  func request(to endpoint: S3Endpoint) -> HTTPRequest {
    var request = HTTPRequest(
      method, endpoint.url(key, query), headers: headers + [HTTPHeader("Accept-Encoding", "identity")], body: body,
      // Slow connections send at least 64 KiB per second.
      timeout: .seconds(600 + body.count >> 16), maximumBytes: maximumBytes)
    var hash = SHA256()
    hash.update(body)
    let digest = hash.digest()
    if isChecked {
      request.headers.append(
        HTTPHeader("x-amz-checksum-sha256", String(decoding: Base64.encoded(digest), as: UTF8.self)))
    }
    request.headers.append(HTTPHeader("x-amz-content-sha256", AWSSigner.hexadecimal(digest)))
    (request.isSigned, request.isRepeatable, request.isStorable) = (true, true, false)
    request.isUrgent = isUrgent
    // A server may be silent while it joins the parts of an object, or stores one.
    if !body.isEmpty { request.silence = .seconds(300) }
    return request
  }
}

struct S3Response: Sendable {
  let status: Int
  let headers: HTTPFields
  let body: [UInt8]
  /// The body, if it is a document or describes an error.
  let document: S3Document

  func header(_ name: String) -> String? { headers.value(of: name) }

  /// Whether the same request may succeed later.
  fileprivate func isPassing(_ call: S3Call) -> Bool {
    // The transport repeats requests after other errors of the server, except urgent ones.
    if call.isUrgent, status >= 500 { return true }
    guard status == 400 || status == 409 || status == 200 && call.method == .post else { return false }
    let document = document
    guard document["Code"] != nil || status != 200 else { return false }
    return S3Failure.problem(status, document, at: "").isTransient
  }
}
