public import Domain
import Glibc
public import Rows
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 for tests: a thread that accepts connections, a thread for each connection,
/// responses from a closure.
///
/// A response may be well-formed, or raw bytes that are not. The server records the requests, and lives as long as the
/// test run.
@safe public final class LoopbackServer: Sendable {
  /// A request.
  public struct Request: Sendable {
    /// The method, as sent.
    public let method: String
    /// The path without the query, percent-decoded.
    public let path: String
    /// The query's parameters, decoded; the first of several with one name.
    public let query: [String: String]
    /// The header fields, names in lower case.
    public let headers: [String: String]
    /// The body.
    public let body: [UInt8]
  }

  /// A response.
  public enum Answer: Sendable {
    /// A status, header fields and a body; its length is added.
    case whole(Int, [HTTPHeader], [UInt8])
    /// These bytes, then the end: closed, or reset, or held open for a while in silence.
    case raw([UInt8], then: Ending)
    /// One step after another, then the end.
    case steps([Step])

    /// A JSON document.
    public static func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> Answer {
      .whole(status, [HTTPHeader("Content-Type", "application/json")] + headers, Array(text.utf8))
    }
  }

  /// A step of a server that misbehaves.
  public enum Step: Sendable {
    /// Sends these bytes.
    case send([UInt8])
    /// Sends these bytes one at a time, so many milliseconds apart.
    case drip([UInt8], every: Int)
    /// Sends these bytes again and again, until the client closes the connection or a minute is over.
    case endless([UInt8])
    /// Does nothing for so many milliseconds.
    case pause(Int)
    /// Does nothing until this is so, for a minute at most.
    case wait(@Sendable () -> Bool)
    case reset
  }

  /// The end of a raw response.
  public enum Ending: Sendable {
    case close, reset
    /// Nothing comes for so many milliseconds; then the connection is closed.
    case silence(Int)
    /// The bytes are sent again and again, so many times.
    case again(Int)
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let answer: @Sendable (Request) -> Answer
  private let log = Mutex<[Request]>([])

  /// Starts a server that answers by `answer`.
  /// - Throws: `io` when there is no port.
  public init(_ answer: @escaping @Sendable (Request) -> Answer) throws(Problem) {
    self.answer = answer
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(socket, generic, length) == 0 && listen(socket, 256) == 0
          && getsockname(socket, generic, &length) == 0
      }
    }
    guard isBound else { throw Problem(.io, "no port for the test server") }
    port = UInt16(bigEndian: address.sin_port)
    start { server in server.accept() }
  }

  /// `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(port)" }
  /// The requests so far, in the order of arrival.
  public var requests: [Request] { log.withLock { $0 } }

  /// Runs `body` on a thread of its own.
  private func start(_ body: @escaping @Sendable (LoopbackServer) -> Void) {
    let work = unsafe Unmanaged.passRetained(Work { body(self) }).toOpaque()
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, work)
    pthread_detach(thread)
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      // A program that a test starts would keep the connection open.
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      unsafe setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      unsafe setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      start { $0.serve(client) }
    }
  }

  private func serve(_ client: Int32) {
    defer { close(client) }
    var buffer: [UInt8] = []
    while let request = read(client, &buffer) {
      log.withLock { $0.append(request) }
      switch answer(request) {
      case .whole(let status, let headers, let body):
        var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        guard send(Array((head + "\r\n").utf8) + (request.method == "HEAD" ? [] : body), client) else { return }
      case .raw(let bytes, let ending):
        guard send(bytes, client) else { return }
        switch ending {
        case .close: break
        case .reset: reset(client)
        case .silence(let milliseconds): usleep(UInt32(milliseconds) * 1000)
        case .again(let times): for _ in 0..<times { guard send(bytes, client) else { return } }
        }
        return
      case .steps(let steps):
        for step in steps { guard take(step, client) else { return } }
        return
      }
    }
  }

  /// Performs a step; false if the client closed the connection.
  private func take(_ step: Step, _ client: Int32) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes, client)
    case .drip(let bytes, let interval):
      for byte in bytes {
        guard send([byte], client) else { return false }
        usleep(UInt32(interval) * 1000)
      }
    case .endless(let bytes):
      let end = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < end { guard send(bytes, client) else { return false } }
    case .pause(let milliseconds): usleep(UInt32(milliseconds) * 1000)
    case .wait(let isSo): for _ in 0..<6000 where !isSo() { usleep(10_000) }
    case .reset: reset(client)
    }
    return true
  }

  /// Makes the end of the connection a reset.
  private func reset(_ client: Int32) {
    var off = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(client, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
  }

  private func send(_ bytes: [UInt8], _ client: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(client, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// The next request of a connection; nil when it ends.
  private func read(_ client: Int32, _ buffer: inout [UInt8]) -> Request? {
    var block = [UInt8](repeating: 0, count: 1 << 14)
    func more() -> Bool {
      let count = unsafe recv(client, &block, block.count, 0)
      guard count > 0 else { return false }
      buffer += block[..<count]
      return true
    }
    let mark = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
      end = buffer.count < 4 ? nil : (0...(buffer.count - 4)).first { buffer[$0..<($0 + 4)].elementsEqual(mark) }
      if end == nil, !more() { return nil }
    }
    let lines = String(decoding: buffer[..<(end ?? 0)], as: UTF8.self).split(separator: "\r\n")
    buffer.removeFirst((end ?? 0) + 4)
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let length = Int(headers["content-length"] ?? "0") ?? 0
    while buffer.count < length { guard more() else { return nil } }
    let body = Array(buffer[..<length])
    buffer.removeFirst(length)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2 else { return nil }
    let parts = words[1].split(separator: "?", maxSplits: 1)
    var query: [String: String] = [:]
    for pair in parts.count == 2 ? parts[1].split(separator: "&") : [] {
      let sides = pair.split(separator: "=", maxSplits: 1)
      let name = Self.decoded(sides[0])
      if query[name] == nil { query[name] = sides.count == 2 ? Self.decoded(sides[1]) : "" }
    }
    return Request(
      method: String(words[0]), path: Self.decoded(parts.first ?? ""), query: query, headers: headers, body: body)
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == 37, rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == 43 ? 32 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
