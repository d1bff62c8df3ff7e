import Glibc
import Persistence
import Rows
import TestSupport
import Testing

@Suite("cached downloads") struct CachedDownloadTests {
  private let directory = TemporaryDirectory()
  private let url = "https://example.org/a.csv"

  /// Locks the only file as another process does: by a descriptor of its own.
  private func lockElsewhere() throws -> Int32 {
    let name = try #require(TemporaryDirectory.names(directory.path + "/files").first { $0.hasSuffix(".lock") })
    let descriptor = unsafe open("\(directory.path)/files/\(name)", O_RDWR)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor
  }

  @Test("a file that another process uses is waited for") func waits() async throws {
    _ = try await CachedDownload(url, in: directory.path)
    let descriptor = try lockElsewhere()
    let busy = await #expect(throws: Problem.self) {
      _ = try await CachedDownload(url, in: directory.path, patience: .milliseconds(20))
    }
    #expect(busy?.kind == .busy)
    async let download = CachedDownload(url, in: directory.path)
    try await Task.sleep(for: .milliseconds(20))
    close(descriptor)
    _ = try await download
  }

  @Test("a process can read a file twice, and fetches it once at a time") func twice() async throws {
    let first = try await CachedDownload(url, in: directory.path)
    let busy = await #expect(throws: Problem.self) {
      _ = try await CachedDownload(url, in: directory.path, patience: .milliseconds(20))
    }
    #expect(busy?.kind == .busy)
    first.share()
    let second = try await CachedDownload(url, in: directory.path, patience: .zero)
    #expect(first.path == second.path)
    await #expect(throws: Problem.self) { _ = try await CachedDownload(url, in: directory.path, patience: .zero) }
  }
}
