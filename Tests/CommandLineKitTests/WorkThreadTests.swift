import CommandLineKit
import Dispatch
import Glibc
import Testing

@Suite("one thread for tasks") struct WorkThreadTests {
  /// Says on which thread it is called.
  private actor Witness {
    func thread() -> UInt64 { thisThread() }
  }

  @Test("a task, its children, actors and what others resume run on it") func stays() async throws {
    let thread = started()
    let seen = await Task(executorPreference: thread) {
      var seen = [thisThread(), await Witness().thread()]
      async let first = Witness().thread()
      async let second = { thisThread() }()
      seen += [await first, await second]
      await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
      return seen + [thisThread()]
    }.value
    #expect(seen.count == 5)
    #expect(Set(seen).count == 1)
  }

  @Test("no job is lost when many threads bring some while it falls asleep") func manyBring() async throws {
    let thread = started()
    let sums = await withTaskGroup(of: Int.self) { group in
      for number in 0..<2_000 {
        group.addTask(executorPreference: number % 2 == 0 ? thread : nil) { await passed(number) }
      }
      return await group.reduce(0, +)
    }
    #expect(sums == 1_999_000)
  }
}

private func started() -> WorkThread {
  let thread = WorkThread()
  DispatchQueue(label: "work").async { thread.run() }
  return thread
}

private func thisThread() -> UInt64 { UInt64(pthread_self()) }

private func passed(_ number: Int) async -> Int {
  await Task.yield()
  return number
}
