import CommandLineKit
import Glibc
import Testing

@Suite("processes and descriptors") struct ProcessTests {
  @Test("a child's signals are neither blocked nor ignored, whatever ours are") func signals() {
    var blocked = sigset_t(), before = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    signal(SIGXFSZ, SIG_IGN)
    defer { signal(SIGXFSZ, SIG_DFL) }
    // Signals 32 and 33 are the C library's own.
    let isClean = "test $(grep -cE '^Sig(Blk|Ign):.0000000[01][08]0000000$' /proc/self/status) = 2"
    #expect(Desktop.run("/bin/sh", ["-c", isClean]))
    #expect(!Desktop.run("/bin/sh", ["-c", "exit 3"]))
    #expect(!Desktop.run("/nonexistent/program", []))
  }

  @Test("a descriptor that does not block still gets every byte") func nonBlocking() async throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "0123456789", count: 50_000)
    let reader = Task.detached {
      var bytes: [UInt8] = [], room = [UInt8](repeating: 0, count: 4096)
      while case let count = unsafe read(reading, &room, 4096), count > 0 { bytes += room[..<count] }
      return bytes
    }
    try Terminal.write(text, to: writing)
    close(writing)
    #expect(await reader.value == Array(text.utf8))
    close(reading)
  }
}
