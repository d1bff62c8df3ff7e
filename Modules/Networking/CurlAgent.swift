import Domain
internal import CCurl
import Glibc
import Rows
import Synchronization

/// One thread that serves all transfers over one multi handle: connections are kept and shared.
///
/// Tasks can run on it as well, one job at a time, and then read their responses without waking another thread. While
/// one of them works, incoming data waits in system buffers.
@safe final class CurlAgent: TaskExecutor {
  private enum Order: Sendable {
    case start(Transfer)
    case resume(ObjectIdentifier)
    case cancel(ObjectIdentifier)
  }

  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
  private nonisolated(unsafe) let loop: OpaquePointer
  private let arrivals = Arrivals()
  private struct Inbox {
    var orders: [Order] = []
    var jobs: [UnownedJob] = []
    /// Whether the thread waits for the network, and has to be woken.
    var isAsleep = false
  }
  private let inbox = Mutex(Inbox())

  /// Starts the thread; the library must be loaded.
  init(connectionsPerHost: Int) throws(Problem) {
    guard let multi = unsafe bb_curl_multi_init(), let loop = unsafe bb_curl_loop_make(multi) else {
      throw Problem(.bug, "libcurl: cannot create a multi handle")
    }
    unsafe self.multi = multi
    unsafe self.loop = loop
    _ = unsafe bb_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    _ = unsafe bb_curl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 100)
    // Otherwise few connections are kept when few requests are pending, and later requests reconnect.
    _ = unsafe bb_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 2 * connectionsPerHost)
    var thread = pthread_t()
    let agent = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<CurlAgent>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, agent)
    guard code == 0 else { throw Problem(.bug, "cannot start the network thread") }
    pthread_detach(thread)
  }

  func start(_ transfer: Transfer) { order(.start(transfer)) }
  func resume(_ exchange: Exchange) { order(.resume(ObjectIdentifier(exchange))) }
  /// Breaks a transfer off; nothing happens when it has ended.
  func cancel(_ exchange: Exchange) { order(.cancel(ObjectIdentifier(exchange))) }

  /// Enqueues `job` on the thread, in order.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    put { $0.jobs.append(job) }
  }

  private func order(_ order: Order) { put { $0.orders.append(order) } }

  private func put(_ change: (inout Inbox) -> Void) {
    let isAsleep = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAsleep = false }
      return inbox.isAsleep
    }
    if isAsleep { unsafe bb_curl_loop_ring(loop) }
  }

  /// The thread's work, as long as the process lives.
  private func serve() {
    var transfers: [UnsafeMutableRawPointer: Transfer] = unsafe [:]
    let executor = unsafe asUnownedTaskExecutor()
    while true {
      // First what readers do, for they order more.
      while let jobs = takeJobs() { for job in jobs { unsafe job.runSynchronously(on: executor) } }
      let orders = inbox.withLock { inbox in
        defer { inbox.orders.removeAll(keepingCapacity: true) }
        return inbox.orders
      }
      for order in orders {
        switch order {
        case .start(let transfer):
          transfer.exchange.arrivals = arrivals
          guard unsafe bb_curl_multi_add(multi, transfer.pointer) == CURLM_OK else {
            transfer.exchange.finish(
              .failure(Problem(.bug, "libcurl: cannot start the transfer", at: transfer.exchange.place)))
            continue
          }
          unsafe transfers[transfer.pointer] = transfer
        case .resume(let id):
          if let transfer = unsafe transfers.values.first(where: { ObjectIdentifier($0.exchange) == id }) {
            _ = unsafe bb_curl_loop_resume(loop, transfer.pointer)
          }
        case .cancel(let id):
          guard let transfer = unsafe transfers.values.first(where: { ObjectIdentifier($0.exchange) == id }) else {
            continue
          }
          _ = unsafe bb_curl_multi_remove(multi, transfer.pointer)
          unsafe transfers[transfer.pointer] = nil
          transfer.exchange.finish(
            .failure(Problem(.cancelled, "the request was cancelled", at: transfer.exchange.place)))
        }
      }
      let mayWait = inbox.withLock { inbox in
        inbox.isAsleep = inbox.orders.isEmpty && inbox.jobs.isEmpty && arrivals.isEmpty
        return inbox.isAsleep
      }
      let isQuiet = unsafe bb_curl_loop_run(loop, mayWait ? 1000 : 0) == 0
      if mayWait { inbox.withLock { $0.isAsleep = false } }
      var done: UnsafeMutableRawPointer?, code = CURLE_OK
      while unsafe bb_curl_multi_next_done(multi, &done, &code) != 0 {
        guard let pointer = unsafe done, let transfer = unsafe transfers.removeValue(forKey: pointer) else { continue }
        _ = unsafe bb_curl_multi_remove(multi, pointer)
        transfer.end(code)
      }
      arrivals.tellReaders(isQuiet: isQuiet)
    }
  }

  /// The next jobs of readers; nil if there are none.
  private func takeJobs() -> [UnownedJob]? {
    inbox.withLock { inbox in
      defer { inbox.jobs = [] }
      return inbox.jobs.isEmpty ? nil : inbox.jobs
    }
  }
}

