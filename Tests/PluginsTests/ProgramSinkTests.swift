import Glibc
import Rows
import TestSupport
import Testing

@testable import Plugins

@Suite("bytes through a program") struct ProgramSinkTests {
  /// Counts what it takes.
  private actor Counting: ByteSink {
    nonisolated let name = "counting"
    private(set) var count = 0
    private(set) var isCommitted = false
    nonisolated func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { await add(bytes.count) }
    private func add(_ more: Int) { count += more }
    func commit() async throws(Problem) { isCommitted = true }
    func abandon() async {}
  }

  private static func sink(
    _ script: String, into inner: any ByteSink, total: Duration = .seconds(60)
  ) throws -> ProgramSink {
    _ = signal(SIGPIPE, SIG_IGN)
    var limits = ProgramSink.Limits()
    limits.silence = 300
    limits.total = total
    return try ProgramSink(
      "/bin/sh", ["-c", script], variables: [:], directory: try PrivateDirectory(in: TemporaryDirectory().path),
      into: inner,
      limits: limits)
  }

  @Test("what goes in comes out, and is published at the end alone") func whole() async throws {
    let inner = Counting(), sink = try Self.sink("cat", into: inner)
    var bytes = ByteBuffer(capacity: 1 << 20)
    bytes.append(bytes: [UInt8](repeating: 65, count: 1 << 20))
    for _ in 0..<20 { try await sink.write(bytes) }
    #expect(await !inner.isCommitted)
    try await sink.commit()
    #expect(await inner.count == 20 << 20)
    #expect(await inner.isCommitted)
  }
  @Test("a program that neither reads nor writes is not waited for", arguments: ["sleep 30", "exec >&-; sleep 30"])
  func silent(script: String) async throws {
    let inner = Counting(), sink = try Self.sink(script, into: inner)
    var bytes = ByteBuffer(capacity: 1 << 20)
    bytes.append(bytes: [UInt8](repeating: 65, count: 1 << 20))
    let problem = await #expect(throws: Problem.self) { try await sink.write(bytes) }
    #expect(problem?.kind == .plugIn && problem?.message.contains("no progress for") == true)
    await sink.abandon()
  }
  @Test(
    "the wait ends soon after the program, even if another process holds its pipes",
    arguments: [
      ("sleep 30 & cat", 20 << 20, true), ("sleep 30 2>&- & cat", 20 << 20, true), ("sleep 30 <&0 & exit 0", 0, false),
      ("(sleep 0.3; yes) & cat >/dev/null", 0, true),
    ])
  func heldPipes(script: String, bytes count: Int, isWhole: Bool) async throws {
    let inner = Counting(), sink = try Self.sink("ulimit -t 5; \(script)", into: inner)
    var bytes = ByteBuffer(capacity: 1 << 20)
    bytes.append(bytes: [UInt8](repeating: 65, count: 1 << 20))
    var problem: Problem?
    let began = ContinuousClock.now
    do throws(Problem) {
      for _ in 0..<20 { try await sink.write(bytes) }
      try await sink.commit()
    } catch {
      problem = error
    }
    #expect(began.duration(to: .now) < .seconds(10))
    #expect((problem == nil) == isWhole, "\(problem?.description ?? "")")
    #expect(await inner.isCommitted == isWhole)
    #expect(await inner.count >= count)
    await sink.abandon()
  }
  @Test("a program that drips is ended after the time it has in all") func drips() async throws {
    let inner = Counting()
    let sink = try Self.sink("while echo; do sleep 0.1; done", into: inner, total: .milliseconds(1500))
    let problem = await #expect(throws: Problem.self) { try await sink.commit() }
    #expect(problem?.kind == .plugIn && problem?.message.contains("did not finish within 1 s") == true)
    await sink.abandon()
  }
}
