import Domain
import AppShell
import Codecs
import CommandLineKit
import Rows
import Sources

/// `bb-export sources draft`: infers a source definition from a response.
struct DraftCommand {
  private let invocation: Invocation
  private let services: AppServices
  private let context: CommandContext

  init(_ context: CommandContext) {
    (invocation, services, self.context) = (context.invocation, context.services, context)
  }

  func run(_ url: String) async throws(Problem) {
    var request = SourceDraftRequest(url)
    request.name = invocation[Options.draftName]
    request.dataset = invocation[Options.draftDataset]
    request.records = invocation[Options.draftRecords]
    request.pages = try invocation.integer(Options.draftPages, in: 1...100) ?? 2
    request.path = invocation[Options.draftPath]
    for text in invocation.all(Options.draftHeader) {
      let pair = text.split(separator: ":", maxSplits: 1)
      guard pair.count == 2, !pair[0].isEmpty,
        pair[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
      else { throw Problem(.usage, "invalid value “\(text)” for --header", hint: "use 'NAME: VALUE'") }
      let value = String(pair[1].drop { $0 == " " })
      let isLogin = ["authorization", "cookie", "proxy-authorization"].contains(pair[0].lowercased())
      guard !isLogin, !URLText.isSecret(pair[0]) else {
        let kind = isLogin ? "bearer" : "header:\(pair[0])"
        throw Problem(
          .usage, "the header \(pair[0]) carries a secret",
          hint: "set the secret in an environment variable, and name it with --auth \(kind):VARIABLE")
      }
      request.headers.append(SourceParameter(String(pair[0]), value))
    }
    for text in invocation.all(Options.draftAuth) { request.authorization.append(try Self.authorization(text)) }
    if let text = invocation[Options.draftPost] {
      do throws(Problem) { request.body = try JSON.parse(Array(text.utf8), name: "--post") } catch {
        throw Problem(.usage, "invalid value for --post: \(error.message)", hint: "use JSON")
      }
      if let name = request.body.flatMap(Self.secret) {
        throw Problem(
          .usage, "the member \(name) of --post carries a secret",
          hint: "omit it, and add it to the written file as a variable from the environment")
      }
    }
    let outputs = invocation.all(OutputOptions.output)
    guard outputs.count <= 1 else { throw Problem(.usage, "--output can be given only once for a draft") }
    let output = try outputs.first.map { (path) throws(Problem) in try invocation.locations.location(path) }
    if let output { try OutputPlan.checkInputs(invocation, services, output) }
    let outcome = try await services.sources.draft(request, try APIOptions(invocation))
    if let operations = outcome.operations {
      services.report.result("choose a list with --path:")
      return try await Listings.write("operations", [:], ["path", "summary", "parameters"], operations, context)
    }
    for line in outcome.draft?.lines ?? [] { services.report.result(line) }
    if let problem = outcome.problem { throw problem }
    guard let draft = outcome.draft else { return }
    let text = services.sources.text(of: draft.description)
    guard let output, let path = outputs.first, path != "-" else {
      let text = String(decoding: text, as: UTF8.self), isShown = services.terminal.destination == .terminal
      return try services.terminal.write(isShown ? Terminal.safe(text, keepsLineEnds: true) : text)
    }
    let sink = try output.place.sink(replaces: !invocation.isOn(OutputOptions.noClobber))
    var bytes = ByteBuffer()
    bytes.append(bytes: text)
    try await sink.write(bytes)
    try await sink.commit()
    services.report.result(
      "\(path) written; check it, and use it with --source \(path.contains("/") ? path : "./\(path)")")
  }

  /// The name of a member whose value is a secret; nil if there is none.
  private static func secret(in value: JSON) -> String? {
    if let elements = value.arrayValue { return elements.lazy.compactMap(secret).first }
    return value.objectMembers?.lazy.compactMap { member in
      member.value.stringBytes != nil && URLText.isSecret(member.name) ? member.name : secret(in: member.value)
    }.first
  }

  private static func authorization(_ text: String) throws(Problem) -> SourceAuthorization {
    let parts = text.split(separator: ":").map(String.init)
    switch (parts.first, parts.count) {
    case ("bearer", 2): return SourceAuthorization(.bearer, variable: parts[1])
    case ("basic", 2): return SourceAuthorization(.basic, variable: parts[1])
    case ("header", 3): return SourceAuthorization(.header, parts[1], variable: parts[2])
    case ("query", 3): return SourceAuthorization(.query, parts[1], variable: parts[2])
    default:
      throw Problem(
        .usage, "invalid value “\(text)” for --auth",
        hint: "use bearer:ENV, basic:ENV, header:NAME:ENV or query:NAME:ENV")
    }
  }
}
