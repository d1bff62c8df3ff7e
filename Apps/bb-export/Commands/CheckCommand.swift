import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export check`: data quality problems of datasets, as an ordinary table.
struct CheckCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  /// Options that choose rows by columns findings do not have.
  static let without = [
    SharedOptions.production, Options.season, Options.episode, Options.name, Options.order, Options.with, Options.nest,
  ]

  /// The list of checks, for help.
  static let discussion =
    "Reports one row per problem, with the columns \(Check.schema.columns.map(\.name).joined(separator: ", ")). "
    + "Checks: \((CheckRule.names + MemberFinding.Kind.allCases.map(\.rawValue)).joined(separator: ", "))."

  func run() async throws(Problem) {
    let outputs = try OutputPlan(invocation, services)
    let selection = try SelectionOptions(invocation, services).read(for: Check.schema)
    let sources = try await self.sources(for: outputs)
    var tables: [String: CheckTables] = [:], findings: [CheckFinding] = []
    var failures: [Problem] = []
    let names = Set(sources.map(\.dataset))
    for (dataset, source) in sources {
      do throws(Problem) {
        findings += try await Check().findings(
          in: dataset, &tables[source.name, default: CheckTables()], report: services.report.warning
        ) {
          (name) throws(Problem) in
          guard try await source.tables().contains(where: { $0.name == name }) else { return nil }
          return try await source.rows(of: name, RowRequest())
        }
      } catch {
        // Datasets that were not named may be missing, as long as at least one exists.
        guard invocation.arguments.isEmpty, error.kind == .unavailable else { throw error }
        failures.append(error)
      }
    }
    for note in tables.values.flatMap(\.notes) { services.report.warning(note) }
    if failures.count == sources.count, let first = failures.first { throw first }
    for failure in failures { services.report.warning("skipped: \(failure)") }
    findings += services.provenance.members.filter { names.contains($0.dataset) }.map { CheckFinding($0) }
    try await outputs.write(Check.rows(of: findings), selection: selection)
  }

  /// The datasets to look at, each with the place its records come from.
  private func sources(for outputs: OutputPlan) async throws(Problem) -> [(dataset: String, source: any RecordSource)] {
    let names = invocation.arguments
    for (position, name) in names.enumerated() where names[..<position].contains(name) {
      throw Problem(.usage, "duplicate argument: \(name)")
    }
    if let storage = invocation[Options.storage] { try services.require(storage) }
    if names.isEmpty {
      let source = try await services.sources.open(try await choice(for: Catalog.all[0].name, outputs))
      return try await source.tables().map { ($0.name, source) }
    }
    var opened: [SourceChoice: any RecordSource] = [:], sources: [(String, any RecordSource)] = []
    for name in names {
      let choice = try await choice(for: name, outputs)
      let source: any RecordSource
      if let known = opened[choice] { source = known } else { source = try await services.sources.open(choice) }
      opened[choice] = source
      let tables = try await source.tables().map(\.name)
      guard tables.contains(name) else {
        let hint = Remedy.nearest(name, among: tables)
        throw Problem(
          .noInput, "\(source.name) has no dataset \(name)",
          hint: hint
            ?? (tables.isEmpty ? "fetch datasets with bb-export sync" : "available: \(tables.joined(separator: ", "))"))
      }
      sources.append((name, source))
    }
    return sources
  }

  private func choice(for dataset: String, _ outputs: OutputPlan) async throws(Problem) -> SourceChoice {
    let choice = try await SourceOptions.guarding(
      try SourceOptions(invocation).choice(for: dataset), dataset, for: outputs)
    guard case .live(let name, var live) = choice else { return choice }
    live.asWritten = true
    return .live(name: name, live)
  }
}
