import Domain
import AppShell
import CommandLineKit
import Rows
import Sources

/// `bb-export sources`: lists sources; drafts, prints, checks, records and tests source definitions.
struct SourcesCommand {
  private let context: CommandContext
  private var invocation: Invocation { context.invocation }
  private var services: AppServices { context.services }

  init(_ context: CommandContext) { self.context = context }

  static let actions = [
    CommandAction("check", file, datasets), CommandAction("draft", Argument("URL", takesFiles: true, "URL or file")),
    CommandAction("record", file, recordings, datasets), CommandAction("test", file, recordings),
    CommandAction("show", Argument("NAME", values: .dynamic("source"), "built-in source")), CommandAction("schema"),
  ]
  private static let file = Argument("FILE", values: .file, "source definition")
  private static let recordings = Argument("DIR", values: .directory, "recorded responses")
  private static let datasets = Argument("DATASET", count: .any, "datasets of the source")

  private static let mostDifferences = 10

  func run() async throws(Problem) {
    let words = context.arguments, rest = Array(words.dropFirst())
    try checkOptions(of: words.first)
    switch words.first {
    case "check" where invocation.has(Options.tryOut): try await tryOut(rest[0], Array(rest.dropFirst()))
    case "check":
      guard rest.count == 1 else {
        throw Problem(.usage, "unexpected argument “\(rest[1])”", hint: "add --try to read datasets")
      }
      try check(rest[0])
    case "draft": try await DraftCommand(context).run(rest[0])
    case "record": try await record(rest[0], into: rest[1], Array(rest.dropFirst(2)))
    case "show": try write(services.sources.text(of: try APIDescription.named(rest[0])))
    case "schema":
      try write(services.sources.schema(grammar: try invocation.integer(Options.grammar, in: 1...2) ?? 2))
    case "test": try await test(rest[0], against: rest[1])
    default: try await list()
    }
  }

  private func checkOptions(of action: String?) throws(Problem) {
    let actions: [(option: Option, actions: [String])] =
      [
        (Options.tryOut, ["check"]), (Options.accept, ["test"]), (Options.grammar, ["schema"]),
        (APIOptions.setOption, ["check", "draft", "record"]), (Options.draftPages, ["check", "draft", "record"]),
        (APIOptions.serverOption, ["check", "draft", "record"]),
      ] + Options.draftOptions.filter { $0 != Options.draftPages }.map { ($0, ["draft"]) }
    for (option, known) in actions where invocation.has(option) && !known.contains(action ?? "") {
      throw Problem(
        .usage, "--\(option.name) applies only to \(known.map { "sources \($0)" }.joined(separator: " and "))")
    }
    guard action == "check", !invocation.has(Options.tryOut) else { return }
    for option in [Options.draftPages, APIOptions.setOption, APIOptions.serverOption] where invocation.has(option) {
      throw Problem(.usage, "--\(option.name) requires --try", hint: "add --try to send requests")
    }
  }

  private func list() async throws(Problem) {
    let rows =
      APIDescription.builtIn.map { [$0.name, $0.baseURL, $0.summary] } + [["snapshot", "", "built-in snapshot"]]
    try await Listings.write("sources", [:], ["source", "server", "what"], rows, context)
  }

  private func write(_ text: [UInt8]) throws(Problem) {
    try services.terminal.write(String(decoding: text, as: UTF8.self))
  }

  /// Validates a definition, without a request.
  private func check(_ path: String) throws(Problem) {
    let source = try services.sources.definition(path)
    let names = source.datasets.map(\.schema.name).joined(separator: ", ")
    let variables = source.authorization.flatMap(\.allVariables).map { "$\($0)" }
    let servers = [source.baseURL] + source.authorization.map(\.tokenURL).filter { URLText.isWeb($0) }
    let key =
      variables.isEmpty
      ? "" : "; sends the value of \(variables.joined(separator: ", ")) to \(servers.joined(separator: ", "))"
    try services.terminal.write("\(path): valid source definition \(source.name): \(names)\(key)\n")
  }

  private func options() throws(Problem) -> (APIOptions, SourceSample) {
    (try APIOptions(invocation), SourceSample(pages: try invocation.integer(Options.draftPages, in: 1...1000) ?? 2))
  }

  /// Reads a few pages and details of each dataset.
  private func tryOut(_ path: String, _ datasets: [String]) async throws(Problem) {
    let outputs = try OutputPlan(invocation, services, .report), (options, sample) = try options()
    let trials = try await services.sources.trial(path, datasets: datasets, sample, options)
    try await outputs.write(SourceTrial.rows(of: trials))
    var problems = trials.compactMap { trial in trial.problem.map { $0.located(at: trial.dataset) } }
    guard !problems.isEmpty else { return }
    // No response is worse than one with other values.
    let worst = problems.firstIndex { $0.kind == .unavailable } ?? problems.startIndex
    let last = problems.remove(at: worst)
    for problem in problems { services.report.problem(problem) }
    throw last
  }

  private func record(_ path: String, into directory: String, _ datasets: [String]) async throws(Problem) {
    let (options, sample) = try options()
    let done = try await services.sources.record(path, into: directory, datasets: datasets, sample, options)
    let rows = done.rows.map { "\($0.count) \($0.dataset)" }.joined(separator: ", ")
    services.report.result("\(directory): recorded \(done.requests) responses: \(rows)")
  }

  private func test(_ path: String, against directory: String) async throws(Problem) {
    let accepts = invocation.has(Options.accept)
    let done = try await services.sources.test(path, against: directory, accepts: accepts)
    let rows = done.rows.map { "\($0.count) \($0.dataset)" }.joined(separator: ", ")
    guard !done.differences.isEmpty else {
      return services.report.result("\(directory): \(accepts ? "accepted" : "as expected"): \(rows)")
    }
    for difference in done.differences.prefix(Self.mostDifferences) { services.report.result(difference) }
    let count = done.differences.count
    throw Problem(
      .badData, count == 1 ? "1 difference from the expected rows" : "\(count) differences from the expected rows",
      at: directory, hint: "correct \(path), or accept the rows with --accept")
  }
}
