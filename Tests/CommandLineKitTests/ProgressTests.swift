import Glibc
import Synchronization
import Testing

@testable import CommandLineKit

@Suite("progress") struct ProgressTests {
  private func step(_ change: (inout ProgressStep) -> Void) -> ProgressStep {
    var step = ProgressStep("big.csv", "rows")
    change(&step)
    return step
  }

  @Test("a line shows counts, bytes, a bar, the rate and the time left") func line() {
    let step = step { ($0.items, $0.bytes, $0.allBytes) = (1_240_000, 96_000_000, 310_000_000) }
    let rate = ProgressStep.Rate(seconds: 2, items: 600_000, bytes: 60_000_000, elapsed: 3)
    #expect(
      step.text(rate, width: 100)
        == "big.csv: 1,240,000 rows, 96.0 MB of 310.0 MB [██████▏             ] 30 %, 30.0 MB/s, 8 s left")
    #expect(
      step.text(rate, width: nil) == "big.csv: 1,240,000 rows, 96.0 MB of 310.0 MB, 30 %, 30.0 MB/s, 8 s left")
  }

  @Test(
    "a narrow terminal loses the bar, then the rate, then the totals, then the end",
    arguments: [
      (85, "big.csv: 1,240,000 rows, 96.0 MB of 310.0 MB, 30 %, 30.0 MB/s, 8 s left"),
      (70, "big.csv: 1,240,000 rows, 96.0 MB of 310.0 MB, 30 %, 8 s left"),
      (50, "big.csv: 1,240,000 rows, 96.0 MB, 30 %, 8 s left"), (10, "big.csv: 1"),
    ])
  func narrow(_ width: Int, _ text: String) {
    let step = step { ($0.items, $0.bytes, $0.allBytes) = (1_240_000, 96_000_000, 310_000_000) }
    let rate = ProgressStep.Rate(seconds: 2, items: 600_000, bytes: 60_000_000, elapsed: 3)
    #expect(step.text(rate, width: width) == text)
  }

  @Test("what is not known is not shown") func unknown() {
    let rate = ProgressStep.Rate(seconds: 1, items: 0, bytes: 0, elapsed: 12.7)
    #expect(step { _ in }.text(rate, width: 80) == "big.csv: 12 s")
    #expect(
      step { $0.phase = "connecting to example.org" }.text(rate, width: 80) == "big.csv: connecting to example.org")
    let images = step { ($0.noun, $0.items, $0.allItems, $0.failed) = ("images", 57, 92, 1) }
    #expect(
      images.text(ProgressStep.Rate(seconds: 5, items: 57, bytes: 0, elapsed: 5), width: nil)
        == "big.csv: 57 of 92 images, 1 failed, 61 %, 4 s left")
    // All bytes are read; what follows has no known end.
    #expect(step { ($0.items, $0.bytes, $0.allBytes) = (5, 10, 10) }.text(rate, width: 80) == "big.csv: 5 rows, 10 B")
  }

  @Test("nothing is shown in the first 300 ms, nor after the end") func silence() throws {
    let lines = Mutex<[String]>([])
    let progress = Progress(Report(program: "t") { text in lines.withLock { $0.append(text) } })
    progress.show(true)
    progress.begin("quick")
    progress.finish()
    usleep(500_000)
    #expect(lines.withLock { $0 }.isEmpty)
    progress.begin("slow")
    progress.update { $0.items = 3 }
    usleep(600_000)
    progress.finish()
    #expect(lines.withLock { $0 }.contains { $0.contains("slow: 3 rows") })
    let count = lines.withLock { $0.count }
    usleep(300_000)
    #expect(lines.withLock { $0.count } == count)
  }

  @Test("progress that is not shown starts no thread and writes nothing") func hidden() {
    let lines = Mutex<[String]>([])
    let progress = Progress(Report(program: "t") { text in lines.withLock { $0.append(text) } })
    progress.begin("hidden")
    usleep(500_000)
    progress.finish()
    #expect(lines.withLock { $0 }.isEmpty)
  }
}
