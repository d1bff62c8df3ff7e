import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export images`: downloads the images that records refer to.
struct ImagesCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  /// Options that make rows of other rows.
  static let without = [Options.with, Options.nest]

  /// For the help: what is kept, and how.
  static let discussion =
    "Images are downloaded in parallel. Interrupted downloads are resumed, and later runs fetch only what changed. "
    + "Only complete, valid images are kept (JPEG, PNG, GIF, WebP, AVIF, HEIF), named KEY-N.EXT; images.json lists "
    + "them. If an image cannot be downloaded, the rest continue and the exit code is 75. Use --columns to choose the "
    + "image columns."

  func run() async throws(Problem) {
    guard let directory = try invocation.locations(Options.imageDirectory).last?.path() else {
      throw Problem(.usage, "missing required option -o DIR", hint: "for example: -o images")
    }
    let work = try ImagesWork(invocation, services)
    let choice = try choice()
    let selection = try SelectionOptions(invocation, services)
    let source = try await services.sources.open(choice)
    let table = try await TableCommand.table(of: source, choice, invocation, services.report)
    var request = RowRequest()
    if choice.isFile {
    } else if let schema = try await source.tables().first(where: { $0.name == table }) {
      request.selection = try selection.read(for: schema)
      request.selection?.columns = nil
    }
    let rows = try await source.rows(of: table, request)
    var wanted = try selection.read(for: rows.schema)
    let columns = try self.columns(of: rows.schema, wanted.columns)
    // The key names the files, whatever columns were selected.
    wanted.columns = nil
    let chosen = try wanted.apply(to: rows, scratch: services.scratch)
    let line = try await work.run(chosen, columns: columns, into: directory)
    if !invocation.isOn(SharedOptions.quiet) { try services.terminal.write(line.text + "\n") }
    if let problem = line.problem { throw problem }
  }

  /// The columns that refer to images: those given, or those with a typical name.
  private func columns(of schema: Schema, _ names: [String]?) throws(Problem) -> [Int] {
    let usual = ImageReference.columns(of: schema)
    guard let names else {
      if usual.isEmpty {
        throw Problem(
          .usage, "\(schema.name) has no image column", hint: "choose the columns that hold image URLs: --columns NAME")
      }
      return usual
    }
    var columns: [Int] = []
    for name in names {
      guard let position = schema.position(of: name), ImageReference.mayHoldURLs(schema.columns[position].type) else {
        throw Problem(.usage, "column \(name) contains no image URLs", at: schema.name)
      }
      columns.append(position)
    }
    return columns
  }

  /// The source of the records. Connection options apply to the images, wherever the records come from.
  private func choice() throws(Problem) -> SourceChoice {
    if invocation.has(APIOptions.offlineOption) {
      throw Problem(.usage, "cannot download images with --offline", hint: "remove --offline")
    }
    let choice = try SourceOptions(invocation).choice(for: invocation.arguments.first, connects: true)
    guard case .live(let name, var live) = choice else { return choice }
    // The snapshot has no images.
    live.fallback = .none
    return .live(name: name, live)
  }
}
