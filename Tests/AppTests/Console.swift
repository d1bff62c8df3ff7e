import Access
import AppShell
import AppTestSupport
import CommandLineKit
import Domain
import Glibc
import LiveServices
import Rows
import TestSupport

@testable import bb_export
@testable import bb_notes

/// Runs commands within the test's process. Standard output, standard input and the outputs of `-o` are in memory; the
/// store, the cache and the configuration are in a directory of the console's own.
struct Console {
  /// The home directory.
  let home: String
  /// The outputs of `-o`.
  let files: MemoryFiles
  /// Whether the outputs of `-o` are files, objects and tables instead.
  var writesFiles = false
  private let network: Network

  /// - Parameters:
  ///   - files: files that exist, with their contents.
  ///   - respond: the network; without it, every request fails.
  init(
    _ files: [String: String] = [:],
    respond: @escaping @Sendable (HTTPRequest) throws(Problem) -> HTTPResponse = { (_) throws(Problem) in
      throw Problem(.unavailable, "no network")
    }
  ) {
    home = TemporaryDirectory().path
    self.files = MemoryFiles(files)
    let transport = FakeTransport(respond: respond)
    network = Network(transport: { (_, _) in transport }, retrying: { inner, _ in inner })
  }

  /// Writes a file into the home directory; returns its path.
  @discardableResult func write(_ text: String, to name: String) -> String {
    let path = "\(home)/\(name)"
    guard let file = unsafe fopen(path, "w") else { return path }
    defer { unsafe fclose(file) }
    unsafe fwrite(text, 1, text.utf8.count, file)
    return path
  }

  /// Runs a command line that begins with the name of a program; words with spaces are in single quotes.
  func run(_ line: String, input: String = "", variables: [String: String] = [:]) async -> Shell.Outcome {
    await run(ShellWords.split(line) ?? [], input: input, variables: variables)
  }

  /// Runs a command line of the given words.
  func run(_ words: [String], input: String = "", variables: [String: String] = [:]) async -> Shell.Outcome {
    let program = words.first ?? "", lines = Lines()
    let report = Report(program: program) { lines.add($0) }
    var environment = ["HOME": home, "TMPDIR": home]
    environment.merge(variables) { _, new in new }
    let isNotes = program == "bb-notes"
    var services =
      isNotes
      ? LiveServices.notes(report, version: "0", variables: environment, network: network)
      : LiveServices.export(report, version: "0", variables: environment, network: network)
    let terminal = MemoryFiles(input: input)
    (services.terminal, services.workers) = (terminal, nil)
    if !writesFiles {
      let connect = services.connect, files = self.files
      services.files = files
      services.connect = { services, options in
        connect(&services, options)
        services.locations = files.kinds(services.locations)
      }
    }
    let application = isNotes ? BBNotes.application : BBExport.application
    let status = await application.run(Array(words.dropFirst()), in: services)
    return Shell.Outcome(out: terminal.output, err: lines.all, status: status)
  }
}

private struct FakeTransport: HTTPTransport {
  let respond: @Sendable (HTTPRequest) throws(Problem) -> HTTPResponse
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse { try respond(request) }
}

extension HTTPResponse {
  /// A response that is complete.
  init(_ status: Int, _ text: String, headers: [HTTPHeader] = []) {
    self.init(status: status, headers: HTTPFields(headers), url: "http://test", body: TextBody(text: text))
  }
}

private struct TextBody: AsyncSequence, Sendable {
  let text: String
  struct Iterator: AsyncIteratorProtocol {
    var rest: String?
    mutating func next() async throws(Problem) -> [UInt8]? {
      defer { rest = nil }
      return rest.map { Array($0.utf8) }
    }
  }
  func makeAsyncIterator() -> Iterator { Iterator(rest: text) }
}
