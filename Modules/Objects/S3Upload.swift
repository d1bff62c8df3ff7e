import Codecs
import Domain
import Rows
import Synchronization

/// Writes an object: a small one with one request, another in parts that are sent while the next are written. It
/// appears when it is complete, or never.
///
/// At most nine parts are in memory: one that is written, and four that are sent, which libcurl copies; fewer of the
/// large parts at the end of an object of more than 4 GB. One task at a time writes.
final class S3Upload: ByteSink {
  /// The field that tells whether an object is the result of this upload, if the response that said so was lost.
  static let mark = "x-amz-meta-bb-upload"
  static let type = "application/octet-stream"
  /// The bytes of the first 900 parts. Each further 900 are twice as large, so that 10,000 hold the largest object.
  static let partSize = 5 << 20
  private static let mostParts = 10_000
  /// The time for parts on their way before the upload is aborted.
  private static let patience = Duration.seconds(3)

  var name: String { storage.place(of: key) }
  let key: String
  private let storage: S3Storage
  private let replaces: Bool
  private let isStaged: Bool
  private let uploadMark = S3Upload.newMark()
  private let state = Mutex(State())

  struct Part: Sendable, Hashable {
    var number: Int, tag: String, checksum: String
  }

  private enum End { case published, abandoned }

  private struct State {
    var buffer: [UInt8] = []
    var id: String?
    var parts: [Part] = []
    var sending: [Task<Result<Part, Problem>, Never>] = []
    var count = 0
    var isChecked = false
    var end: End?
    var ending: Task<Void, Never>?
    var ticket: Int?
  }

  init(_ storage: S3Storage, _ key: String, replaces: Bool, isStaged: Bool = false) {
    (self.storage, self.key, self.replaces, self.isStaged) = (storage, key, replaces, isStaged)
  }

  static func newMark() -> String { String(UInt64.random(in: 0 ... .max), radix: 16) }

  static func size(ofPart number: Int) -> Int { partSize << ((number - 1) / 900) }

