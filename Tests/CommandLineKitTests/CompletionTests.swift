import Glibc
import TestSupport
import Testing

@testable import CommandLineKit

@Suite("completions") struct CompletionTests {
  /// A command whose subcommands share its options.
  private static let acting = Program(
    "demo", version: "1", "demonstrate",
    commands: [
      Command(
        "config", "show settings", arguments: [Argument("ACTION", values: .words(["get", "set"]), count: .any, "x")],
        actions: [
          CommandAction("get", Argument("KEY", values: .words(["color", "columns", "storage"]), "key")),
          CommandAction("set", Argument("KEY", values: .dynamic("key"), "key"), Argument("VALUE", "value")),
        ])
    ], options: [.value("format", "FORMAT", in: "x", "x")], topics: [], examples: [])

  /// The lines for the last word of a command line.
  private static func lines(_ line: String, of program: Program = Fixture.program) async -> [String] {
    await program.candidates(for: line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)) {
      (kind, point) in
      switch kind {
      case "dataset": [Completion("people", "persons"), Completion("movies")]
      case "key": [Completion("color"), Completion("columns")]
      default: (point.invocation.arguments == ["movies"] ? ["title", "year"] : ["age", "name"]).map { Completion($0) }
      }
    }
  }

  @Test(
    "the last word is completed by its place",
    arguments: [
      ("p", ["plugins\tlook after plug-ins", "people\tpersons"]), ("table ", ["people\tpersons", "movies"]),
      ("table --f", ["--format\twrite this format"]), ("people -f ", ["csv", "json"]),
      ("plugins i", ["info\tdescribe one"]),
      ("--ver", ["--verbose\tsay more", "--version\tshow the version"]), ("-q plugins l", ["list\tlist them"]),
      ("-f csv plugins l", ["list\tlist them"]), ("people --format=c", ["--format=csv"]), ("people x ", []),
      ("table people --output x --l", ["--limit\tstop after N rows"]), ("people --output ", ["\tfiles"]),
      ("people --columns n", ["name", "\topen"]), ("people --columns name,a", ["name,age", "\topen"]),
      ("people --columns=age,", ["--columns=age,name", "\topen"]),
      ("movies --columns title,y", ["title,year", "\topen"]), ("people --columns 'n", ["name", "\topen"]),
      ("copy ", ["\tfiles"]), ("people --limit ", []), ("-- plug", []),
    ])
  func places(line: String, lines: [String]) async { #expect(await Self.lines(line) == lines) }

  @Test("the arguments of subcommands are completed") func actions() async {
    #expect(await Self.lines("config ", of: Self.acting) == ["get", "set"])
    #expect(await Self.lines("config set co", of: Self.acting) == ["color", "columns"])
    #expect(await Self.lines("config set color ", of: Self.acting) == [])
  }

  /// The output of a shell that runs a script in a directory with a program that prints `lines` for its last argument.
  static func run(_ shell: String, _ script: String, answer lines: String = "", options: String = "") -> [String] {
    let directory = TemporaryDirectory().path
    func write(_ name: String, _ text: String) {
      guard let file = unsafe fopen(directory + "/" + name, "w") else { return }
      unsafe fputs(text, file)
      unsafe fclose(file)
    }
    write("demo", "#!/bin/sh\necho \"$@\" >> \(directory)/asked\nprintf %b '\(lines)'\n")
    unsafe chmod(directory + "/demo", 0o755)
    write("script", script)
    let command =
      "cd \(directory); PATH=$PWD:$PATH; command -v \(shell) >/dev/null || { echo missing; exit; }; "
      + "\(shell) \(options) script 2>&1; [ ! -s asked ] || cat asked"
    guard let pipe = unsafe popen(command, "r") else { return [] }
    var printed: [String] = [], line = [CChar](repeating: 0, count: 1 << 16)
    while unsafe fgets(&line, Int32(line.count), pipe) != nil {
      printed.append(String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    unsafe pclose(pipe)
    return printed
  }

  @Test("bash asks with whole words, and replaces what it takes for the last") func bash() {
    let lines = Completions.script(for: "demo", .bash)
    func offered(_ words: String, answer: String) -> [String] {
      let script =
        lines
        + "COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _demo; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
      return Self.run("bash", script, answer: answer)
    }
    #expect(
      offered("demo x --f", answer: "--format\\twhich format\\n") == ["--format", "completions candidates -- x --f"])
    #expect(
      offered("demo --sort age : d", answer: "age:desc\\n") == ["desc", "completions candidates -- --sort age:d"])
    #expect(
      offered("demo --format = c", answer: "--format=csv\\n\\topen\\n") == [
        "csv", "completions candidates -- --format=c",
      ])
    #expect(offered("demo scr", answer: "\\tfiles\\n") == ["script", "completions candidates -- scr"])
  }

  @Test("fish and zsh show what words mean") func others() {
    let fish = Self.run(
      "fish", Completions.script(for: "demo", .fish) + "complete -C 'demo x --f'\n",
      answer: "--format\\twhich format\\n\\topen\\n", options: "--no-config")
    if fish != ["missing"] { #expect(fish == ["--format\twhich format", "completions candidates -- x --f"]) }
    let zsh = Self.run("zsh", Self.typed("demo x --f"), answer: "--format\\twhich format\\n", options: "-f")
    if zsh.first != "missing" { #expect(zsh == ["<demo x --format >", "completions candidates -- x --f"]) }
  }

  /// A script of zsh that types a line in a pseudo-terminal, completes it, and prints the result.
  private static func typed(_ line: String) -> String {
    """
    zmodload zsh/zpty || { echo missing; exit; }
    cat > _demo <<'END'
    \(Completions.script(for: "demo", .zsh))
    END
    cat > .zshrc <<'END'
    autoload -Uz compinit && compinit -u -D
    source ./_demo
    tell() { print -r -- "<$BUFFER>" > told; exit }
    zle -N tell; bindkey '^T' tell; bindkey '^I' complete-word; print up > up
    END
    await() { for tenth in {1..600}; do [[ -s $1 ]] && break; sleep 0.1; done }
    export ZDOTDIR=$PWD
    zpty shell zsh -i
    await up
    zpty -w -n shell $'\(line)\\t\\x14'
    await told
    cat told

    """
  }

  @Test("each shell accepts its script without an error", arguments: Completions.Shell.allCases)
  func syntax(shell: Completions.Shell) {
    let script = Completions.script(for: "bb-export", shell)
    let complaints = Self.run(shell.rawValue, script, answer: "", options: "-n")
    if complaints.first != "missing" { #expect(complaints == []) }
  }
}
