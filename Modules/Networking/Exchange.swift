internal import CCurl
import Domain
import Rows
import Synchronization

/// The mailbox of one transfer: the agent's thread fills it, one reader empties it.
///
/// It holds at most a MiB; then the transfer is paused until the reader has caught up, so a slow reader slows the
/// server.
@safe final class Exchange: @unchecked Sendable {
  struct Head: Sendable {
    var status: Int
    var headers: HTTPFields
    /// Whether the response states where its body ends.
    let isDelimited: Bool
  }

  @safe private struct State {
    /// The block of header lines that is being received.
    var status = 0
    var headers = HTTPFields()
    /// The number of content encodings.
    var packings = 0
    var headerBytes = 0
    var isHeadComplete = false
    /// Whether it is a response of HTTP/1, which may end with the connection.
    var isOld = false
    var chunks: [[UInt8]] = []
    var firstChunk = 0
    var waitingBytes = 0
    var totalBytes = 0
    var isPaused = false
    var end: Result<Void, Problem>?
    var headReader: UnsafeContinuation<Result<Head, Problem>, Never>?
    var bodyReader: UnsafeContinuation<Void, Never>?
    /// The peer's address, in numbers; empty for a proxy.
    var address = ""
    /// Why a callback broke the transfer off.
    var refusal: Problem?
    /// Whether the reader is to be notified; and whether enough data is there for that.
    var isNoted = false, isDue = false

    /// The outcome of the head; nil until it arrives.
    var knownHead: Result<Head, Problem>? {
      if isHeadComplete {
        let isDelimited = !isOld || ["Content-Length", "Transfer-Encoding"].contains { headers.value(of: $0) != nil }
        return .success(Head(status: status, headers: headers, isDelimited: isDelimited))
      }
      if case .failure(let problem) = end { return .failure(problem) }
      return nil
    }
  }

  static let capacity = 1 << 20
  private static let chunkCapacity = 64 << 10
  private static let maximumHeaderBytes = 256 << 10

  private let url: String
  private let maximumBytes: Int
  private let reach: PrivateReach
  private let state = Mutex(State())
  /// Where the agent hears of what came; it sets and reads this on its own thread.
  var arrivals: Arrivals?

  /// A mailbox for one transfer; `reach` decides which addresses it may talk to.
  init(url: String, maximumBytes: Int, reach: PrivateReach) {
    self.url = url
    self.maximumBytes = maximumBytes
    self.reach = reach
  }

  /// The URL for messages, without credentials.
  var place: String { URLText.redacted(url) }

  // MARK: the agent's side

  /// Whether a connection may be opened to an address.
  func mayConnect(to address: String, port: Int) -> Bool {
    guard reach.refuses(address, port) else { return true }
    state.withLock { $0.refusal = PrivateAddress.refusal(of: address, at: place) }
    return false
  }

  /// Takes the peer's address before anything is sent to it; false breaks the transfer off.
  func take(address: String, port: Int) -> Bool {
    state.withLock { $0.address = reach.isProxy(port) ? "" : address }
    return mayConnect(to: address, port: port)
  }

  /// Takes one header line; false breaks the transfer off.
  func take(header line: UnsafeRawBufferPointer) -> Bool {
    var end = line.count
    while end > 0, unsafe line[end - 1] == 13 || line[end - 1] == 10 { end -= 1 }
    return state.withLock { state in
      state.headerBytes += line.count
      guard state.headerBytes <= Self.maximumHeaderBytes else {
        state.refusal = Problem(.badData, "the response headers are too long", at: place)
        return false
      }
      let start = unsafe Array(line.prefix(min(end, 6)))
      if start.starts(with: "HTTP/".utf8) {
        state.status = unsafe Self.status(UnsafeRawBufferPointer(rebasing: line[..<end]))
        state.headers = HTTPFields()
        state.packings = 0
        state.isOld = start.last == UInt8(ascii: "1")
      } else if end == 0 {
        // 1xx precedes the final response.
        guard state.status >= 200 else { return true }
        state.isHeadComplete = true
        note(&state)
      } else if !state.isHeadComplete {
        state.packings += unsafe Self.packings(UnsafeRawBufferPointer(rebasing: line[..<end]))
        guard state.packings <= 1 else {
          // A few bytes could become gigabytes before the reader sees them.
          state.refusal = Problem(.badData, "refusing a response with more than one content encoding", at: place)
          return false
        }
        unsafe state.headers.append(line: UnsafeRawBufferPointer(rebasing: line[..<end]).bytes)
      }
      return true
    }
  }

