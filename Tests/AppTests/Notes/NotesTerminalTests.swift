import TestSupport
import Testing

@Suite("bb-notes at a terminal") struct NotesTerminalTests {
  private let shell: Shell

  init() {
    shell = Shell("BB_NOW=1384000000 BB_API_URL=http://127.0.0.1:9 BB_PAGER=cat BB_EDITOR='sh ed.sh' TERM=xterm")
    shell.write("ed.sh", "echo 'from the editor' >> \"$1\"\n")
  }

  private func terminal(_ line: String) throws -> PseudoTerminal { try PseudoTerminal(shell.command(line)) }

  @Test("add without a key offers the seasons, then the episodes, then the editor") func picker() throws {
    let one = try terminal("bb-notes add")
    #expect(one.shows("Which season?") && one.shows("Breaking Bad, season 5") && one.shows("to cancel): "))
    one.type("breaking bad, season 5\n")
    #expect(
      one.shows("Which episode of Breaking Bad, season 5?") && one.shows("S05E14 “Ozymandias”")
        && one.shows("to cancel): "))
    one.type("14\n")
    #expect(one.shows("added Breaking Bad S05E14"))
    #expect(one.end() == 0)
    #expect(shell.run("bb-notes show S05E14 --plain").out == "from the editor\n")
    let two = try terminal("bb-notes add --production bb")
    #expect(two.shows("(1 note)"))
    two.type("\u{4}")
    #expect(two.shows("no episode selected"))
    #expect(two.end() == 0 && !two.text.contains("Better Call Saul"))
  }
  @Test("edit without a key offers the notes by title, those of the default show first") func notes() throws {
    #expect(shell.run("bb-notes add bcs:1x01 one -q && bb-notes add S05E14 two -q").status == 0)
    let one = try terminal("bb-notes edit")
    #expect(
      one.shows("1  Breaking Bad S05E14 “Ozymandias”  two") && one.shows("2  Better Call Saul S01E01 “Uno”  one")
        && one.shows("to cancel): "))
    one.type("ozy\n")
    #expect(one.shows("updated Breaking Bad S05E14") && one.end() == 0)
    let two = try terminal("bb-notes edit --production bcs")
    #expect(two.shows("1  Better Call Saul S01E01") && two.shows("to cancel): "))
    two.type("\n")
    #expect(two.shows("no note selected") && two.end() == 0 && !two.text.contains("Breaking Bad"))
  }
  @Test("an invalid choice is prompted for again; an empty one ends without a change") func leaving() throws {
    let one = try terminal("bb-notes add")
    #expect(one.shows("to cancel): "))
    one.type("99\n")
    #expect(one.shows("no match") && one.shows("to cancel): "))
    one.type("season\n")
    #expect(one.shows("12 matches") && one.shows("to cancel): "))
    one.type("\n")
    #expect(one.shows("no episode selected"))
    #expect(one.end() == 0)
    #expect(shell.run("bb-notes list --plain").out == "")
  }
  @Test("adding to an episode that has a note opens that note with the new text appended") func upsert() throws {
    #expect(shell.run("bb-notes add 5x14 first").status == 0)
    let one = try terminal("bb-notes add 5x14 second")
    #expect(one.shows("updated Breaking Bad S05E14"))
    #expect(one.end() == 0)
    #expect(shell.run("bb-notes show 5x14 --plain").out == "first\\nsecond\\nfrom the editor\n")
  }
  @Test("closing the editor without saving changes nothing; saving what it began with does", arguments: [true, false])
  func unsaved(_ saves: Bool) throws {
    #expect(shell.run("bb-notes add 5x14 first").status == 0)
    shell.write("ed.sh", saves ? "cp \"$1\" copy; cat copy > \"$1\"\n" : "cat \"$1\"\n")
    let one = try terminal("bb-notes add 5x14 second")
    #expect(one.shows(saves ? "updated Breaking Bad S05E14" : "the editor was closed without saving"))
    #expect(one.end() == 0)
    #expect(shell.run("bb-notes show 5x14 --plain").out == (saves ? "first\\nsecond\n" : "first\n"))
  }
  @Test("leaving the editor without a change, empty or with an error changes nothing") func unchanged() throws {
    #expect(shell.run("bb-notes add 5x14 first").status == 0)
    for (script, words) in [
      ("true", "the text is unchanged"), (": > \"$1\"", "the text is empty"), ("rm \"$1\"", "the text is empty"),
    ] {
      shell.write("ed.sh", script + "\n")
      let one = try terminal("bb-notes edit 5x14")
      #expect(one.shows("Breaking Bad S05E14: not changed: ") && one.shows(words), "\(script)")
      #expect(one.end() == 0)
    }
    for (script, words) in [
      ("exit 3", ""), ("echo x >> \"$1\"; exit 1", "your text is saved in"),
    ] {
      shell.write("ed.sh", script + "\n")
      let one = try terminal("bb-notes edit 5x14")
      #expect(one.shows("the editor exited with status ") && one.shows("; nothing was changed"), "\(script)")
      #expect(words.isEmpty || one.shows(words), "\(script)")
      #expect(one.end() == 69)
    }
    #expect(shell.run("bb-notes show 5x14 --plain").out == "first\n")
    #expect(shell.run("bb-notes history --plain | wc -l").out == "1\n")
    // Only what was written and not meant is kept, for its owner alone.
    #expect(shell.run("cat ~/.local/state/bb/drafts/*").out == "first\nx\n")
    #expect(shell.run("stat -c %a ~/.local/state/bb/drafts ~/.local/state/bb/drafts/*").out == "700\n600\n")
  }
  @Test("the editor has the terminal, its arguments and quotes, and Ctrl-C is its own") func editor() throws {
    shell.write(
      "my editor",
      "#!/bin/sh\ntrap 'echo interrupted >> \"$3\"' INT\necho \"$1,$2\"; [ -t 0 ] && [ -t 1 ] && echo ready\nsleep 1\nexit 0\n"
    )
    #expect(shell.run("chmod +x 'my editor' && bb-notes add 5x14 first").status == 0)
    let one = try terminal("BB_EDITOR='\"./my editor\" -n \"a b\"' exec bb-notes edit 5x14")
    #expect(one.shows("-n,a b") && one.shows("ready"))
    one.type("\u{3}")
    #expect(one.shows("updated Breaking Bad S05E14"))
    #expect(one.end() == 0)
    #expect(shell.run("bb-notes show 5x14 --plain").out == "first\\ninterrupted\n")
  }
  @Test("an editor that cannot be started is named") func noEditor() throws {
    let one = try terminal("BB_EDITOR=/nowhere/ed bb-notes add 5x14")
    #expect(one.shows("cannot start the editor “/nowhere/ed”"))
    #expect(one.end() == 78)
    #expect(shell.run("ls ~/.local/state/bb/drafts").out == "")
  }
  @Test("delete asks, and only yes is yes") func confirmation() throws {
    #expect(shell.run("bb-notes add 5x14 first").status == 0)
    for (answer, words) in [
      ("n", "nothing deleted"), ("", "nothing deleted"), ("yes", "deleted Breaking Bad S05E14"),
    ] {
      let one = try terminal("bb-notes delete 5x14")
      #expect(one.shows("delete the note for Breaking Bad S05E14? [y/N] "))
      one.type(answer + "\n")
      #expect(one.shows(words))
      #expect(one.end() == 0)
    }
    #expect(shell.run("bb-notes list --plain").out == "")
  }
  @Test("the pager is for terminals") func pager() throws {
    // More lines than the terminal has.
    let seasons = "for n in 1 2 3 4 5 6 7; do for s in 1 2 3 4; do bb-notes add ${s}x$n -m x -q; done; done"
    #expect(shell.run("\(seasons); bb-notes add 5x14 first").status == 0)
    let one = try terminal("BB_PAGER='sed s/^/P:/' bb-notes list --plain")
    #expect(one.shows("P:Breaking Bad"))
    #expect(one.end() == 0)
    #expect(shell.run("BB_PAGER='sed s/^/P:/' bb-notes list --plain").out.hasPrefix("Breaking Bad"))
    // A pager would wait there for a key.
    for (kind, text) in [("xterm", "P:Breaking Bad"), ("dumb", "Breaking Bad"), ("", "Breaking Bad")] {
      let usual = try terminal("env -u BB_PAGER TERM=\(kind) PAGER='sed s/^/P:/' bb-notes list --plain")
      #expect(usual.shows("Breaking Bad") && usual.end() == 0)
      #expect(usual.text.hasPrefix(text), "\(kind): \(usual.text)")
    }
    let gone = try terminal("BB_PAGER=true bb-notes list")
    #expect(gone.end() == 0)
  }
  @Test("what is kept cannot drive the terminal") func escapes() throws {
    let driving = shell.run("printf 'a\\033[31mb\\302\\233c\\342\\200\\256d\\007' | bb-notes add 5x14 -")
    #expect(driving.status == 0)
    for command in ["list", "list --plain", "show 5x14", "show 5x14 --plain", "list --json", "search a", "list -f csv"]
    {
      let one = try terminal("NO_COLOR=1 bb-notes \(command)")
      #expect(one.end() == 0)
      #expect(!one.screen.contains(0x1B) && one.screen.contains(UInt8(ascii: "d")), "\(command)")
      #expect(one.screen.firstRange(of: [0xC2, 0x9B]) == nil, "\(command)")
      #expect(one.screen.firstRange(of: Array("\u{202E}".utf8)) == nil, "\(command)")
    }
    let piped = shell.run("bb-notes show 5x14; bb-notes list --plain; bb-notes list --json")
    #expect(!piped.out.utf8.contains(0x1B))
    #expect(piped.out.contains("a\\x1b[31mb\\x9bc\\u{202e}d\\x07"))
  }
}
