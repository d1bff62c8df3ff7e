internal import CCurl
internal import Domain
import Synchronization

/// The mailbox of one transfer: the agent's thread puts the answer in, one reader takes it out.
///
/// At most a MiB waits in it; then the transfer is paused until the reader has caught up, so a slow reader slows the server.
final class Exchange: Sendable {
  /// The head of an answer.
  struct Head: Sendable {
    var status: Int
    var headers: [HTTPHeader]
  }

  private struct State {
    /// The block of header lines that is being received.
    var status = 0
    var headers: [HTTPHeader] = []
    var headerBytes = 0
    var isHeadComplete = false
    var chunks: [[UInt8]] = []
    var firstChunk = 0
    var waitingBytes = 0
    var totalBytes = 0
    var isPaused = false
    var end: Result<Void, Problem>?
    var headReader: CheckedContinuation<Result<Head, Problem>, Never>?
    var bodyReader: CheckedContinuation<Void, Never>?
    /// Whether the peer is in a private network.
    var isPrivate = false
    /// Why a callback broke the transfer off.
    var refusal: Problem?
  }

  static let capacity = 1 << 20
  private static let maximumHeaderBytes = 256 << 10

  let place: String
  private let maximumBytes: Int
  private let mayBePrivate: Bool
  private let state = Mutex(State())

  /// A mailbox for one transfer; `mayBePrivate` lets it talk to an address in a private network.
  init(place: String, maximumBytes: Int, mayBePrivate: Bool) {
    self.place = place
    self.maximumBytes = maximumBytes
    self.mayBePrivate = mayBePrivate
  }

  // MARK: the agent's side

  /// Takes the peer's address before anything is sent to it; false breaks the transfer off.
  func take(address: String) -> Bool {
    let isPrivate = PrivateNetwork.contains(address)
    return state.withLock { state in
      state.isPrivate = isPrivate
      guard isPrivate, !mayBePrivate else { return true }
      state.refusal = Problem(.badData, "a redirect leads into a private network, which is refused", at: place)
      return false
    }
  }

  /// Takes one header line; false breaks the transfer off.
  func take(header line: UnsafeRawBufferPointer) -> Bool {
    var end = line.count
    while end > 0, unsafe line[end - 1] == 13 || line[end - 1] == 10 { end -= 1 }
    let (ok, ready) = state.withLock { state -> (Bool, (CheckedContinuation<Result<Head, Problem>, Never>, Head)?) in
      state.headerBytes += line.count
      guard state.headerBytes <= Self.maximumHeaderBytes else {
        state.refusal = Problem(.badData, "the answer's header is too long", at: place)
        return (false, nil)
      }
      if end >= 5, unsafe line[..<5].elementsEqual("HTTP/".utf8) {
        let words = unsafe line[..<end].split(separator: 32)
        state.status = unsafe words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        state.headers = []
      } else if end == 0 {
        // 1xx announces the answer that counts.
        guard state.status >= 200 else { return (true, nil) }
        state.isHeadComplete = true
        let reader = state.headReader
        state.headReader = nil
        return (true, reader.map { ($0, Head(status: state.status, headers: state.headers)) })
      } else if !state.isHeadComplete, let colon = unsafe line[..<end].firstIndex(of: UInt8(ascii: ":")) {
        let value = unsafe line[(colon + 1)..<end].drop { $0 == 32 || $0 == 9 }
        unsafe state.headers.append(
          HTTPHeader(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
      }
      return (true, nil)
    }
    ready?.0.resume(returning: .success(ready!.1))
    return ok
  }

  /// Takes decoded bytes; tells libcurl how many were taken, or to pause.
  func take(body bytes: UnsafeRawBufferPointer) -> Int {
    let (taken, reader) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      if state.waitingBytes >= Self.capacity {
        state.isPaused = true
        return (Int(CURL_WRITEFUNC_PAUSE), nil)
      }
      state.totalBytes += bytes.count
      guard state.totalBytes <= maximumBytes else {
        state.refusal = Problem(.badData, "the answer is larger than \(maximumBytes >> 20) MiB", at: place)
        return (0, nil)
      }
      unsafe state.chunks.append(Array(bytes))
      state.waitingBytes += bytes.count
      let reader = state.bodyReader
      state.bodyReader = nil
      return (bytes.count, reader)
    }
    reader?.resume()
    return taken
  }

  /// Whether the header arrived whole.
  var hasHead: Bool { state.withLock { $0.isHeadComplete } }

  /// Whether the transfer has ended, well or not.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// The transfer has ended.
  func finish(_ result: Result<Void, Problem>) {
    let (head, body, problem) = state.withLock { state in
      var result = result
      if case .failure = result, let refusal = state.refusal { result = .failure(refusal) }
      if case .success = result, !state.isHeadComplete {
        result = .failure(Problem(.badData, "the answer has no header", at: place))
      }
      if state.end == nil { state.end = result }
      defer { (state.headReader, state.bodyReader) = (nil, nil) }
      let problem: Problem? = if case .failure(let problem) = result { problem } else { nil }
      return (state.headReader, state.bodyReader, problem)
    }
    head?.resume(returning: .failure(problem ?? Problem(.badData, "the answer has no header", at: place)))
    body?.resume()
  }

  // MARK: the reader's side

  /// Whether the peer that answered is in a private network.
  var isPrivate: Bool { state.withLock { $0.isPrivate } }

  /// Waits for the head.
  func head() async throws(Problem) -> Head {
    let result: Result<Head, Problem> = await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Result<Head, Problem>? in
        if state.isHeadComplete { return .success(Head(status: state.status, headers: state.headers)) }
        if case .failure(let problem) = state.end { return .failure(problem) }
        state.headReader = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    return try result.get()
  }

  /// The next bytes of the body; nil at the end. `resume` is called when the transfer was paused and may go on.
  func next(resume: () -> Void) async throws(Problem) -> [UInt8]? {
    while true {
      var wasPaused = false
      let (chunk, end) = state.withLock { state -> ([UInt8]?, Result<Void, Problem>?) in
        guard state.firstChunk < state.chunks.count else { return (nil, state.end) }
        let chunk = state.chunks[state.firstChunk]
        state.firstChunk += 1
        state.waitingBytes -= chunk.count
        if state.firstChunk == state.chunks.count { (state.chunks, state.firstChunk) = ([], 0) }
        if state.isPaused, state.waitingBytes < Self.capacity / 2 {
          state.isPaused = false
          wasPaused = true
        }
        return (chunk, nil)
      }
      if wasPaused { resume() }
      if let chunk { return chunk }
      if let end {
        try end.get()
        return nil
      }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.firstChunk < state.chunks.count || state.end != nil { return true }
          state.bodyReader = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}
