import Glibc
@testable import Persistence
import Rows
import Testing

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

  private static func sink(_ script: String, into inner: any ByteSink) throws -> ProgramSink {
    _ = signal(SIGPIPE, SIG_IGN)
    var limits = ProgramSink.Limits()
    limits.silence = 300
    return try ProgramSink(
      "/bin/sh", ["-c", script], variables: [:], folder: try PrivateFolder(in: "/tmp"), into: inner, limits: limits)
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
    #expect(problem?.kind == .plugIn && problem?.message.contains("nothing for") == true)
    await sink.abandon()
  }
}