/// Mailboxes that received data since their readers were notified; used on the agent's thread alone.
///
/// A reader is notified when its response is complete or a large part has arrived; of less when no more data is
/// pending.
@safe final class Arrivals: @unchecked Sendable {
  private var due: [Exchange] = []
  private var begun: [Exchange] = []
  /// The maximum number of waiting mailboxes; most of them have become due in the meantime.
  private static let most = 64
  var isEmpty: Bool { due.isEmpty && begun.isEmpty }

  /// Has the reader of a mailbox told: at once, or when it is quiet.
  func note(_ exchange: Exchange, isDue: Bool) {
    if isDue { due.append(exchange) } else { begun.append(exchange) }
  }

  func tellReaders(isQuiet: Bool) {
    for exchange in due { exchange.tellReader() }
    due.removeAll(keepingCapacity: true)
    guard isQuiet || begun.count >= Self.most else { return }
    for exchange in begun { exchange.tellReader() }
    begun.removeAll(keepingCapacity: true)
  }
}

/// A handle on its way, with the mailbox it fills.
@safe final class Transfer: @unchecked Sendable {
  private let handle: CurlHandle
  let exchange: Exchange
  private let timeout: Duration

  init(_ handle: consuming CurlHandle, _ exchange: Exchange, timeout: Duration) {
    self.handle = handle
    self.exchange = exchange
    self.timeout = timeout
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    unsafe self.handle.set(CURLOPT_HEADERDATA, context)
    unsafe self.handle.set(
      CURLOPT_HEADERFUNCTION,
      { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(header: line)
          ? size * count : 0
      })
    unsafe self.handle.set(
      prerequest: { context, address, _, port, _ in
        guard let context = unsafe context, let address = unsafe address else { return 1 }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        return unsafe exchange.take(address: String(cString: address), port: Int(port)) ? 0 : 1
      }, context)
    // A connection that is kept is not opened again, and one to be opened has no request yet: both are checked.
    unsafe self.handle.set(
      permission: { context, address, port in
        guard let context = unsafe context, let address = unsafe address else { return 0 }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        return unsafe exchange.mayConnect(to: String(cString: address), port: Int(port)) ? 1 : 0
      }, context)
    unsafe self.handle.set(CURLOPT_WRITEDATA, context)
    unsafe self.handle.set(
      CURLOPT_WRITEFUNCTION,
      { bytes, size, count, context in
        guard let context = unsafe context else { return 0 }
        let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(body: chunk)
      })
  }

  var pointer: UnsafeMutableRawPointer { unsafe handle.pointer }

  func end(_ code: CURLcode) {
    exchange.finish(
      code == CURLE_OK
        ? .success(()) : .failure(Self.problem(code, exchange.place, timeout, hasHead: exchange.hasHead)))
  }

  /// The problem that an error of libcurl means.
  private static func problem(_ code: CURLcode, _ place: String, _ timeout: Duration, hasHead: Bool) -> Problem {
    func passing(_ message: String, _ hint: Remedy = "") -> Problem {
      var problem = Problem(.unavailable, message, at: place, hint: hint)
      problem.isTransient = true
      return problem
    }
    switch code {
    case CURLE_URL_MALFORMAT: return Problem(.usage, "invalid URL", at: place)
    case CURLE_COULDNT_RESOLVE_PROXY:
      return passing("cannot resolve the proxy's host name", ["check http_proxy", .set(.proxy, to: "none")])
    case CURLE_COULDNT_RESOLVE_HOST: return passing("cannot resolve the host name")
    case CURLE_COULDNT_CONNECT: return passing("connection failed")
    case CURLE_OPERATION_TIMEDOUT:
      // The remaining time after an earlier attempt is shown in whole seconds, rounded up.
      let seconds = max(0, timeout.components.seconds + (timeout.components.attoseconds > 0 ? 1 : 0))
      return passing("no complete response within \(seconds) s, or transfer too slow")
    case CURLE_SSL_CONNECT_ERROR: return passing("TLS connection failed")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM:
      return Problem(
        .unavailable, "the server's certificate is not trusted", at: place,
        hint: .set(.certificates, for: "pass the CA certificate of a server that you trust"))
    case CURLE_SSL_CACERT_BADFILE:
      return Problem(
        .noInput, "cannot read the CA certificate file", at: place, hint: .set(.certificates, for: "name another file"))
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM, CURLE_HTTP2:
      return passing("the response was truncated")
    case CURLE_BAD_CONTENT_ENCODING: return Problem(.badData, "the response has an invalid content encoding", at: place)
    // The URL's scheme was checked before: an unsupported protocol is what the server speaks.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
      return Problem(.badData, "the response is not HTTP", at: place)
    // libcurl's error for a header line above 100 kB, and for 64 MiB of decompressed data that the reader has not
    // taken.
    case CURLE_OUT_OF_MEMORY:
      return Problem(
        .badData, hasHead ? "the decompressed response is too large" : "the response headers are too long", at: place)
    case CURLE_FILESIZE_EXCEEDED: return Problem(.badData, "the response is too large", at: place)
    default: return unsafe Problem(.unavailable, String(cString: bb_curl_strerror(code)), at: place)
    }
  }
}
