import Codecs
import Domain
import Rows
import Synchronization

@testable import Objects

/// A bucket in memory that speaks S3: objects, conditional writes, uploads in parts, lists in pages.
final class MemoryS3: HTTPTransport {
  struct State {
    var objects: [String: (bytes: [UInt8], mark: String?)] = [:]
    var uploads: [String: (key: String, mark: String?, parts: [Int: [UInt8]])] = [:]
    var requests: [HTTPRequest] = []
    var next = 0
  }
  let state = Mutex(State())
  /// The objects of a page of a list.
  let pageSize: Int
  /// A response in place of that of the server; called with the number of the request, from 1.
  private let fault: @Sendable (_ request: HTTPRequest, _ number: Int) throws(Problem) -> HTTPResponse?

  init(
    pageSize: Int = 1000,
    fault: @escaping @Sendable (_ request: HTTPRequest, _ number: Int) throws(Problem) -> HTTPResponse? = {
      (_, _) throws(Problem) in nil
    }
  ) { (self.pageSize, self.fault) = (pageSize, fault) }

  /// A bucket "box" of this server, whose requests are not signed and not repeated by a transport.
  func storage() throws -> S3Storage {
    S3Storage(try S3Endpoint(bucket: "box", server: "http://s3.test", region: "us-east-1"), self, pause: { _ in })
  }

