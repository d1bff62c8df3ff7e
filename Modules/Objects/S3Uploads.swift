import Codecs
import Dispatch
public import Domain
public import Rows
import Synchronization

/// The uploads of the process that are not complete, to be aborted when it is interrupted.
public enum S3Uploads {
  private struct State {
    var isEnding = false
    var next = 0
    /// Nil while the server has not named the upload yet.
    var uploads: [Int: (@Sendable () async -> Void)?] = [:]
  }
  private static let state = Mutex(State())

  /// Announces an upload.
  /// - Throws: `cancelled` if the process is about to end.
  static func begin(_ place: String) throws(Problem) -> Int {
    let ticket = state.withLock { state -> Int? in
      if state.isEnding { return nil }
      state.next += 1
      state.uploads.updateValue(nil, forKey: state.next)
      return state.next
    }
    guard let ticket else { throw Problem(.cancelled, "interrupted", at: place) }
    return ticket
  }

  static func note(_ ticket: Int, _ abort: @escaping @Sendable () async -> Void) {
    state.withLock { _ = $0.uploads.updateValue(abort, forKey: ticket) }
  }

  /// Forgets an upload that is complete or aborted.
  static func end(_ ticket: Int) { state.withLock { _ = $0.uploads.removeValue(forKey: ticket) } }

  /// Aborts all uploads; waits at most five seconds. May be called from the thread that waits for signals.
  public static func abortAll() {
    let isIdle = state.withLock { state in
      state.isEnding = true
      return state.uploads.isEmpty
    }
    if isIdle { return }
    let done = DispatchSemaphore(value: 0)
    Task {
      while true {
        let (aborts, isEmpty) = state.withLock { ($0.uploads.values.compactMap(\.self), $0.uploads.isEmpty) }
        if isEmpty { break }
        await withTaskGroup { group in for abort in aborts { group.addTask { await abort() } } }
        // Those whose beginning is under way.
        if aborts.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
      }
      done.signal()
    }
    _ = done.wait(timeout: .now() + 5)
  }
}

extension S3Storage {
  /// The unfinished uploads of objects whose keys begin with `prefix`.
  public func uploads(withPrefix prefix: String) async throws(Problem) -> [UnfinishedUpload] {
    var found: [UnfinishedUpload] = [], marker: (key: String, upload: String)?
    while true {
      var call = S3Call(.get, "")
      call.query = [("encoding-type", "url"), ("prefix", prefix), ("uploads", "")]
      call.roots = ["ListMultipartUploadsResult"]
      if let marker { call.query += [("key-marker", marker.key), ("upload-id-marker", marker.upload)] }
      let response = try await send(call)
      guard response.status == 200 else { throw failure(response, prefix) }
      let document = response.document, isEncoded = document["EncodingType"] == "url"
      func key(_ text: String) throws(Problem) -> String {
        guard let key = isEncoded ? Self.decoded(text) : text else {
          throw Problem(.badData, "the server listed an invalid upload", at: place(of: prefix))
        }
        return key
      }
      for upload in document.elements(in: "Upload") {
        guard let name = upload["Key"], let identifier = upload["UploadId"] else {
          throw Problem(.badData, "the server listed an invalid upload", at: place(of: prefix))
        }
        let object = try key(name), started = upload["Initiated"].flatMap(Instant.init(response:))
        // Servers without prefixes list everything.
        guard object.utf8.starts(with: prefix.utf8) else { continue }
        found.append(UnfinishedUpload(key: object, identifier: identifier, started: started))
      }
      if document["IsTruncated"] != "true" { break }
      let next = try document["NextKeyMarker"].map(key)
      let following = (key: next ?? "", upload: document["NextUploadIdMarker"] ?? "")
      if next == nil || marker.map({ $0 == following }) == true {
        throw Problem(.badData, "the server repeats a page of the list, or omits one", at: place(of: prefix))
      }
      marker = following
    }
    return found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Removes the parts of an upload.
  public func abort(_ upload: UnfinishedUpload) async throws(Problem) {
    var call = S3Call(.delete, upload.key)
    call.query = [("uploadId", upload.identifier)]
    let response = try await send(call)
    guard [200, 204, 404].contains(response.status) else { throw failure(response, upload.key) }
  }
}

extension Instant {
  /// The time of a response, whose fraction of a second is omitted; nil for other text.
  init?(response text: String) {
    guard let utc = Dates.utc(Array(text.utf8)) else { return nil }
    self.init(timestamp: String(decoding: utc.prefix(19), as: UTF8.self) + "Z")
  }
}
