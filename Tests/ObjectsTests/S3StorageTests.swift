import Codecs
import Conformance
import Domain
import Rows
import Synchronization
import Testing

@testable import Networking
@testable import Objects

@Suite("S3 objects") struct S3StorageTests {
  private func write(_ count: Int, to sink: any ByteSink) async throws(Problem) {
    var buffer = ByteBuffer()
    buffer.append(bytes: [UInt8](repeating: 7, count: 1 << 20))
    for _ in 0..<count { try await sink.write(buffer) }
  }

  @Test("a small object is one request; a large one is sent in parts", arguments: [0, 1, 4, 5, 6, 20])
  func upload(mebibytes: Int) async throws {
    let server = MemoryS3(), sink = try server.storage().sink("out/a=1/x", replaces: true)
    try await write(mebibytes, to: sink)
    #expect(server.objects.isEmpty)
    try await sink.commit()
    #expect(server.objects["out/a=1/x"]?.count == mebibytes << 20 && server.uploads == 0)
    #expect(server.log.count == (mebibytes < 5 ? 1 : (mebibytes + 4) / 5 + 2), "\(server.log)")
  }

  @Test("an abandoned object does not appear, and leaves no upload", arguments: [1, 8, 20])
  func abandoned(mebibytes: Int) async throws {
    let server = MemoryS3(), sink = try server.storage().sink("x", replaces: true)
    try await write(mebibytes, to: sink)
    await sink.abandon()
    #expect(server.objects.isEmpty && server.uploads == 0)
  }

