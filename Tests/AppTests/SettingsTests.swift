import CommandLineKit
import Rows
import Testing

@testable import TestSupport
@testable import bb_export
@testable import bb_notes

@Suite("settings") struct SettingsTests {
  private static let options: [Option] = [BBExport.program, BBNotes.program].flatMap { program in
    func all(_ commands: [Command]) -> [Option] { commands.flatMap { $0.options + all($0.subcommands) } }
    return program.options + all(program.commands)
  }

  /// Options that say what one command does; as defaults they would surprise.
  private static let momentary: Set = [
    "abort-older-than", "accept", "accept-drift", "agg", "allow-partial", "allow-shrink", "as", "auth", "catalog",
    "columns", "config",
    "count", "count-by", "csvw", "existing",
    "datapackage", "dataset", "discover", "dry-run", "episode", "favourites", "from", "from-format", "from-lines",
    "from-storage",
    "full", "grammar", "group", "header", "ignore", "image-dir", "images", "join", "join-type", "json", "keep-cursor",
    "key", "limit",
    "max-requests", "name", "nest", "offset", "older-than", "on", "open", "option", "options-for", "output", "pages",
    "path",
    "plain", "post", "rebuild", "base-url",
    "rating",
    "records",
    "refresh", "replace", "sample", "search", "season", "seed", "set", "shard", "since", "sort", "sql", "state",
    "status",
    "summary", "table", "title", "try", "types", "until", "verify", "where", "with", "writer",
    // The steps that a command takes.
    "by", "distinct", "drop", "explode", "follow", "schema", "fill", "having", "pivot", "put", "rename", "tail",
    "unpivot",
    // What describes one file.
    "bytes", "fixed", "header-rows", "max-rejects", "names", "no-header", "rejects", "skip-footer", "skip-rows",
    "table-number",
  ]

