import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export images`: the pictures that records name, in a folder.
struct ImagesCommand {
  private let invocation: Invocation
  private let environment: Environment

  init(_ invocation: Invocation, _ environment: Environment) {
    self.invocation = invocation
    self.environment = environment
  }

  /// Options that make rows of other rows.
  static let without = [Options.with, Options.nest]

  /// For the help: what is kept, and how.
  static let discussion =
    "Several at a time; a run that was interrupted is continued, and the next run asks only for what changed. Kept is what is a picture and "
    + "whole (JPEG, PNG, GIF, WebP, AVIF, HEIF), as KEY-N.jpg and so on. The manifest, images.json, says what each file is. A picture that cannot be "
    + "had is told of and holds up no other; the exit code is 75 then. --columns chooses the columns that name the pictures."

  func run() async throws(Problem) {
    guard let folder = invocation[Options.imageFolder] else {
      throw Problem(.usage, "-o FOLDER is missing", hint: "say where to put the pictures: -o pictures")
    }
    let work = try ImagesWork(invocation, environment)
    let choice = try choice()
    let selection = try SelectionReader(invocation)
    let source = try await environment.source(choice)
    let table = try await TableCommand(invocation, environment).tableName(of: source, choice)
    var request = RowRequest()
    if case .file = choice {
    } else if let schema = try await source.tables().first(where: { $0.name == table }) {
      request.selection = try selection.read(for: schema)
      request.selection?.columns = nil
    }
    let rows = try await source.rows(of: table, request)
    var wanted = try selection.read(for: rows.schema)
    let columns = try self.columns(of: rows.schema, wanted.columns)
    // The key names the files, whatever columns were asked for.
    wanted.columns = nil
    let chosen = try wanted.apply(to: rows, scratch: environment.scratch)
    let line = try await work.run(chosen, columns: columns, into: folder)
    if !invocation.has(Options.quiet) { try Terminal.write(line.text + "\n", to: 1) }
    if let problem = line.problem { throw problem }
  }

  /// The columns that name the pictures: those that were said, or those that are called so.
  private func columns(of schema: Schema, _ names: [String]?) throws(Problem) -> [Int] {
    let usual = ImageReference.columns(of: schema)
    guard let names else {
      if usual.isEmpty {
        throw Problem(.usage, "\(schema.name) has no column of pictures", hint: "say which: --columns NAME")
      }
      return usual
    }
    var columns: [Int] = []
    for name in names {
      guard let position = schema.position(of: name), ImageReference.mayHoldURLs(schema.columns[position].type) else {
        throw Problem(.usage, "\(name) holds no URLs of pictures", at: schema.name)
      }
      columns.append(position)
    }
    return columns
  }

  /// Where the records come from. What is said about connections is about the pictures, wherever that is.
  private func choice() throws(Problem) -> SourceChoice {
    if invocation.has(Options.offline) {
      throw Problem(.usage, "--offline opens no connection, and pictures need one", hint: "leave it out")
    }
    let choice = try SourceReader(invocation).choice(for: invocation.arguments.first, connects: true)
    guard case .live(let name, var live) = choice else { return choice }
    // What is built in has no pictures.
    live.fallback = .none
    return .live(name: name, live)
  }
}