  // MARK: - Writing

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    // Found before everything is written: the server itself decides at the end.
    let isFirst = state.withLock { state in
      defer { state.isChecked = true }
      return !state.isChecked
    }
    if isFirst, !replaces, try await storage.object(key) != nil { throw exists }
    let added = bytes.bytes()
    var start = 0
    while start < added.count {
      let size = state.withLock { state in
        let size = Self.size(ofPart: state.count + 1), free = size - state.buffer.count
        if state.buffer.isEmpty { state.buffer.reserveCapacity(size) }
        let end = min(added.count, start + free)
        state.buffer += added[start..<end]
        start = end
        return state.buffer.count == size ? size : 0
      }
      if size > 0 { try await sendPart() }
    }
  }

  /// The most parts of a size that are sent at a time.
  private static func concurrency(_ size: Int) -> Int { max(1, 4 * partSize / max(size, partSize)) }

  private var exists: Problem {
    Problem(.cannotCreate, "already exists", at: name, hint: "use a different key")
  }

  /// Sends the bytes so far as a part, when there are few enough on their way.
  private func sendPart() async throws(Problem) {
    let id = try await begin()
    try await wait(leaving: Self.concurrency(state.withLock { Self.size(ofPart: $0.count + 1) }) - 1)
    let storage = self.storage, key = self.key
    let number = state.withLock { state -> Int in
      // Nothing is sent after the end of the upload.
      guard state.end == nil else { return 0 }
      state.count += 1
      let bytes = state.buffer, number = state.count
      state.buffer = []
      if number > Self.mostParts { return number }
      state.sending.append(
        Task {
          do throws(Problem) {
            return Result<Part, Problem>.success(try await Self.send(bytes, number, of: key, id, storage))
          } catch { return .failure(error) }
        })
      return number
    }
    if number == 0 { throw Problem(.cancelled, "interrupted", at: name) }
    guard number <= Self.mostParts else {
      throw Problem(.cannotCreate, "the object is too large: more than \(Self.mostParts) parts", at: name)
    }
  }

  private static func send(
    _ bytes: [UInt8], _ number: Int, of key: String, _ id: String, _ storage: S3Storage
  ) async throws(Problem) -> Part {
    var call = S3Call(.put, key)
    call.query = [("partNumber", String(number)), ("uploadId", id)]
    call.headers = [HTTPHeader("Content-Type", type)]
    call.body = bytes
    call.isChecked = true
    let response = try await storage.send(call)
    guard response.status == 200, let tag = response.header("ETag") else { throw storage.failure(response, key) }
    var hash = SHA256()
    hash.update(bytes)
    return Part(number: number, tag: tag, checksum: String(decoding: Base64.encoded(hash.digest()), as: UTF8.self))
  }

  /// Begins the upload, once.
  private func begin() async throws(Problem) -> String {
    if let id = state.withLock({ $0.id }) { return id }
    let ticket = try S3Uploads.begin(name)
    var call = S3Call(.post, key)
    call.query = [("uploads", "")]
    call.roots = ["InitiateMultipartUploadResult"]
    call.headers = [
      HTTPHeader("Content-Type", Self.type), HTTPHeader("x-amz-checksum-algorithm", "SHA256"),
      HTTPHeader(Self.mark, uploadMark),
    ]
    let response: S3Response
    do throws(Problem) { response = try await storage.send(call) } catch {
      S3Uploads.end(ticket)
      throw error
    }
    guard response.status == 200, let id = response.document["UploadId"], !id.isEmpty else {
      S3Uploads.end(ticket)
      throw storage.failure(response, key)
    }
    state.withLock { ($0.id, $0.ticket) = (id, ticket) }
    S3Uploads.note(ticket) { await self.abandon() }
    return id
  }

  /// Waits until at most `count` parts are being sent.
  private func wait(leaving count: Int) async throws(Problem) {
    while let task = state.withLock({ $0.sending.count > count ? $0.sending.first : nil }) {
      let result = await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
      state.withLock { if !$0.sending.isEmpty { $0.sending.removeFirst() } }
      let part = try result.get()
      state.withLock { $0.parts.append(part) }
    }
  }

  // MARK: - The end

  /// Makes the object visible; of a staged one, only sends everything.
  func commit() async throws(Problem) {
    if state.withLock({ $0.end != nil }) { throw Problem(.cancelled, "interrupted", at: name) }
    if isStaged || state.withLock({ $0.id != nil }) {
      if state.withLock({ !$0.buffer.isEmpty || $0.count == 0 }) { try await sendPart() }
      try await wait(leaving: 0)
      if !isStaged { try await publish() }
      return
    }
    let bytes = state.withLock { $0.buffer }
    guard try await storage.put(bytes, at: key, replaces: replaces) else { throw exists }
    state.withLock { ($0.end, $0.buffer) = (.published, []) }
  }

  /// Joins the parts, so that the object appears.
  func publish() async throws(Problem) {
    guard let plan = completion else { throw Problem(.cancelled, "interrupted", at: name) }
    let outcome = try await Self.complete(plan, replaces: replaces, storage)
    // Otherwise the upload still exists.
    guard outcome else { throw exists }
    detach()
  }

  /// The request that makes the object appear; nil after the end.
  var completion: S3Completion? {
    state.withLock { state in
      guard state.end == nil, let id = state.id else { return nil }
      return S3Completion(key: key, id: id, mark: uploadMark, parts: state.parts.sorted { $0.number < $1.number })
    }
  }

  /// Leaves the upload, also when this process ends: the caller completes it.
  func detach() {
    let ticket = state.withLock { state in
      state.end = .published
      return state.ticket
    }
    if let ticket { S3Uploads.end(ticket) }
  }

  /// Joins the parts of an upload.
  /// - Returns: false if an object exists that may not be replaced.
  /// - Throws: `io` if the upload does not exist, and its object does not either.
  static func complete(_ plan: S3Completion, replaces: Bool, _ storage: S3Storage) async throws(Problem) -> Bool {
    var call = S3Call(.post, plan.key)
    call.query = [("uploadId", plan.id)]
    // Servers for tests write Response.
    call.roots = ["CompleteMultipartUploadResult", "CompleteMultipartUploadResponse", "Error"]
    call.headers = [HTTPHeader("Content-Type", "application/xml")]
    if !replaces { call.headers.append(HTTPHeader("If-None-Match", "*")) }
    call.body = Array(plan.document.utf8)
    let response = try await storage.send(call), document = response.document, code = document["Code"]
    if response.status == 200, code == nil, document["ETag"] != nil { return true }
    // Of an attempt whose response was lost, or of another process that completes the same list, nothing is left.
    let isGone = code == "NoSuchUpload" || response.status == 404
    if isGone || response.status == 412 || response.status == 409 {
      if try await storage.description(of: plan.key)?.mark == plan.mark { return true }
      if response.status == 412 { return false }
    }
    if isGone {
      throw Problem(.io, "the upload was removed before it was complete", at: storage.place(of: plan.key))
    }
    throw storage.failure(response, plan.key)
  }

  func abandon() async {
    // A second caller waits for the first: the process may end when it returns.
    let ending = state.withLock { state -> Task<Void, Never>? in
      if state.end != nil { return state.ending }
      let left = state
      (state.end, state.buffer, state.sending) = (.abandoned, [], [])
      // A task of its own, because the caller may have been cancelled.
      state.ending = Task { await self.abort(left) }
      return state.ending
    }
    await ending?.value
  }

  private func abort(_ left: State) async {
    // A part that the server completes after the end of its upload would stay: those on their way may arrive before it.
    let timer = Task {
      try? await Task.sleep(for: Self.patience)
      for task in left.sending { task.cancel() }
    }
    for task in left.sending { _ = await task.value }
    timer.cancel()
    if let id = left.id {
      var call = S3Call(.delete, key)
      call.query = [("uploadId", id)]
      call.isUrgent = true
      _ = try? await storage.send(call)
    }
    if let ticket = left.ticket { S3Uploads.end(ticket) }
  }
}

/// An upload whose parts the server has.
struct S3Completion: Sendable, Hashable {
  let key: String, id: String, mark: String
  let parts: [S3Upload.Part]

  fileprivate var document: String {
    let parts = parts.map { part in
      let tag = part.tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      return
        "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(tag)</ETag><ChecksumSHA256>\(part.checksum)</ChecksumSHA256></Part>"
    }
    return
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())</CompleteMultipartUpload>"
  }
}
