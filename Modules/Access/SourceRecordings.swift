package import AppShell
import CommandLineKit
import Domain
import Networking
import Persistence
import Query
package import Rows
package import Sources
import Synchronization

extension ConnectedSources {
  package func trial(
    _ path: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) async throws(Problem) -> [SourceTrial] {
    let description = try definition(path), exchanges = Exchanges()
    var trials: [SourceTrial] = []
    for dataset in try Self.chosen(datasets, of: description) {
      let lines = Mutex<[String]>([]), findings = Mutex<[MemberFinding]>([])
      var services = services(for: path, options)
      services.sample = sample
      services.exchanged = { exchanges.add($0) }
      origins.add(server: description.baseURL)
      let source = try RESTSource(
        description, server: options.server, transport: network.retrying(logged(options), retry(description, options)),
        environment: variables, definition: path, services: services,
        members: { found in findings.withLock { $0 += found } }
      ) { line in lines.withLock { $0.append(line) } }
      var trial = try await source.trial(of: dataset)
      for line in lines.withLock({ $0 }) {
        let note = line.hasPrefix("\(dataset): ") ? String(line.dropFirst(dataset.count + 2)) : line
        trial.rows.append(SourceTrial.Row(nil, note: note))
      }
      if trial.problem == nil, findings.withLock({ $0 }).contains(where: { $0.kind == .short }) {
        trial.problem = Problem(.badData, "the list is incomplete", at: dataset, hint: "describe the paging")
      }
      trials.append(trial)
    }
    if let limits = exchanges.limits, !trials.isEmpty {
      trials[trials.count - 1].rows.append(SourceTrial.Row(nil, note: "the server announces limits: \(limits)"))
    }
    return trials
  }

  package func record(
    _ path: String, into directory: String, datasets: [String], _ sample: SourceSample, _ options: APIOptions
  ) async throws(Problem) -> (requests: Int, rows: [(dataset: String, count: Int)]) {
    let description = try definition(path), exchanges = Exchanges(), output = RecordingDirectory(directory)
    var recording = SourceRecording(), services = services(for: path, options)
    recording.sample = sample
    recording.today = services.today
    recording.datasets = try Self.chosen(datasets, of: description)
    for variable in description.variables where !variable.isSecret {
      let value = options.variables[variable.name] ?? variable.environment.flatMap { variables[$0] }
      if let value { recording.variables[variable.name] = value }
    }
    services.sample = sample
    services.exchanged = { exchanges.add($0) }
    origins.add(server: description.baseURL)
    let source = try RESTSource(
      description, server: options.server, transport: network.retrying(logged(options), retry(description, options)),
      environment: variables, definition: path, services: services
    ) { report.warning($0) }
    var counts: [(dataset: String, count: Int)] = []
    for dataset in recording.datasets {
      counts.append((dataset, try await RecordedRows(try await source.rows(of: dataset, RowRequest())).count))
    }
    recording.exchanges = exchanges.all
    try await output.write(recording)
    return (recording.exchanges.count, counts)
  }

  package func test(
    _ path: String, against directory: String, accepts: Bool
  ) async throws(Problem) -> (rows: [(dataset: String, count: Int)], differences: [String]) {
    var description = try definition(path)
    let input = RecordingDirectory(directory), recording: SourceRecording
    do throws(Problem) { recording = try input.recording() } catch {
      guard [.noInput, .badData].contains(error.kind) else { throw error }
      throw Problem(error.kind, error.message, at: error.place, hint: Self.again)
    }
    // The recording has no secrets, and needs none.
    description.authorization = []
    var services = services(for: path, APIOptions())
    services.today = recording.today
    services.sample = recording.sample
    for variable in description.variables {
      services.variables[variable.name] = recording.variables[variable.name] ?? (variable.isSecret ? "…" : nil)
    }
    let known = Dictionary(recording.exchanges.map { ($0.identity, $0) }) { _, last in last }
    services.replayed = { (request) throws(Problem) in
      guard let exchange = known[request.identity] else {
        throw Problem(
          .badData, "no recording of this request", at: "\(request.method) \(URLText.redacted(request.url))",
          hint: Self.again)
      }
      return exchange
    }
    let source = try RESTSource(
      description, transport: NoTransport(), definition: path, services: services
    ) { report.warning($0) }
    let missing = recording.datasets.filter { name in !description.datasets.contains { $0.schema.name == name } }
    var counts: [(dataset: String, count: Int)] = []
    var differences = missing.map { "\($0): \(path) has no such dataset" }
    for dataset in recording.datasets where !missing.contains(dataset) {
      let rows = try await RecordedRows(try await source.rows(of: dataset, RowRequest()))
      counts.append((dataset, rows.count))
      if accepts {
        try await input.write(rows.bytes, of: dataset)
      } else {
        guard let expected = try input.rows(of: dataset) else {
          throw Problem(
            .noInput, "expected rows of \(dataset) not found", at: directory,
            hint: "check the rows, and accept them with --accept")
        }
        differences += try rows.differences(from: expected.bytes, name: expected.name)
      }
    }
    return (counts, differences)
  }

  private static let again: Remedy = "record the responses with: bb-export sources record FILE DIR"

  /// The datasets that were named, or all.
  private static func chosen(_ names: [String], of description: APIDescription) throws(Problem) -> [String] {
    guard !names.isEmpty else { return description.datasets.map(\.schema.name) }
    for name in names { _ = try description.dataset(named: name) }
    return names
  }
}

extension SourceVariable {
  /// Whether its name, or that of its environment variable, is one of a secret.
  fileprivate var isSecret: Bool {
    [name, environment].compactMap(\.self).contains { URLText.isSecret($0) }
  }
}

/// The requests and responses of sources, in the order of their first occurrence.
private final class Exchanges: Sendable {
  private let known = Mutex<(order: [String], last: [String: SourceExchange])>(([], [:]))

  func add(_ exchange: SourceExchange) {
    known.withLock { known in
      if known.last.updateValue(exchange, forKey: exchange.identity) == nil { known.order.append(exchange.identity) }
    }
  }

  var all: [SourceExchange] { known.withLock { known in known.order.compactMap { known.last[$0] } } }

  /// The limits that the headers announce; nil if there are none.
  var limits: String? {
    for exchange in all.reversed() {
      let fields = exchange.headers.filter { field in
        ["x-ratelimit-limit", "ratelimit-limit", "x-rate-limit-limit", "ratelimit", "x-ratelimit-remaining"]
          .contains(field.name.lowercased())
      }
      if !fields.isEmpty { return fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
    }
    return nil
  }
}

private struct NoTransport: HTTPTransport {
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    throw Problem(.bug, "internal error: a request to the network", at: URLText.redacted(request.url))
  }
}
