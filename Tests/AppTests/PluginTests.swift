import TestSupport
import Testing

@Suite("external exporters") struct PluginTests {
  /// A shell with plug-ins: scripts by their names.
  private static func shell(_ plugins: [String: String]) -> Shell {
    let shell = Shell()
    for (name, script) in plugins {
      shell.write("bb-exporter-\(name)", script)
      _ = shell.run("mkdir -p plug && chmod 755 plug && mv bb-exporter-\(name) plug/ && chmod 755 plug/*")
    }
    return shell
  }
  /// A script that describes itself, and does `body` with a Singer stream.
  private static func script(_ name: String, _ body: String, more: String = "") -> String {
    """
    #!/bin/sh
    if [ "$1" = --describe ]; then
      echo '{"schemaVersion": 1, "name": "\(name)", "version": "1", "vendor": "v", "description": "d", "extensions": ["\(name)"], "mediaType": "text/plain"\(more)}'
      exit
    fi
    \(body)
    """
  }
  private static func run(_ shell: Shell, _ line: String) -> Shell.Outcome {
    shell.run("export BB_PLUGIN_PATH=$PWD/plug TMPDIR=$HOME; \(line)")
  }

  @Test("an external format works by name, by extension, with options and with selections")
  func format() throws {
    let options = #", "options": [{"key": "mark", "values": "TEXT", "description": "m"}]"#
    let shell = Self.shell(["count": Self.script("count", #"echo "$@"; grep -c RECORD"#, more: options)])
    let named = Self.run(shell, "bb-export episodes --source snapshot --limit 3 -f count")
    #expect(named.out == "export\n3\n" && named.err == "" && named.status == 0)
    let file = Self.run(
      shell,
      "bb-export episodes --source snapshot -o a.count -o b.csv --option count.mark='x y' --summary json && cat a.count && wc -c < a.count"
    )
    #expect(
      file.out == "export --option mark=x y\n126\n29\n"
        && file.err.contains(#""format":"count","rows":126,"bytes":29,"#))
    #expect(Self.run(shell, "bb-export episodes --source snapshot -f count --option nark=1").status == 64)
    let info = Self.run(shell, "bb-export plugins info count -f csv")
    #expect(info.out.contains("suffixes,.count\n") && info.out.contains("options,mark=TEXT\n"))
  }
  @Test(
    "a program that misbehaves is an error that says how, and the old file stays",
    arguments: [
      ("exit", "cat >/dev/null; echo 'out of ink' >&2; exit 3", 76, "exited with status 3: out of ink"),
      (
        "refuse", "cat >/dev/null; echo half; echo 'no such colour' >&2; exit 65", 65,
        "cannot represent the records: no such colour"
      ),
      ("early", "exec <&-; exit 0", 76, "exited before reading all of its input"),
      // Ends after the last byte has gone into the pipe.
      ("leave", "sleep 1; exit 0", 76, "exited before reading all of its input"),
      ("part", "head -c 100 >/dev/null", 76, "exited before reading all of its input"),
      ("signal", "kill -9 $$", 76, "killed by signal 9"),
      ("flood", "exec yes 0123456789012345678901234567890123456789", 76, "implausible output"),
      ("linger", "cat >/dev/null; exec >&- 2>&-; sleep 30", 76, "did not exit"),
    ])
  func faults(name: String, body: String, status: Int32, complaint: String) throws {
    let shell = Self.shell([name: Self.script(name, body)])
    let done = Self.run(
      shell,
      "echo old > a.\(name); bb-export episodes --source snapshot -o a.\(name); echo $?; cat a.\(name); ls -A; ls -d $HOME/bb-plugin*"
    )
    #expect(done.out == "\(status)\nold\na.\(name)\nplug\n", "\(done.out)")
    #expect(done.err.contains(complaint) && done.err.split(separator: "\n").count == 2, "\(done.err)")
    #expect(done.err.hasSuffix("bb-plugin*': No such file or directory\n"), "its directory was deleted")
  }
  @Test("when we are ended it is ended too, and nothing is left") func interrupted() throws {
    let shell = Self.shell(["slow": Self.script("slow", "echo $$ > $HOME/pid; cat >/dev/null; sleep 30")])
    let done = Self.run(
      shell,
      "bb-export deaths --source snapshot -o a.slow & until [ -s $HOME/pid ]; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?; sleep 0.2; ls -A; cat /proc/$(cat $HOME/pid)/cmdline 2>/dev/null | wc -c"
    )
    // Ended, and perhaps not yet buried.
    #expect(done.out == "143\nplug\n0\n", "\(done.out)\(done.err)")
  }
  @Test("neither pipe stops the other: much in, much out, at once") func both() throws {
    let shell = Self.shell(["cat": Self.script("cat", "exec cat")])
    shell.write("many.csv", "a,b\n" + String(repeating: "0123456789,0123456789\n", count: 100_000))
    let done = Self.run(
      shell,
      "bb-export --from many.csv -o m.cat -o m.singer && cmp m.cat m.singer && bb-export --from many.csv -f cat | head -1 | cut -c1-16"
    )
    #expect(done.out == "{\"type\":\"SCHEMA\"\n" && done.err == "" && done.status == 0)
  }
  @Test("it gets few variables, a private directory and default signals") func surroundings() throws {
    let shell = Self.shell(["env": Self.script("env", "cat >/dev/null; env | sort; pwd; touch left-over; trap")])
    let done = Self.run(
      shell,
      "X_TOKEN=S3CR3T BB_API_URL=http://x bb-export deaths --source snapshot -f env; ls -d $HOME/bb-plugin*"
    )
    #expect(!done.out.contains("S3CR3T") && !done.out.contains("BB_API_URL") && done.out.contains("/bb-plugin."))
    #expect(done.err.contains("No such file or directory"), "its directory was deleted")
  }
  @Test(
    "one that others could change, or that has a built-in name, is listed and not run",
    arguments: [
      ("chmod 775 plug", "is writable by other users"), ("chmod 757 plug/bb-exporter-x", "is writable by other users"),
      ("chmod 644 plug/bb-exporter-x", "not executable"),
      ("rm plug/bb-exporter-x; ln -s nowhere plug/bb-exporter-x", "dangling symbolic link"),
      (
        "mkdir open; chmod 777 open; mv plug/bb-exporter-x open/; ln -s ../open/bb-exporter-x plug/",
        "is writable by other users"
      ),
    ])
  func refused(change: String, complaint: String) throws {
    let shell = Self.shell(["x": Self.script("x", "cat"), "csv": Self.script("csv", "echo stolen")])
    let list = Self.run(shell, "\(change); bb-export plugins -f csv")
    #expect(list.out.contains("x,no,") && list.out.contains(complaint), "\(list.out)")
    #expect(list.out.contains("csv,no,") && list.out.contains("conflicts with a built-in format"))
    let run = Self.run(shell, "bb-export deaths --source snapshot -f x")
    #expect(run.status == 77 && run.err.contains(complaint) && run.out == "")
    #expect(Self.run(shell, "bb-export deaths --source snapshot -f csv --limit 0").out.hasPrefix("id,"))
  }
  @Test(
    "an invalid description",
    arguments: [
      ("echo hello", "invalid JSON"), ("echo '{}'", "must return schemaVersion 1"),
      ("echo '{\"schemaVersion\": 1, \"name\": \"y\"}'", "does not match the file name"),
      ("exit 1", "exited with an error"), ("sleep 20", "no response within 5 s"), ("exec yes", "larger than 64 KiB"),
    ])
  func descriptions(answer: String, complaint: String) throws {
    let shell = Self.shell(["x": "#!/bin/sh\n\(answer)\n"])
    let done = Self.run(shell, "bb-export deaths --source snapshot -f x")
    #expect(
      done.status == 76 && done.err.contains(complaint) && isOneMessage(done.err), "\(done.err)")
  }
  @Test("a plug-in of twenty lines of Python passes every trial and refuses what it cannot write") func python() throws
  {
    let fixture = Shell.read(#filePath.replacing("AppTests/PluginTests.swift", with: "Fixtures/bb-exporter-lines"))
    let shell = Self.shell(["lines": fixture])
    let trial = Self.run(shell, "bb-export plugins test lines -f csv")
    #expect(trial.status == 0 && !trial.out.contains("failed"), "\(trial.out)")
    let some = Self.run(
      shell, "bb-export episodes --source snapshot --limit 1 --columns season,title --option case=upper -f lines")
    #expect(some.out == "# season, title\n1 | \"UNO\"\n")
    let refused = Self.run(
      shell, "printf 'a\nx|y\n' | bb-export --from - --from-format csv --as t -o t.lines; echo $?; ls")
    #expect(refused.out == "65\nplug\n" && refused.err.contains("cannot represent the records: a text has a bar in it"))
  }
  @Test("a Singer target succeeds when it acknowledges all records") func target() throws {
    let shell = Shell()
    let head = "#!/bin/sh\n[ \"$1 $2\" = '--config c.json' ] || exit 2\n"
    // The state as another program would write it: blanks, other order.
    let good =
      "cat > got; n=$(grep -c RECORD got); echo \"{\\\"bb_export\\\": {\\\"records\\\": {\\\"deaths\\\": $n}}, \\\"bookmarks\\\": {}}\""
    for (name, body) in [
      ("good", good), ("lossy", good.replacing("grep -c RECORD got", with: "echo 7")), ("mute", "cat > got"),
      ("dead", "cat > got; exit 1"),
    ] {
      shell.write("target-\(name)", head + body + "\n")
    }
    _ = shell.run("chmod 755 target-*; echo '{}' > c.json")
    let line = "PATH=$PWD:$PATH bb-export deaths --source snapshot --option config=c.json -f singer:target"
    let done = shell.run("\(line)-good -o state && cat state && wc -l < got")
    #expect(done.out == "{\"bb_export\": {\"records\": {\"deaths\": 8}}, \"bookmarks\": {}}\n10\n" && done.err == "")
    for (name, words) in [
      ("lossy", "without acknowledging"), ("mute", "without acknowledging"), ("dead", "exited with status 1"),
    ] {
      let failed = shell.run("rm -f state; \(line)-\(name) -o state; echo $?; ls state")
      #expect(failed.out == "76\n" && failed.err.contains(words), "\(failed.err)")
    }
    #expect(shell.run("bb-export deaths --source snapshot -f singer:target-nosuch").status == 66)
  }
  @Test("plugins test tells good from bad") func trial() throws {
    let shell = Self.shell([
      "good": Self.script("good", "exec cat"),
      "bad": Self.script("bad", "cat > /dev/null; date +%N; exit $(date +%N | tail -c 2)"),
    ])
    let good = Self.run(shell, "bb-export plugins test good -f csv")
    #expect(good.status == 0 && !good.out.contains("failed") && good.out.split(separator: "\n").count > 10)
    let bad = Self.run(shell, "bb-export plugins test bad -f csv")
    #expect(bad.status == 76 && bad.out.contains("failed"))
    #expect(Self.run(shell, "bb-export plugins test god").err.contains("did you mean good?"))
  }
  @Test("a plug-in that hangs in --describe delays only itself, and is ended") func hangs() throws {
    let hang = "#!/bin/sh\necho $$ > $HOME/pid-$(basename $0); exec sleep 60\n"
    let shell = Self.shell(["aaa": hang, "zzz": hang, "count": Self.script("count", "grep -c RECORD")])
    let began = ContinuousClock.now
    let done = Self.run(
      shell, "bb-export deaths --source snapshot -o a.count && cat a.count; kill -0 $(cat $HOME/pid-*)")
    #expect(done.out == "8\n" && began.duration(to: .now) < .seconds(4), "\(done.out)\(done.err)")
    #expect(done.err.contains("No such process"), "\(done.err)")
    let list = Self.run(shell, "bb-export plugins -f csv")
    #expect(list.status == 0 && began.duration(to: .now) < .seconds(12))
    #expect(list.out.contains("aaa,no,") && list.out.contains("count,yes,") && list.out.contains("within 5 s"))
  }
  @Test("plugins list and info agree on what is refused, and why") func agreement() throws {
    let shell = Self.shell([
      "good": Self.script("good", "cat"), "csv": Self.script("csv", "cat"), "named": Self.script("other", "cat"),
      "mute": "#!/bin/sh\nexit 3\n", "text": "#!/bin/sh\necho hello\n", "Upper": Self.script("Upper", "cat"),
      "open": Self.script("open", "cat"), "plain": Self.script("plain", "cat"),
    ])
    let list = Self.run(
      shell, "chmod 757 plug/bb-exporter-open; chmod 644 plug/bb-exporter-plain; bb-export plugins -f ndjson")
    let lines = list.out.split(separator: "\n")
    #expect(lines.count == 8, "\(list.out)")
    for line in lines {
      let words = line.split(separator: "\"").map(String.init)
      let name = words[3], info = Self.run(shell, "bb-export plugins info \(name) --errors json")
      if words[7] == "yes" {
        #expect(name == "good" && info.status == 0 && line.hasSuffix("null}"))
      } else {
        #expect([76, 77].contains(info.status) && info.err.contains(words[words.count - 2]), "\(line) \(info.err)")
      }
    }
  }
  @Test("no descriptor is inherited but the three") func descriptors() throws {
    let shell = Self.shell(["fds": Self.script("fds", "cat >/dev/null; ls /proc/self/fd")])
    let done = Self.run(
      shell,
      "exec 5</etc/passwd 9>kept; bb-export deaths --source snapshot -f fds; bb-export --from kept --from-format csv --as t -o x.fds; exit 0"
    )
    // The fourth is the listing's own.
    #expect(done.out == "0\n1\n2\n3\n", "\(done.out)")
  }
}
