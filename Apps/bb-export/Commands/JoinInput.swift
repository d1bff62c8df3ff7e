import AppShell
import Codecs
import CommandLineKit
import Dialects
import Domain
import Query
import Rows

/// The file that `--join` names, in memory, and the columns that `--on` names.
struct JoinInput {
  private let schema: Schema
  private let batches: [RowBatch]
  private let notes: [Warning]
  private let name: String
  private let pairs: [(left: String, right: String)]

  /// Reads the file; nil without `--join`.
  /// - Throws: `usage` for options that cannot be used together; the errors of the file.
  init?(
    _ invocation: Invocation, _ services: AppServices, threads: Int, memory: Int, keepsSpellings: Bool
  ) async throws(Problem) {
    guard let path = invocation[Options.join], let list = invocation[Options.on] else { return nil }
    pairs = try NameListParser.list(list, mark: "=", of: Options.on.name).map { ($0.name, $0.value ?? $0.name) }
    var options = try FileInputOptions(joining: invocation)
    // These describe the other input.
    var dialect = DialectOptions()
    (dialect.repairs, dialect.maximumRejects) = (options.dialect.repairs, options.dialect.maximumRejects)
    (options.format, options.table, options.records, options.dialect) = (nil, nil, nil, dialect)
    do throws(Problem) {
      var request = RowRequest(cores: threads)
      request.keepsSpellings = keepsSpellings
      (schema, batches, notes) = try await Self.read(
        try SourceOptions(invocation).file(path, options), pairs.map(\.right), services, request, memory)
    } catch {
      var problem = error
      problem.hint.steps = error.hint.steps.map { Self.ownOption($0, of: path) }
      throw problem
    }
    name = schema.name
  }

  /// A step that changes options of the file, as one that changes those of this file.
  private static func ownOption(_ step: Remedy.Step, of path: String) -> Remedy.Step {
    let choices: [Remedy.Choice], purpose: String?
    switch step {
    case .set(let setting, let values, let use) where setting != .repair && values.count < 2:
      (choices, purpose) = ([Remedy.Choice(setting, values.first)], use)
    case .together(let several): (choices, purpose) = (several, nil)
    default: return step
    }
    let words = choices.compactMap { FileInputOptions.option(for: $0.setting, value: $0.value) }
    guard words.count == choices.count else { return step }
    let text = words.joined().map { $0.hasPrefix("--") ? $0 : Remedy.shellWord($0) }.joined(separator: " ")
    return .set(.fileOptions, to: ["\(path)=\(text)"], purpose: purpose)
  }

  private static func read(
    _ choice: SourceChoice, _ columns: [String], _ services: AppServices, _ request: RowRequest, _ memory: Int
  ) async throws(Problem) -> (Schema, [RowBatch], [Warning]) {
    let source = try await services.sources.open(choice)
    guard let table = try await source.mainTable() else {
      let names = try await source.tables().map(\.name).joined(separator: ", ")
      throw Problem(
        .usage, "the file has several tables: \(names)", at: source.name, hint: "write one to a file of its own first")
    }
    let plain = try await source.rows(of: table, request)
    return try await MemberRows.adding(columns, to: plain, services.scratch).withWidening { (rows) throws(Problem) in
      let batches = try await rows.collect(within: memory)
      return (rows.schema, batches, rows.notes)
    }
  }

  /// Refuses types of columns that neither table has.
  func check(_ types: ColumnTypes, with other: Schema) throws(Problem) {
    for name in types.names where schema.position(of: name) == nil && other.position(of: name) == nil {
      throw Problem(
        .usage, "neither “\(other.name)” nor “\(self.name)” has a column “\(name)”",
        hint: .choose(name, from: (other.columns + schema.columns).map(\.name)))
    }
  }

  /// The relation that leads from rows of a table to those of the file.
  func relation(from table: String) -> Relation {
    Relation(name, from: table, to: "\u{1F}\(name)", on: pairs)
  }

  func added(to tables: JoinTables, from table: String) -> JoinTables {
    tables.adding(schema, batches, notes: notes, by: relation(from: table))
  }

  /// The same without rows: to check a selection.
  func described(in tables: JoinTables, from table: String) -> JoinTables {
    tables.adding(schema, [], by: relation(from: table))
  }

  /// The selection with this join after its relations.
  func added(to selection: Selection, _ invocation: Invocation) -> Selection {
    var selection = selection
    selection.relations.append(name)
    selection.joinKind = invocation[Options.joinType].flatMap(JoinKind.init) ?? .left
    return selection
  }
}

extension FileInputOptions {
  /// The options of a command line, whose types are for the input and the file of `--join` together.
  init(joining invocation: Invocation) throws(Problem) {
    try self.init(invocation)
    types.areShared = invocation.has(Options.join)
    types.takesMembers = !invocation.has(Options.sql)
  }
}
