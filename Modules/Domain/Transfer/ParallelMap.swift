package import Rows
import Synchronization

extension Array where Element: Sendable {
  /// The results of `body` for each element, in order, with a limited number of concurrent calls; the first error ends
  /// it.
  ///
  /// A few tasks take one element after the other: one task per element would cost more than a small response.
  /// - Parameters:
  ///   - executors: the executors of the tasks, used evenly; empty for the default executor.
  ///   - told: called from any task with the number of finished elements.
  package func mapInParallel<Result: Sendable>(
    most: Int, on executors: [any TaskExecutor], told: (@Sendable (_ done: Int) -> Void)? = nil,
    _ body: @escaping @Sendable (Element) async throws(Problem) -> Result
  ) async throws(Problem) -> [Result] {
    typealias Share = Swift.Result<[(Int, Result)], Problem>
    let elements = self, turns = TicketCounter()
    let outcome = await withTaskGroup(of: Share.self) { group -> Swift.Result<[Result], Problem> in
      for task in 0..<Swift.min(Swift.max(1, most), elements.count) {
        group.addTask(executorPreference: executors.isEmpty ? nil : executors[task % executors.count]) {
          var share: [(Int, Result)] = []
          do throws(Problem) {
            while !Task.isCancelled {
              let position = turns.take()
              guard position < elements.count else { break }
              share.append((position, try await body(elements[position])))
              if let told { told(turns.finish()) }
            }
          } catch {
            return .failure(error)
          }
          return .success(share)
        }
      }
      var results: [Result?] = Array<Result?>(repeating: nil, count: elements.count)
      while let share = await group.next() {
        switch share {
        case .success(let share): for (position, result) in share { results[position] = result }
        case .failure(let problem):
          group.cancelAll()
          return .failure(problem)
        }
      }
      // Elements are missing only after a cancellation.
      let whole = results.compactMap(\.self)
      return whole.count == elements.count ? .success(whole) : .failure(Problem(.cancelled, "interrupted"))
    }
    return try outcome.get()
  }
}

/// Numbers from 0, each given once; and how many of those are done with.
private final class TicketCounter: Sendable {
  private let next = Atomic(0), finished = Atomic(0)
  func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
  func finish() -> Int { finished.add(1, ordering: .relaxed).newValue }
}