  var objects: [String: [UInt8]] { state.withLock { $0.objects.mapValues(\.bytes) } }
  var uploads: Int { state.withLock { $0.uploads.count } }
  /// The methods and queries of the requests.
  var log: [String] {
    state.withLock { state in
      state.requests.map { "\($0.method.rawValue) \(AWSQuery.parts(of: $0.url).query.prefix { $0 != "=" })" }
    }
  }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let number = state.withLock { state in
      state.requests.append(request)
      return state.requests.count
    }
    if let response = try fault(request, number) { return response }
    return respond(request)
  }

  /// The response of a server that works.
  func respond(_ request: HTTPRequest) -> HTTPResponse {
    let (_, path, query) = AWSQuery.parts(of: request.url)
    let key = Self.decoded(String(path.dropFirst("/box/".count)))
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let mark = pair.firstIndex(of: "=") ?? pair.endIndex
      parameters[String(pair[..<mark])] = Self.decoded(String(pair[mark...].dropFirst()))
    }
    func field(_ name: String) -> String? { request.headers.first { $0.isCalled(name) }?.value }
    return state.withLock { state in
      switch request.method {
      case .get where key.isEmpty && parameters["uploads"] != nil: return list(state.uploads, parameters)
      case .get where key.isEmpty:
        let tags = state.objects.mapValues { "<ETag>\(Self.tag($0.bytes))</ETag>" }
        return list(state.objects.keys.sorted(), tags, parameters)
      case .get, .head:
        guard let object = state.objects[key] else { return Self.error(404, "NoSuchKey") }
        var fields = [
          HTTPHeader("ETag", Self.tag(object.bytes)), HTTPHeader("Content-Length", String(object.bytes.count)),
        ]
        if let mark = object.mark { fields.append(HTTPHeader(S3Upload.mark, mark)) }
        let body = request.method == .head ? [] : object.bytes
        return HTTPResponse(status: 200, headers: HTTPFields(fields), url: request.url, body: SingleChunkBody(body))
      case .post where parameters["uploads"] != nil:
        state.next += 1
        state.uploads["id\(state.next)"] = (key, field(S3Upload.mark), [:])
        return Self.xml(
          "<InitiateMultipartUploadResult><UploadId>id\(state.next)</UploadId></InitiateMultipartUploadResult>")
      case .post:
        guard let upload = state.uploads[parameters["uploadId"] ?? ""] else { return Self.error(404, "NoSuchUpload") }
        if field("If-None-Match") == "*", state.objects[key] != nil { return Self.error(412, "PreconditionFailed") }
        state.uploads[parameters["uploadId"] ?? ""] = nil
        state.objects[key] = (upload.parts.keys.sorted().flatMap { upload.parts[$0] ?? [] }, upload.mark)
        return Self.xml("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
      case .put:
        if let id = parameters["uploadId"] {
          guard state.uploads[id] != nil else { return Self.error(404, "NoSuchUpload") }
          state.uploads[id]?.parts[Int(parameters["partNumber"] ?? "") ?? 0] = request.body
        } else {
          if field("If-None-Match") == "*", state.objects[key] != nil { return Self.error(412, "PreconditionFailed") }
          state.objects[key] = (request.body, field(S3Upload.mark))
        }
        return HTTPResponse(
          status: 200, headers: [HTTPHeader("ETag", Self.tag(request.body))], url: request.url,
          body: SingleChunkBody([]))
      case .delete:
        if let id = parameters["uploadId"] { state.uploads[id] = nil } else { state.objects[key] = nil }
        return HTTPResponse(status: 204, headers: [], url: request.url, body: SingleChunkBody([]))
      }
    }
  }

  private func list(_ keys: [String], _ tags: [String: String], _ parameters: [String: String]) -> HTTPResponse {
    let last = max(parameters["continuation-token"] ?? "", parameters["start-after"] ?? "")
    let rest = keys.filter { $0.hasPrefix(parameters["prefix"] ?? "") && $0 > last }
    let page = rest.prefix(pageSize), isCut = rest.count > page.count
    let contents = page.map { "<Contents><Key>\(AWSQuery.encoded($0))</Key><Size>1</Size>\(tags[$0] ?? "")</Contents>" }
      .joined()
    let next = isCut ? "<NextContinuationToken>\(page.last ?? "")</NextContinuationToken>" : ""
    return Self.xml(
      """
      <ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(isCut)</IsTruncated>\(next)\(contents)\
      </ListBucketResult>
      """)
  }

  /// The unfinished uploads, by identifier, all started at the same time.
  private func list(
    _ uploads: [String: (key: String, mark: String?, parts: [Int: [UInt8]])], _ parameters: [String: String]
  ) -> HTTPResponse {
    let last = (parameters["key-marker"] ?? "") + "\0" + (parameters["upload-id-marker"] ?? "")
    let rest = uploads.map { (key: $0.value.key, id: $0.key) }
      .filter { $0.key.hasPrefix(parameters["prefix"] ?? "") && "\($0.key)\0\($0.id)" > last }
      .sorted { ($0.key, $0.id) < ($1.key, $1.id) }
    let page = rest.prefix(pageSize), isCut = rest.count > page.count
    let items = page.map {
      """
      <Upload><Key>\(AWSQuery.encoded($0.key))</Key><UploadId>\($0.id)</UploadId><Owner><ID>1</ID></Owner>\
      <Initiated>2026-01-02T03:04:05.678Z</Initiated></Upload>
      """
    }
    let next = page.last.map {
      "<NextKeyMarker>\(AWSQuery.encoded($0.key))</NextKeyMarker><NextUploadIdMarker>\($0.id)</NextUploadIdMarker>"
    }
    return Self.xml(
      """
      <ListMultipartUploadsResult><EncodingType>url</EncodingType>\(isCut ? next ?? "" : "")\
      <IsTruncated>\(isCut)</IsTruncated>\(items.joined())</ListMultipartUploadsResult>
      """
    )
  }

  static func xml(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [], url: "http://s3.test", body: SingleChunkBody(Array(text.utf8)))
  }
  static func error(_ status: Int, _ code: String) -> HTTPResponse {
    xml("<Error><Code>\(code)</Code><RequestId>R1</RequestId></Error>", status: status)
  }
  private static func tag(_ bytes: [UInt8]) -> String { "\"\(SHA256.hex(bytes).prefix(8))\"" }
  private static func decoded(_ text: String) -> String {
    String(decoding: PathPattern.unescaped(text) ?? [], as: UTF8.self)
  }
}