  /// The number after the first space; 0 if there is none.
  private static func status(_ line: UnsafeRawBufferPointer) -> Int {
    var digits = unsafe line.drop { $0 != 32 }.drop { $0 == 32 }.prefix { $0 != 32 }
    guard unsafe digits.count == 3 else { return 0 }
    var status = 0
    while let digit = unsafe digits.popFirst() {
      guard digit &- 48 < 10 else { return 0 }
      status = status * 10 + Int(digit &- 48)
    }
    return status
  }

  /// The number of content encodings in a header line.
  private static func packings(_ line: UnsafeRawBufferPointer) -> Int {
    // Most lines begin with another letter.
    guard let first = unsafe line.first, first | 32 == UInt8(ascii: "c") || first | 32 == UInt8(ascii: "t") else {
      return 0
    }
    for name in ["content-encoding:", "transfer-encoding:"] {
      let start = unsafe line.prefix(name.utf8.count)
      guard unsafe start.elementsEqual(name.utf8, by: { $0 | 32 == $1 }) else { continue }
      let words = unsafe String(decoding: line[start.endIndex...], as: UTF8.self).lowercased().split {
        ", \t".contains($0)
      }
      return words.count { $0 != "chunked" && $0 != "identity" }
    }
    return 0
  }

  /// Takes decoded bytes; tells libcurl how many were taken, or to pause.
  func take(body bytes: UnsafeRawBufferPointer) -> Int {
    state.withLock { state in
      if state.waitingBytes >= Self.capacity {
        state.isPaused = true
        return Int(CURL_WRITEFUNC_PAUSE)
      }
      state.totalBytes += bytes.count
      guard state.totalBytes <= maximumBytes else {
        state.refusal = Problem(.badData, "the response is larger than \(maximumBytes >> 20) MiB", at: place)
        return 0
      }
      let last = state.chunks.count - 1
      if last >= state.firstChunk, state.chunks[last].count + bytes.count <= Self.chunkCapacity {
        unsafe state.chunks[last].append(contentsOf: bytes)
      } else {
        state.chunks.append([])
        // A piece as large as libcurl gives is mostly followed by another.
        state.chunks[last + 1].reserveCapacity(bytes.count < 16 << 10 ? bytes.count : Self.chunkCapacity)
        unsafe state.chunks[last + 1].append(contentsOf: bytes)
      }
      state.waitingBytes += bytes.count
      note(&state)
      return bytes.count
    }
  }

  /// Notifies the reader when the agent has processed the available data.
  private func note(_ state: inout State) {
    let isDue = state.end != nil || state.waitingBytes >= Self.chunkCapacity
    guard !state.isNoted || isDue && !state.isDue else { return }
    (state.isNoted, state.isDue) = (true, isDue)
    arrivals?.note(self, isDue: isDue)
  }

  func tellReader() {
    let (head, body, result) = unsafe state.withLock { state in
      (state.isNoted, state.isDue) = (false, false)
      let result = state.knownHead
      defer {
        if result != nil { unsafe state.headReader = nil }
        unsafe state.bodyReader = nil
      }
      return unsafe (result == nil ? nil : state.headReader, state.bodyReader, result)
    }
    if let result { unsafe head?.resume(returning: result) }
    unsafe body?.resume()
  }

  /// Whether the header arrived whole.
  var hasHead: Bool { state.withLock { $0.isHeadComplete } }

  /// Whether the transfer has ended, well or not.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  func finish(_ result: Result<Void, Problem>) {
    state.withLock { state in
      var result = result
      if case .failure = result, let refusal = state.refusal { result = .failure(refusal) }
      if case .success = result, !state.isHeadComplete {
        result = .failure(Problem(.badData, "the response has no headers", at: place))
      }
      if state.end == nil { state.end = result }
      note(&state)
    }
  }

  // MARK: the reader's side

  /// Whether the server that answered is in a private network; nil if a proxy hides its address.
  var isPrivate: Bool? {
    let address = state.withLock { $0.address }
    return address.isEmpty ? nil : PrivateNetwork.contains(address)
  }

  /// Whether there are bytes of the body, or its end, without waiting.
  var isReady: Bool { state.withLock { $0.firstChunk < $0.chunks.count || $0.end != nil } }

  func head() async throws(Problem) -> Head {
    let result: Result<Head, Problem> = await unsafe withUnsafeContinuation { continuation in
      let known = state.withLock { state -> Result<Head, Problem>? in
        if let known = state.knownHead { return known }
        unsafe state.headReader = continuation
        return nil
      }
      if let known { unsafe continuation.resume(returning: known) }
    }
    return try result.get()
  }

  /// The next bytes of the body; nil at the end. `resume` is called when the transfer was paused and can continue.
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
      await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let isReady = state.withLock { state in
          if state.firstChunk < state.chunks.count || state.end != nil { return true }
          unsafe state.bodyReader = continuation
          return false
        }
        if isReady { unsafe continuation.resume() }
      }
    }
  }
}