  @Test("every option with a sensible default is a setting with the same values and default") func complete() {
    for option in Set(Self.options) where !Self.momentary.contains(option.name) {
      guard let key = ConfigurationKey.all.first(where: { $0.name == option.name }) else {
        // The options of bb-notes alone that choose what one command does.
        let isShared = BBExport.program.commands.contains { $0.options.contains(option) }
        #expect(!isShared, "--\(option.name) is not a setting")
        continue
      }
      if let words = option.words { #expect(key.words.map(Set.init) == Set(words), "\(option.name)") }
      if option.placeholder == nil { #expect(key.words == ["yes", "no"], "\(option.name)") }
      if let fallback = key.fallback, let usual = option.default { #expect(fallback == usual, "\(option.name)") }
    }
    for key in ConfigurationKey.all where ![.editor, .pager].contains(key) {
      #expect(Self.options.contains { $0.name == key.name }, "\(key.name) is not an option")
      #expect(!Self.momentary.contains(key.name), "\(key.name)")
    }
  }

  @Test("settings apply where the option does, and are ignored elsewhere") func applied() {
    let shell = Shell("BB_DELIMITER=';' BB_NO_HEADERS=yes BB_EMPTY_AS=text BB_FROM_NULL=NA BB_STRICT_CSV=yes")
    shell.write("t.csv", "a,b\n,NA\n")
    shell.write("t.json", #"[{"a":"","b":null}]"#)
    let csv = shell.run("bb-export t.csv -f csv; bb-export t.json -f csv; bb-export t.csv -f ndjson")
    #expect(csv.out == "\"\";\n\"\";\n{\"a\":\"\",\"b\":null}\n" && csv.err == "", "\(csv.err)")
    let given = shell.run("bb-export t.csv -f csv --delimiter tab --empty-as null; bb-export t.json --empty-as text")
    #expect(given.out == "\t\n" && given.err.contains("--empty-as cannot be used with"), "\(given)")
  }

  @Test("both programs report the same error of a setting") func sameErrors() {
    for (variable, message) in [
      ("BB_EXCEL=maybe", "for excel"), ("BB_WIDTH=wide", "for width"), ("BB_TIMEOUT=-1", "for timeout"),
    ] {
      let shell = Shell(variable)
      let export = shell.run("bb-export formats"), notes = shell.run("bb-notes list")
      #expect(export.status == 78 && notes.status == 78 && export.err.contains(message), "\(export.err)")
      #expect(export.err.replacing("bb-export", with: "bb-notes") == notes.err)
    }
  }

  @Test("switches are on and off in any usual form; the error of a setting names its origin") func forms() {
    let shell = Shell("BB_NO_HEADERS=1")
    shell.write("t.csv", "a\n1\n")
    #expect(shell.run("bb-export t.csv -f csv").out == "1\n")
    for text in ["0", "false", "OFF", "no"] {
      #expect(shell.run("BB_NO_HEADERS=\(text) bb-export t.csv -f csv").out == "a\n1\n", "\(text)")
    }
    let set = shell.run("bb-export config set excel true && bb-notes config get excel --plain; cat ~/.config/bb/config")
    #expect(set.out == "excel\tyes\tconfiguration\nexcel = yes\n", "\(set)")
    let api = shell.run("env -u BB_API_URL BB_API=http://localhost:9 bb-notes config get api --plain")
    #expect(api.out == "api\thttp://localhost:9\tBB_API\n", "\(api)")
    let format = shell.run("BB_FORMAT=jsno bb-export t.csv")
    #expect(format.status == 78 && format.err.hasPrefix("bb-export: BB_FORMAT: unknown format “jsno”"), "\(format)")
    let file = shell.run("echo format = jsno >> ~/.config/bb/config; bb-notes list")
    #expect(file.status == 78 && file.err.hasPrefix("bb-notes: setting format: unknown format “jsno”"), "\(file)")
    let key = shell.run("bb-notes config threads")
    #expect(key.status == 64 && key.err.contains("hint: use bb-notes config get threads\n"), "\(key)")
  }

  @Test("the configured source is read unless the command line names another place") func source() {
    let shell = Shell("BB_SOURCE=snapshot BB_API_URL=http://127.0.0.1:9")
    shell.write("t.csv", "a\n1\n")
    let done = shell.run("bb-export characters --count && bb-export t.csv --count && bb-notes list")
    #expect(done.status == 0 && done.out.hasPrefix("29\n1\n"), "\(done)")
  }

  @Test("a misspelt variable is named, with the nearest one; those of other programs are not") func misspelt() {
    let shell = Shell("BB_STORGE=csv:x BB_NUMBER_THREADS=4 BB_ENV_PASSTHROUGH=a")
    let done = shell.run("bb-notes list; bb-export formats")
    let warnings = done.err.split(separator: "\n")
    #expect(
      warnings == [
        "bb-notes: warning: unknown variable BB_STORGE; did you mean BB_STORAGE?",
        "bb-export: warning: unknown variable BB_STORGE; did you mean BB_STORAGE?",
      ], "\(done.err)")
    #expect(shell.run("bb-notes list -q; bb-notes --help; bb-notes completions bash").err == "")
    for (name, near) in [
      ("BB_STORE", "BB_STORAGE"), ("BB_OFLINE", "BB_OFFLINE"), ("BB_MAX_AEG", "BB_MAX_AGE"), ("BB_PROXI", "BB_PROXY"),
      ("BB_API_ULR", "BB_API_URL"),
    ] {
      #expect(
        ConfigurationKey.misspeltVariables(among: [name]) == [
          Warning("unknown variable \(name)", hint: .advice("did you mean \(near)?"))
        ], "\(name)")
    }
    // Those of BitBake, of the tests, and of other programs.
    let foreign = [
      "BB_DISKMON_DIRS", "BB_NO_NETWORK", "BB_SRCREV_POLICY", "BB_VERBOSE_LOGS", "BB_HASHSERVE", "BB_SIGNATURE_HANDLER",
      "BB_DEFAULT_TASK", "BB_SCHEDULER", "BB_LOGFMT", "BB_ORIGENV", "BB_CONSOLELOG", "BB_TEST_DATA", "BB_FUZZ",
      "BB_CONFIGURATION", "BB_TOKEN", "BB_USER", "BB_HOST", "BB_PASSWORD", "BB_URL", "BB_KEY", "BB_HOME", "BB_NOW",
      "BB_PLUGIN_PATH", "BBSTORAGE", "BB_",
    ]
    #expect(ConfigurationKey.misspeltVariables(among: foreign) == [])
  }

  @Test("a setting that commands would refuse is refused; a path is the same in every directory") func paths() {
    let shell = Shell("")
    shell.write("ca.pem", "x")
    shell.write("my.json", "{}")
    for (words, message) in [
      ("api ftp://host", "invalid server URL “ftp://host”"), ("proxy xx://host", "invalid proxy “xx://host”"),
      ("cacert nothing.pem", "nothing.pem: no such file or directory"), ("source nothing", "unknown source “nothing”"),
      ("source ./nothing.json", "./nothing.json: no such file or directory"), ("source ./my.json", "my.json"),
      ("storage mysql://h/d", "unknown store type “mysql”"),
    ] {
      let done = shell.run("bb-export config set \(words)"), other = shell.run("bb-notes config set \(words)")
      #expect(done.status != 0 && done.err.contains(message), "\(words): \(done.err)")
      #expect(other.err == done.err.replacing("bb-export", with: "bb-notes"))
    }
    #expect(shell.run("cat ~/.config/bb/config").status != 0)
    let set = shell.run(
      "bb-notes config set storage csv:notes; bb-notes add S05E14 x -q; bb-notes config set cacert ca.pem")
    #expect(
      set.err.contains("set storage to csv:/") && set.err.hasSuffix("/work/ca.pem\n") && set.status == 0, "\(set.err)")
    let below = shell.run("mkdir below; cd below; bb-notes list --count -f csv; ls ../notes/notes.csv")
    #expect(below.out == "count\n1\n../notes/notes.csv\n", "\(below)")
    let kept = shell.run(
      "bb-notes config set storage 'csv:~/n'; bb-notes config get BB_STORAGE -f csv; head -1 ~/.config/bb/config")
    #expect(kept.out.contains("storage,csv:/") && kept.out.hasSuffix("storage = csv:~/n\n"), "\(kept)")
  }
}
