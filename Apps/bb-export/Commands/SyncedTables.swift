import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// The Delta tables among the outputs of a sync, which receive the records of the store.
struct SyncedTables {
  let store: any RecordStore
  let services: AppServices

  /// Writes what the store has of the datasets to the Delta tables among the outputs, unless they have it already.
  /// - Throws: the error of the last table that failed, which does not stop the others.
  func write(_ names: [String], to outputs: OutputPlan) async throws(Problem) {
    guard outputs.hasTables else { return }
    // Before the rows are read: changes in between get a number that the tables do not have yet.
    var history = try await store.history(), problems: [Problem] = []
    for name in names where name != SyncState.table {
      services.progress.begin(name)
      do throws(Problem) {
        do throws(Problem) { try await write(name, history, to: outputs) } catch {
          guard error.kind == .cannotCreate else { throw error }
          // Another process may have changed the store and written the table since.
          let latest = try await store.history()
          guard latest.states(of: name) != history.states(of: name) else { throw error }
          history = latest
          try await write(name, history, to: outputs)
        }
      } catch {
        var problem = error
        if problem.hint.description.isEmpty {
          problem.hint = "the store is up to date; run the command again to write the table"
        }
        problems.append(problem)
      }
    }
    for problem in problems.dropLast() { services.report.problem(problem) }
    if let last = problems.last { throw last }
  }

  private func write(
    _ name: String, _ history: [HistoryEntry], to outputs: OutputPlan
  ) async throws(Problem) {
    try await outputs.write(name, states: history.states(of: name)) { () async throws(Problem) in
      try await store.rows(of: name, RowRequest(cores: outputs.threads))
    }
  }
}
