import Conformance
import Domain
import Glibc
import Networking
import Rows
import Synchronization
import TestSupport
import Testing

/// A transport for the laws; created for each law.
struct TransportCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () -> any HTTPTransport

  static let all = [
    TransportCase(testDescription: "CurlTransport") { curl() },
    TransportCase(testDescription: "RetryingTransport") { retrying(curl()) },
    TransportCase(testDescription: "CachingTransport") {
      CachingTransport(
        retrying(curl()), directory: TemporaryDirectory().path, policy: CachingTransport.Policy(), date: StillDate()
      ) { _ in }
    },
    TransportCase(testDescription: "RecordingTransport") {
      RecordingTransport(curl(), directory: TemporaryDirectory().path, date: StillDate())
    },
  ]

  static func curl() -> CurlTransport { CurlTransport(TransportOptions(proxy: "none")) }
  static func retrying(_ inner: any HTTPTransport) -> any HTTPTransport {
    RetryingTransport(inner, clock: ContinuousClock(), date: StillDate()) { _ in .zero }
  }
}

@Suite("Transport laws") struct TransportMutantTests {
  @Test("are each broken by a transport that is wrong on purpose") func mutants() async throws {
    let broken = try await Array(Naive.Fault.allCases).mapInParallel(most: 8, on: []) {
      (fault) async throws(Problem) -> Set<String> in
      var broken: Set<String> = []
      for law in TransportLaw.all {
        do { try await law.check(Naive(inner: TransportCase.curl(), fault: fault)) } catch {
          broken.insert(law.description)
        }
      }
      return broken
    }
    for (fault, broken) in zip(Naive.Fault.allCases, broken) {
      #expect(broken.contains { $0.contains(fault.rawValue) }, "\(fault) noticed by \(broken)")
    }
    #expect(broken.reduce(into: []) { $0.formUnion($1) } == Set(TransportLaw.all.map(\.description)))
  }
}

@Suite("Laws of transports", .serialized) struct TransportLawTests {
  @Test("hold", arguments: TransportLaw.all, TransportCase.all)
  func holds(_ law: TransportLaw, _ transport: TransportCase) async throws {
    try await law.check(transport.make())
  }

  @Test("hold for a task on a thread that has the connections", arguments: TransportLaw.all)
  func onReaders(_ law: TransportLaw) async throws {
    let transport = TransportCase.curl()
    let thread = try #require(transport.readers.last)
    try await Task(executorPreference: thread) { try await law.check(transport) }.value
  }

  @Test("what a task on one of the threads asks for comes over that one's connection") func ownConnections()
    async throws
  {
    let server = try LoopbackServer { _ in .json("[]") }
    let transport = TransportCase.curl()
    #expect(transport.readers.count == 2)
    for (number, thread) in transport.readers.enumerated() {
      for _ in 0..<3 {
        let ask = Task(executorPreference: thread) {
          try await transport.send(HTTPRequest(.get, server.url)).bytes()
        }
        _ = try await ask.value
      }
      #expect(connections(to: server).count == number + 1)
    }
    _ = try await transport.send(HTTPRequest(.get, server.url)).bytes()
    #expect(connections(to: server).count == 2, "a request from another task needs no other connection")
  }

  @Test("what has come is given before the rest is there") func pieces() async throws {
    let isGiven = Atomic(false)
    let server = try LoopbackServer { _ in
      .steps([
        .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none".utf8)),
        .wait { isGiven.load(ordering: .sequentiallyConsistent) }, .send(Array("two".utf8)),
      ])
    }
    let response = try await TransportCase.curl().send(HTTPRequest(.get, server.url, timeout: .seconds(120)))
    var chunks: [[UInt8]] = []
    for try await chunk in response.body {
      chunks.append(chunk)
      isGiven.store(true, ordering: .sequentiallyConsistent)
    }
    #expect(chunks == [Array("one".utf8), Array("two".utf8)])
  }

  @Test("an odd number of connections is not one fewer") func oddConnections() async throws {
    let asked = Mutex(0)
    let server = try LoopbackServer { _ in
      asked.withLock { $0 += 1 }
      // None is answered before all are there; a minute is not waited.
      for _ in 0..<6000 where asked.withLock({ $0 < 3 }) { usleep(10_000) }
      return .json(asked.withLock { $0 < 3 } ? "[]" : "[3]")
    }
    let transport = CurlTransport(TransportOptions(proxy: "none", connectionsPerHost: 3))
    let answers = try await [1, 2, 3].mapInParallel(most: 3, on: transport.readers) { (_) async throws(Problem) in
      try await transport.send(HTTPRequest(.get, server.url, timeout: .seconds(120))).bytes()
    }
    #expect(answers == Array(repeating: Array("[3]".utf8), count: 3))
  }

  @Test("no program that is started inherits a connection") func closedOnExec() async throws {
    let server = try LoopbackServer { _ in .json("[]") }
    let transport = TransportCase.curl()
    _ = try await transport.send(HTTPRequest(.get, server.url)).bytes()
    let ours = connections(to: server)
    #expect(!ours.isEmpty)
    #expect(ours.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
  }

