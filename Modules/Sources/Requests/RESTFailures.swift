import Domain
import Rows
import Synchronization

/// The requests that failed among many: a few leave their rows without details, many end the work.
final class RESTFailures: Sendable {
  private struct State {
    var finished = 0
    var failures: [SourceFailure] = []
    var last: Problem?
  }
  private let dataset: String
  private let all: Int
  private let report: @Sendable (String) -> Void
  private let failed: @Sendable (SourceFailure) -> Void
  private let state = Mutex(State())

  /// - Parameter all: the number of requests.
  init(
    _ dataset: String, all: Int, report: @escaping @Sendable (String) -> Void,
    failed: @escaping @Sendable (SourceFailure) -> Void
  ) {
    self.dataset = dataset
    self.all = all
    self.report = report
    self.failed = failed
  }

  func noteSuccess() { state.withLock { $0.finished += 1 } }

  /// Notes a failed request; returns whether the others are continued.
  /// - Parameters:
  ///   - key: the record that the request was for.
  ///   - isCounted: whether the request was noted as a success before its response proved invalid.
  /// - Throws: the problem, if more than half of at least ten requests failed.
  func accepts(_ problem: Problem, key: String, isCounted: Bool = false) throws(Problem) -> Bool {
    // A refused key concerns all requests, and so do limits that were reached, and addresses that are refused.
    guard [.unavailable, .badData].contains(problem.kind), all > 1, ![401, 403].contains(problem.status),
      !problem.isRefusal
    else { return false }
    let isTooMany = state.withLock { state in
      if !isCounted { state.finished += 1 }
      state.failures.append(
        SourceFailure(url: problem.place, status: problem.status, key: key, reason: problem.message))
      state.last = problem
      let failures = state.failures.count
      return failures >= 10 && (failures * 2 > all || failures == state.finished)
    }
    if isTooMany { throw problem }
    return true
  }

  /// Reports the failed requests.
  /// - Throws: the last problem, if all requests or more than half of at least ten failed.
  func finish(_ what: String) throws(Problem) {
    var (failures, last) = state.withLock { ($0.failures, $0.last) }
    // They ended in any order.
    failures.sort { a, b in
      if let first = Int(a.key), let second = Int(b.key) { return first < second }
      return a.key.utf8.lexicographicallyPrecedes(b.key.utf8)
    }
    guard let last else { return }
    if failures.count == all || failures.count >= 10 && failures.count * 2 > all { throw last }
    let reasons = Set(failures.map { $0.status.map(String.init) ?? $0.reason }).sorted().prefix(3)
    for failure in failures { failed(failure) }
    report(
      "\(dataset): \(failures.count) of \(all) \(what) failed (\(reasons.joined(separator: ", "))): "
        + "\(RESTNotes.list(failures.map { RESTText.plain(Array($0.key.utf8)) })); run the command again to retry")
  }
}

extension Problem {
  /// Whether it concerns more than one response: the limit of all, or a private address.
  fileprivate var isRefusal: Bool { PrivateAddress.isRefusal(self) || RESTMeter.isLimit(self) }
}
