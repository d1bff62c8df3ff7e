import Domain
import Codecs
import AppShell
import CommandLineKit
import Rows
import Testing

@testable import bb_export
@testable import bb_notes

/// Hints name only what exists: options of the running command, and command lines that parse.
@Suite("hints name existing options") struct HintTests {
  struct Named: Sendable, CustomTestStringConvertible {
    let program: Program
    let path: String
    let command: Command
    var testDescription: String { path }
  }

  static let all = [BBExport.program, BBNotes.program].flatMap { program in
    program.commands.flatMap { leaves($0, program, program.name) }
  }
  private static func leaves(_ command: Command, _ program: Program, _ path: String) -> [Named] {
    let path = "\(path) \(command.name)", own = Named(program: program, path: path, command: command)
    return [own] + command.subcommands.flatMap { leaves($0, program, path) }
  }

  /// Every setting of the options of both programs.
  static let settings = Set(all.flatMap { $0.program.options(of: $0.command).compactMap(\.setting) })

  @Test("synonyms lead to options and commands that exist, and are none themselves") func synonyms() throws {
    let shared = Set(SharedSynonyms.all)
    for program in [BBExport.program, BBNotes.program] {
      let commands = Self.all.filter { $0.program.name == program.name }
      for synonym in program.synonyms where !shared.contains(synonym) {
        let isCommand = commands.contains { $0.command.name == synonym.target }
        let isOption = commands.contains { Self.options($0).contains(synonym.target) }
        #expect(isCommand || isOption, "\(program.name): \(synonym.target)")
      }
    }
    for synonym in shared where synonym.target != "--version" {
      let isUsed = Self.all.contains { $0.command.name == synonym.target || Self.options($0).contains(synonym.target) }
      #expect(isUsed, "\(synonym.target)")
    }
    // A hint names options of the commands that have its target.
    for named in Self.all {
      let options = Self.options(named)
      for synonym in named.program.synonyms where options.contains(synonym.target) {
        let words = synonym.hint.split { " :;?,[]".contains($0) }.map(String.init).filter { $0.hasPrefix("--") }
        #expect(words.allSatisfy(options.contains), "\(named.path): \(words)")
      }
    }
  }

  private static func options(_ named: Named) -> [String] {
    named.program.options(of: named.command).map { "--\($0.name)" }
  }

  @Test("every hint of every command names an option of the command", arguments: all) func settings(_ named: Named)
    throws
  {
    let presenter = ErrorPresenter(named.program, named.command, actions: ActionLines.line)
    let names = named.program.options(of: named.command).map { "--\($0.name)" }
    for setting in Self.settings.union([.formatOption("sql.dialect")]) {
      for remedy: Remedy in [.set(setting, to: "x"), .raise(setting), .omit(setting)] {
        let words = presenter.hint(remedy).split(separator: " ").map(String.init)
        let options = words.filter { $0.hasPrefix("--") }
        #expect(options.allSatisfy(names.contains), "\(words)")
      }
    }
  }

  @Test("no two options of a command have the same setting", arguments: all) func unique(_ named: Named) {
    let settings = named.program.options(of: named.command).compactMap { $0.setting?.name }
    #expect(Set(settings).count == settings.count, "\(settings.sorted())")
  }

  @Test("constraints between options name options", arguments: all) func constraints(_ named: Named) {
    let everywhere = Set(Self.all.flatMap { $0.program.options(of: $0.command).map(\.name) })
    let options = named.program.options(of: named.command), names = options.map(\.name)
    #expect(Set(names).count == names.count, "an option is bound more than once")
    #expect(options.flatMap(\.exclusions).allSatisfy { everywhere.contains($0.name) })
    #expect(options.filter { !$0.required.isEmpty }.allSatisfy { !$0.required.filter(names.contains).isEmpty })
  }

  @Test("every action is a command line that parses")
  func actions() throws {
    let known: [Action] = [
      .listSources, .showHistory, .fetchImages, .addComment, .sync, .sync(into: "csv:d"), .createStore("csv:d"),
    ]
    for action in known {
      let words = try #require(ActionLines.line(action)).split(separator: " ").map(String.init)
      let program = words[0] == "bb-export" ? BBExport.program : BBNotes.program
      #expect(program.name == words[0])
      _ = try program.parse(Array(words.dropFirst()))
    }
  }
}