  /// A server that removes uploads slowly.
  private struct SlowServer: HTTPTransport {
    let inner: MemoryS3
    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      if request.method == .delete { try? await Task.sleep(for: .milliseconds(100)) }
      return try await inner.send(request)
    }
  }

  @Test("two that abandon an upload at the same time both wait until it is removed") func abandonedTwice() async throws
  {
    let server = MemoryS3()
    let endpoint = try S3Endpoint(bucket: "box", server: "http://s3.test", region: "us-east-1")
    let sink = S3Storage(endpoint, SlowServer(inner: server)).sink("x", replaces: true)
    try await write(9, to: sink)
    await withTaskGroup { group in
      for _ in 1...3 {
        group.addTask {
          await sink.abandon()
          #expect(server.uploads == 0)
        }
      }
    }
  }

  @Test("nothing is sent after the end of an upload") func afterEnd() async throws {
    let server = MemoryS3(), sink = try server.storage().sink("x", replaces: true)
    try await write(9, to: sink)
    await sink.abandon()
    let count = server.log.count
    await #expect { try await write(10, to: sink) } throws: { ($0 as? Problem)?.kind == .cancelled }
    await #expect(throws: Problem.self) { try await sink.commit() }
    #expect(server.log.count == count && server.objects.isEmpty && server.uploads == 0)
  }

  @Test("an object that exists is kept if it may not be replaced", arguments: [1, 20], [false, true])
  func kept(mebibytes: Int, isLate: Bool) async throws {
    let server = MemoryS3(), storage = try server.storage(), sink = storage.sink("x", replaces: false)
    if !isLate { #expect(try await storage.put([1], at: "x", replaces: true)) }
    var problem: Problem?
    do throws(Problem) {
      try await write(mebibytes, to: sink)
      if isLate { _ = try await storage.put([1], at: "x", replaces: true) }
      try await sink.commit()
    } catch { problem = error }
    await sink.abandon()
    #expect(problem?.kind == .cannotCreate && problem?.place == "s3://box/x")
    #expect(server.objects["x"] == [1] && server.uploads == 0)
  }

  @Test("a part that fails for good removes the upload") func failingPart() async throws {
    let server = MemoryS3 { (request, _) throws(Problem) in
      request.url.contains("partNumber=2") ? MemoryS3.error(403, "AccessDenied") : nil
    }
    let sink = try server.storage().sink("x", replaces: true)
    var problem: Problem?
    do throws(Problem) {
      try await write(30, to: sink)
      try await sink.commit()
    } catch { problem = error }
    await sink.abandon()
    #expect(problem?.kind == .permission && server.objects.isEmpty && server.uploads == 0)
  }

  @Test("a server that fails every part, and so receives no more of them, is asked to remove the upload")
  func failingServer() async throws {
    let server = MemoryS3 { request, _ in request.method == .put ? MemoryS3.error(500, "InternalError") : nil }
    let endpoint = try S3Endpoint(bucket: "box", server: "http://s3.test", region: "us-east-1")
    let retrying = RetryingTransport(server, clock: CountingClock(), date: StillDate()) { _ in .zero }
    let sink = S3Storage(endpoint, retrying, pause: { _ in }).sink("x", replaces: true)
    await #expect { try await write(30, to: sink) } throws: { ($0 as? Problem)?.kind == .unavailable }
    await sink.abandon()
    #expect(server.uploads == 0)
  }

  @Test("a completion that fails within its successful response is repeated") func lateError() async throws {
    let server = MemoryS3 { (request, number) throws(Problem) in
      request.method == .post && number == 6 ? MemoryS3.error(200, "InternalError") : nil
    }
    let sink = try server.storage().sink("x", replaces: true)
    try await write(20, to: sink)
    try await sink.commit()
    #expect(server.objects["x"]?.count == 20 << 20 && server.log.filter { $0 == "POST uploadId" }.count == 2)
  }

  @Test("a completion that keeps failing within its response is an error, and leaves nothing") func lastingError()
    async throws
  {
    let server = MemoryS3 { (request, _) throws(Problem) in
      request.method == .post && request.url.contains("uploadId") ? MemoryS3.error(200, "InternalError") : nil
    }
    let sink = try server.storage().sink("x", replaces: true)
    try await write(20, to: sink)
    await #expect(throws: Problem.self) { try await sink.commit() }
    await sink.abandon()
    #expect(server.objects.isEmpty && server.uploads == 0)
  }

  @Test("a lost response of a request that succeeded is not an error", arguments: [1, 20], [false, true])
  func lostResponse(mebibytes: Int, replaces: Bool) async throws {
    let lost = Mutex(false), box = Box()
    let server = MemoryS3 { (request, _) throws(Problem) in
      let isLast =
        request.method == .post && request.url.contains("uploadId")
        || request.method == .put && !request.url.contains("uploadId")
      let isFirst =
        isLast
        && lost.withLock { lost in
          defer { lost = true }
          return !lost
        }
      guard isFirst else { return nil }
      _ = box.server.withLock { $0 }?.respond(request)
      var problem = Problem(.unavailable, "connection closed")
      problem.isTransient = true
      throw problem
    }
    box.server.withLock { $0 = server }
    let sink = try server.storage().sink("x", replaces: replaces)
    try await write(mebibytes, to: sink)
    try await sink.commit()
    #expect(server.objects["x"]?.count == mebibytes << 20 && server.uploads == 0)
  }

  private final class Box: Sendable { let server = Mutex<MemoryS3?>(nil) }

  @Test("of two that create an object one succeeds") func exclusive() async throws {
    let server = MemoryS3(), storage = try server.storage()
    #expect(try await storage.put([1], at: "log/0.json", replaces: false))
    #expect(try await storage.put([2], at: "log/0.json", replaces: false) == false)
    #expect(server.objects["log/0.json"] == [1])
  }

  private static let keys = ["a b", "a%20b", "a+b", "ü/é/e\u{301}", "x=y/&<>\"'", "..", "line\nbreak", "日本語", "*?[]"]

  @Test("lists come in pages, with any keys") func list() async throws {
    let server = MemoryS3(pageSize: 2), storage = try server.storage()
    for key in Self.keys { _ = try await storage.put([0], at: "p/" + key, replaces: true) }
    _ = try await storage.put([0], at: "q", replaces: true)
    let found = try await storage.objects(withPrefix: "p/").map { Array($0.key.utf8) }
    #expect(found == Self.keys.map { Array("p/\($0)".utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    for key in Self.keys {
      #expect(try await storage.object("p/" + key)?.size == 1)
      try await storage.remove("p/" + key)
    }
    #expect(server.objects.count == 1)
  }

  @Test("a server that repeats a page is an error") func repeatedPage() async throws {
    let server = MemoryS3 { (_, _) throws(Problem) in
      MemoryS3.xml(
        """
        <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>\
        </ListBucketResult>
        """)
    }
    let storage = try server.storage()
    await #expect(throws: Problem.self) { try await storage.objects(withPrefix: "") }
  }

  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>\
    <Contents><Key>a</Key><Size>1</Size></Contents><Contents><Key>b</Key><Size>22</Size></Contents></ListBucketResult>
    """

  @Test("a list that is cut at any byte is invalid, and is requested again") func cutLists() async throws {
    let whole = Array(Self.list.utf8)
    for count in 0..<whole.count {
      let server = MemoryS3 { (_, number) throws(Problem) in
        HTTPResponse(
          status: 200, headers: [], url: "http://s3.test",
          body: SingleChunkBody(number < 4 ? Array(whole.prefix(count)) : whole))
      }
      #expect(try await server.storage().objects(withPrefix: "").map(\.key) == ["a", "b"], "\(count)")
      let broken = MemoryS3 { (_, _) throws(Problem) in
        HTTPResponse(
          status: 200, headers: [], url: "http://s3.test", body: SingleChunkBody(Array(whole.prefix(count))))
      }
      let problem = await #expect(throws: Problem.self) { try await broken.storage().objects(withPrefix: "") }
      #expect(problem?.kind == .unavailable && broken.log.count == 4, "\(count)")
    }
  }

  @Test("a list with another number of objects than it says is requested again", arguments: [1, 3, 0, 2])
  func contradictoryList(count: Int) async throws {
    let text = Self.list.replacing("<IsTruncated>", with: "<KeyCount>\(count)</KeyCount><IsTruncated>")
    let server = MemoryS3 { (_, _) throws(Problem) in MemoryS3.xml(text) }, storage = try server.storage()
    guard count != 2 else { return #expect(try await storage.objects(withPrefix: "").count == 2) }
    let problem = await #expect(throws: Problem.self) { try await storage.objects(withPrefix: "") }
    #expect(problem?.kind == .unavailable && server.log.count == 4)
    #expect(problem?.message.contains("2 of \(count) objects") == true)
  }

  private static func foreign(_ namespace: String) -> String {
    list.replacing("http://s3.amazonaws.com/doc/2006-03-01/", with: namespace)
  }

  @Test(
    "services have namespaces of their own, or none",
    arguments: ["", "http://doc.s3.amazonaws.com/2006-03-01", "http://doc.oss-cn-hangzhou.aliyuncs.com"])
  func namespaces(_ namespace: String) async throws {
    let server = MemoryS3 { (_, _) throws(Problem) in MemoryS3.xml(Self.foreign(namespace)) }
    #expect(try await server.storage().objects(withPrefix: "").count == 2)
  }

  @Test(
    "a response that is not the document of S3 is an error",
    arguments: [
      "<!DOCTYPE html><html><body>log in</body></html>", "<html></html>", #"{"Contents": []}"#, "busy",
      "<Error><Code>X</Code></Error>", "<a:ListBucketResults/>",
      "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult>&a;</ListBucketResult>",
      "<ListBucketResult>&a;</ListBucketResult>",
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      String(repeating: "<a>", count: 500_000), "\0", foreign("urn:other"),
      foreign("http://amazonaws.com.example.org/"),
    ])
  func foreignDocuments(text: String) async throws {
    let server = MemoryS3 { (_, _) throws(Problem) in MemoryS3.xml(text) }, storage = try server.storage()
    let calls: [() async throws -> Void] = [
      { _ = try await storage.objects(withPrefix: "") }, { _ = try await storage.uploads(withPrefix: "") },
      {
        let sink = storage.staged("k", replaces: true)
        try await sink.write(ByteBuffer())
        try await sink.commit()
      },
    ]
    for (number, call) in calls.enumerated() {
      let problem = await #expect(throws: Problem.self, "\(number)") { try await call() }
      #expect(problem?.kind == .badData, "\(number): \(problem?.message ?? "")")
    }
  }

  @Test(
    "responses that are errors",
    arguments: [
      (404, "NoSuchBucket", Problem.Kind.noInput), (404, "NoSuchKey", .noInput), (403, "AccessDenied", .permission),
      (403, "SignatureDoesNotMatch", .permission), (403, "InvalidAccessKeyId", .permission),
      (400, "ExpiredToken", .permission), (403, "RequestTimeTooSkewed", .unavailable), (400, "EntityTooSmall", .bug),
      (503, "SlowDown", .unavailable), (500, "InternalError", .unavailable), (301, "PermanentRedirect", .unavailable),
      (409, "OperationAborted", .busy),
    ])
  func errors(status: Int, code: String, kind: Problem.Kind) async throws {
    let server = MemoryS3 { (_, _) throws(Problem) in MemoryS3.error(status, code) }, storage = try server.storage()
    var problem: Problem?
    do throws(Problem) { _ = try await storage.bytes(of: "k", in: nil) } catch { problem = error }
    #expect(problem?.kind == kind && problem?.message.contains("(\(code), request R1)") == true)
  }

  @Test("unfinished uploads are listed in pages, and aborted", arguments: [1, 2, 1000])
  func unfinishedUploads(pageSize: Int) async throws {
    let server = MemoryS3(pageSize: pageSize), storage = try server.storage()
    server.state.withLock { state in
      for (id, key) in [("1", "a/ü &+"), ("2", "a/b"), ("3", "a/b"), ("4", "b")] { state.uploads[id] = (key, nil, [:]) }
    }
    let uploads = try await storage.uploads(withPrefix: "a/")
    #expect(uploads.map(\.key) == ["a/b", "a/b", "a/ü &+"] && uploads.map(\.identifier) == ["2", "3", "1"])
    #expect(uploads.allSatisfy { $0.started?.timestamp == "2026-01-02T03:04:05Z" })
    for upload in uploads { try await storage.abort(upload) }
    #expect(try await storage.uploads(withPrefix: "").map(\.identifier) == ["4"])
  }

  @Test("a response does not bring a secret into a message") func secretInResponse() {
    let document = S3Document(Array("<Error><Code>A AWS4-HMAC/SECRET</Code><RequestId>a=b</RequestId></Error>".utf8))
    #expect(S3Failure.problem(403, document, at: "s3://box/k").message == "access denied")
  }

  @Test(
    "locations",
    arguments: [
      ("s3://bucket/key", "bucket", "key"), ("S3://my.bucket/a//b?c#d", "my.bucket", "a//b?c#d"),
      ("s3://bucket", "bucket", ""), ("s3://bucket/%20 ü", "bucket", "%20 ü"),
    ])
  func locations(text: String, bucket: String, key: String) throws {
    let location = try S3Location(text)
    #expect(location.bucket == bucket && location.key == key)
  }

  @Test(
    "invalid locations", arguments: ["s3://", "s3:///key", "s3://a b/key", "s3://../key", "s3://AKID:SECRET@bucket/k"])
  func invalidLocations(text: String) {
    #expect { try S3Location(text) } throws: { error in
      (error as? Problem)?.kind == .usage && "\(error)".contains("SECRET") == false
    }
  }
}