  @Test("a reader that does not read holds the server back") func backPressure() async throws {
    let block = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 120, count: 1 << 20)
    for transport in [TransportCase.curl(), TransportCase.retrying(TransportCase.curl())] {
      let server = try LoopbackServer { _ in .raw(block, then: .again(150)) }
      let before = try residentBytes()
      let response = try await transport.send(HTTPRequest(.get, server.url))
      try await ContinuousClock().sleep(for: .milliseconds(700))
      #expect(try residentBytes() - before < 24 << 20)
      var count = 0
      for try await chunk in response.body { count += chunk.count }
      // Each repetition repeats the head as well; only the first is one.
      #expect(count == 151 * block.count - 19)
    }
  }

  /// Our ends of the connections to a server.
  private func connections(to server: LoopbackServer) -> [Int32] {
    (Int32(0)..<4096).filter { descriptor in
      var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isConnected = unsafe withUnsafeMutableBytes(of: &address) {
        unsafe getpeername(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length) == 0
      }
      return isConnected && UInt16(bigEndian: address.sin_port) == server.port
    }
  }

  /// Memory of this process that is really there.
  private func residentBytes() throws -> Int {
    let file = unsafe fopen("/proc/self/statm", "r")
    guard let file = unsafe file else { throw Problem(.io, "no /proc") }
    defer { unsafe fclose(file) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = unsafe fread(&text, 1, text.count, file)
    let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { throw Problem(.io, "no /proc") }
    return pages * 4096
  }
}

/// Transports with one fault each; its value is part of the law that must notice it.
struct Naive: HTTPTransport {
  enum Fault: String, CaseIterable, Sendable {
    case endsQuietly = "truncated response"
    case ignoresLimit = "above the limit"
    case ignoresDeadline = "deadline"
    case followsWithHeaders = "another origin"
    case dropsHeaders = "within an origin"
    case dropsBodies = "as they were sent"
    case everythingIsDown = "not HTTP"
    case repairsHeaders = "line breaks"
    case tellsAll = "without secrets"
    case cannotBeCancelled = "cancelling"
    case knowsOneAnswer = "hundred"
    case keepsCookies = "cookies"
    case trustsData = "private address"
  }

  let inner: any HTTPTransport
  let fault: Fault
  private let first = First()

  init(inner: any HTTPTransport, fault: Fault) {
    self.inner = inner
    self.fault = fault
  }

  private final class First: Sendable {
    let answer = Mutex<[UInt8]?>(nil)
    let cookie = Mutex<String?>(nil)
  }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    var request = request
    switch fault {
    case .ignoresLimit: request.maximumBytes = .max
    case .trustsData: request.comesFromData = false
    case .ignoresDeadline: request.timeout = .seconds(60)
    case .dropsHeaders: request.headers = []
    case .keepsCookies:
      if let cookie = first.cookie.withLock({ $0 }) { request.headers.append(HTTPHeader("Cookie", cookie)) }
    case .repairsHeaders:
      request.headers = request.headers.map {
        HTTPHeader($0.name, String($0.value.filter { $0.isASCII && !$0.isNewline && $0 != "\0" }))
      }
      request.url = String(request.url.unicodeScalars.filter { $0.value > 32 }.map(Character.init))
    default: break
    }
    do throws(Problem) { return try await answer(request) } catch {
      switch fault {
      case .endsQuietly: return HTTPResponse(status: 200, headers: [], url: request.url, body: Bytes([]))
      case .everythingIsDown: throw Problem(.unavailable, error.message, at: error.place)
      case .tellsAll: throw Problem(error.kind, error.message, at: request.url)
      default: throw error
      }
    }
  }

  private func answer(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    if fault == .cannotBeCancelled {
      let inner = inner
      let task = Task { () -> Result<HTTPResponse, Problem> in
        do throws(Problem) { return .success(try await Self.whole(inner.send(request))) } catch {
          return .failure(error)
        }
      }
      return try await task.value.get()
    }
    var response = try await Self.whole(inner.send(request))
    if fault == .followsWithHeaders, response.url != request.url {
      response = try await Self.whole(inner.send(HTTPRequest(.get, response.url, headers: request.headers)))
    }
    if let cookie = response.header("Set-Cookie") { first.cookie.withLock { $0 = cookie } }
    if fault == .dropsBodies { response.body = Bytes([]) }
    if fault == .knowsOneAnswer {
      let bytes = try await response.bytes()
      response.body = Bytes(
        first.answer.withLock { known in
          known = known ?? bytes
          return known ?? bytes
        })
    }
    return response
  }

  private static func whole(_ response: HTTPResponse) async throws(Problem) -> HTTPResponse {
    var copy = response
    copy.body = Bytes(try await response.bytes())
    return copy
  }

  private struct Bytes: AsyncSequence, Sendable {
    typealias Failure = Problem
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    struct AsyncIterator: AsyncIteratorProtocol {
      var bytes: [UInt8]?
      mutating func next() async throws(Problem) -> [UInt8]? {
        defer { bytes = nil }
        return bytes
      }
      mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> [UInt8]? {
        defer { bytes = nil }
        return bytes
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes) }
  }
}
