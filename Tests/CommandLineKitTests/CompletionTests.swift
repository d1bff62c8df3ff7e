import CommandLineKit
import Glibc
import TestSupport
import Testing

@Suite("completions") struct CompletionTests {
  static let completions = Completions(
    Fixture.program, words: ["dataset": ["people", "movies"], "column": ["age", "name"]],
    narrowed: [(kind: "column", behind: [(word: "movies", words: ["title", "year"])])])

  /// A command whose subcommands share its options.
  static let acting = Completions(
    Program(
      "demo", version: "1", "demonstrate",
      commands: [
        Command(
          "config", "show settings", arguments: [Argument("ACTION", values: .words(["get", "set"]), count: .any, "x")],
          actions: [
            CommandAction("get", Argument("KEY", values: .words(["color", "columns", "storage"]), "key")),
            CommandAction("set", Argument("KEY", values: .dynamic("key"), "key"), Argument("VALUE", "value")),
          ])
      ], options: [.value("format", "FORMAT", in: "x", "x")], topics: [], examples: []),
    words: ["key": ["color", "columns", "storage"]])

  /// What bash offers for a command line whose last word is being typed.
  static func offered(_ line: String, _ completions: Completions = completions) -> [String] {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
    let script = """
      \(completions.script(for: Completions.Shell.bash))
      COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1); _demo; printf '%s\\n' "${COMPREPLY[@]}"
      """
    return run("bash", script)
  }
  /// The lines a shell prints for a script on its standard input; the first is `missing` when there is no such shell.
  static func run(_ shell: String, _ script: String, options: String = "") -> [String] {
    let path = TemporaryDirectory().path + "/script"
    guard let file = unsafe fopen(path, "w") else { return ["cannot write \(path)"] }
    unsafe fputs(script, file)
    unsafe fclose(file)
    guard
      let pipe = unsafe popen(
        "command -v \(shell) >/dev/null || { echo missing; exit; }; \(shell) \(options) \(path) 2>&1", "r")
    else { return [] }
    var lines: [String] = [], line = [CChar](repeating: 0, count: 1 << 16)
    while unsafe fgets(&line, Int32(line.count), pipe) != nil {
      lines.append(String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    unsafe pclose(pipe)
    return lines
  }

  @Test(
    "bash completes commands, datasets, options and values",
    arguments: [
      ("demo p", ["plugins", "people"]), ("demo table ", ["people", "movies"]), ("demo table --f", ["--format"]),
      ("demo people -f ", ["csv", "json"]), ("demo plugins i", ["info"]), ("demo --ver", ["--verbose", "--version"]),
      ("demo -q plugins l", ["list"]), ("demo -f csv plugins l", ["list"]), ("demo people -f = c", ["csv"]),
      ("demo people ", [""]), ("demo table people --output x --l", ["--limit"]),
      ("demo plugins info --", Self.everywhere), ("demo people --columns n", ["name"]),
      ("demo people --columns name,a", ["name,age"]), ("demo people --columns = age,", ["age,age", "age,name"]),
      ("demo movies --columns title,y", ["title,year"]), ("demo movies --columns a", [""]),
    ])
  func bash(line: String, words: [String]) { #expect(Self.offered(line) == words) }

  @Test("the arguments of subcommands are completed in the three shells")
  func actions() {
    for (line, words) in [("demo config ", ["get", "set"]), ("demo config set co", ["color", "columns"])] {
      #expect(Self.offered(line, Self.acting) == words)
      let fish = Self.run("fish", Self.acting.script(for: .fish) + "complete -C '\(line)'\n", options: "--no-config")
      if fish != ["missing"] { #expect(fish == words) }
    }
    if let line = Self.completed("demo config set st", Self.acting) { #expect(line == "demo config set storage ") }
  }

  static let everywhere = ["--quiet", "--verbose", "--help"]

  @Test(
    "fish completes the same",
    arguments: [
      ("demo ta", ["table"]), ("demo table ", ["movies", "people"]), ("demo plugins i", ["info"]),
      ("demo plugins list --li", []), ("demo people --li", ["--limit"]), ("demo people -f ", ["csv", "json"]),
      ("demo people --columns name,a", ["name,age"]), ("demo movies --columns title,y", ["title,year"]),
      ("demo movies --columns q", []),
    ])
  func fish(line: String, words: [String]) {
    let script = Self.completions.script(for: .fish) + "complete -C '\(line)'\n"
    let offered = Self.run("fish", script, options: "--no-config")
    if offered == ["missing"] { return print("skipped: fish is not installed") }
    #expect(offered.map { String($0.prefix { $0 != "\t" }) } == words)
  }

  @Test(
    "zsh completes, whether the script is sourced or found in fpath",
    arguments: [
      ("demo ta", "demo table "), ("demo people --columns na", "demo people --columns name,"),
      ("demo people --columns name,a", "demo people --columns name,age,"),
      ("demo movies --columns title,y", "demo movies --columns title,year,"),
      ("demo people --format=c", "demo people --format=csv "),
    ], ["source ./_demo", "fpath=($PWD $fpath)"])
  func zsh(cases: (line: String, wanted: String), setting: String) {
    if let line = Self.completed(cases.line, Self.completions, setting) { #expect(line == cases.wanted) }
  }

  /// The line that zsh makes of a line and the tabulator key; nil if there is no zsh.
  static func completed(
    _ line: String, _ completions: Completions, _ setting: String = "source ./_demo"
  ) -> String? {
    // Types the line in a pseudo-terminal of zsh, completes it, and prints the resulting line.
    let script = """
      zmodload zsh/zpty || { echo missing; exit; }
      cd \(TemporaryDirectory().path) || exit
      cat > _demo <<'END'
      \(completions.script(for: .zsh))
      END
      cat > .zshrc <<'END'
      [[ '\(setting)' == fpath* ]] && \(setting)
      autoload -Uz compinit && compinit -u -D
      [[ '\(setting)' == fpath* ]] || \(setting)
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
    let lines = Self.run("zsh", script, options: "-f")
    if lines == ["missing"] {
      print("skipped: zsh is not installed")
      return nil
    }
    return lines.joined(separator: "\n").replacing("<", with: "").replacing(">", with: "")
  }

  @Test(
    "zsh and fish accept their scripts without an error", arguments: [("zsh", Completions.Shell.zsh), ("fish", .fish)])
  func syntax(shell: String, kind: Completions.Shell) {
    let complaints = Self.run(shell, Self.completions.script(for: kind), options: "-n")
    if complaints == ["missing"] { print("skipped: \(shell) is not installed") } else { #expect(complaints == []) }
  }
}
