import AppShell
import CommandLineKit
import Testing
@testable import bb_notes

@Suite("the description of bb-notes") struct NotesDescriptionTests {
  @Test("has nothing that would confuse a reader") func lint() {
    #expect(CommandLint.findings(BBNotes.program) == [])
  }
  @Test("every command does something, and every example can be parsed") func commands() throws {
    func check(_ command: Command, _ path: [String]) throws {
      if command.subcommands.isEmpty { #expect(BBNotes.application.action(at: path) != nil, "\(path)") }
      for line in command.examples {
        let words = try #require(ShellWords.split(line.split(separator: " < ").first.map(String.init) ?? line))
        let invocation = try BBNotes.program.parse(words)
        #expect(invocation.path.starts(with: path), "\(line)")
      }
      for sub in command.subcommands { try check(sub, path + [sub.name]) }
    }
    for command in BBNotes.program.commands { try check(command, [command.name]) }
  }
  @Test("the man page and the help of every command are there") func pages() {
    let pages = BBNotes.program.manPages
    #expect(pages.count == BBNotes.program.commands.count + 1)
    for (name, text) in pages {
      for section in [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO",
      ] {
        #expect(text.contains("\n.SH \(section)\n"), "\(name): \(section)")
      }
    }
    for command in BBNotes.program.commands {
      #expect(BBNotes.program.help(for: command).contains("USAGE"))
    }
  }
}
