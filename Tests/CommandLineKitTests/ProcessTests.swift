import CommandLineKit
import Dispatch
import Glibc
import Synchronization
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

  @Test("a descriptor that does not block still gets every byte") func nonBlocking() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }  // Else a child of another test keeps the pipe open.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "0123456789", count: 50_000)
    // A thread of its own: those of tasks may all wait in tests like this one.
    let reader = DispatchQueue(label: "reader"), received = Mutex<[UInt8]>([])
    reader.async {
      var room = [UInt8](repeating: 0, count: 4096)
      while case let count = unsafe read(reading, &room, 4096), count > 0 {
        received.withLock { $0 += room[..<count] }
      }
    }
    try Terminal.write(text, to: writing)
    close(writing)
    reader.sync {}
    #expect(received.withLock { $0 } == Array(text.utf8))
    close(reading)
  }
}
