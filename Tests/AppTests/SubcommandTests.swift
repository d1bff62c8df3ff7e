import TestSupport
import Testing

@Suite("subcommands") struct SubcommandTests {
  @Test(
    "words of other programs lead to the command, or to the option",
    arguments: [
      ("query t.csv 'select 1'", "use bb-export PATH --sql 'select 1'"),
      ("'select * from t.csv'", "use bb-export t.csv --sql 'select * from t'"),
      ("head t.csv", "use bb-export PATH --limit 10"),
      ("insert x.db t t.csv", "use bb-export sync --from x.db --storage sqlite:bb.db"),
      ("characters walter white", "use --name 'walter white'"),
    ]) func synonyms(line: String, hint: String) async
  {
    let console = Console()
    let path = console.write("a\n1\n", to: "t.csv")
    let done = await console.run("bb-export \(line.hasPrefix("'") ? line : line.replacing("t.csv", with: path))")
    #expect(done.status != 0 && done.err.contains("hint: \(hint.replacing("PATH", with: path))\n"), "\(done.err)")
  }

  @Test(
    "unknown, missing and unexpected words after a command are reported in one way",
    arguments: [
      ("bb-export sources chek x.json", "unknown subcommand “sources chek”", "did you mean check?"),
      ("bb-export sources show", "missing argument NAME", "usage: PROGRAM sources show NAME [OPTIONS]"),
      ("bb-export sources check", "missing argument FILE", "usage: PROGRAM sources check FILE [DATASET…] [OPTIONS]"),
      (
        "bb-export sources record x.json", "missing argument DIR",
        "usage: PROGRAM sources record FILE DIR [DATASET…] [OPTIONS]"
      ),
      ("bb-export sources draft", "missing argument URL", "usage: PROGRAM sources draft URL [OPTIONS]"),
      ("bb-export sources schema x", "unexpected argument “x”", "usage: PROGRAM sources schema [OPTIONS]"),
      ("bb-export sources show box-office x", "unexpected argument “x”", "usage: PROGRAM sources show NAME [OPTIONS]"),
      (
        "bb-export plugins frobnicate", "unknown subcommand “plugins frobnicate”",
        "use one of: list, info, test"
      ),
      ("bb-export plugins info", "missing argument NAME", "usage: PROGRAM plugins info NAME [OPTIONS]"),
      ("bb-export plugins list x", "unexpected argument “x”", "usage: PROGRAM plugins list [OPTIONS]"),
      ("bb-export s3", "missing subcommand after s3", "use one of: list, uploads"),
      ("bb-export s3 upload", "unknown subcommand “s3 upload”", "did you mean uploads?"),
      ("bb-export s3 uploads", "missing argument PLACE", "usage: PROGRAM s3 uploads PLACE [OPTIONS]"),
      ("bb-export delta optimize delta:t", "unknown subcommand “delta optimize”", "use one of: vacuum, iceberg"),
      ("bb-export delta vacuum delta:t x", "unexpected argument “x”", "usage: PROGRAM delta vacuum PLACE [OPTIONS]"),
      ("bb-export comment", "missing subcommand after comment", "use one of: add"),
      ("bb-export comment ad", "unknown subcommand “comment ad”", "did you mean add?"),
      ("bb-export comment add", "missing argument MOVIE", "usage: PROGRAM comment add MOVIE [TEXT] [OPTIONS]"),
      ("bb-export comment add 1 see it", "unexpected argument “it”", "quote several words: 'see it'"),
      (
        "bb-export config frobnicate", "unknown subcommand “config frobnicate”",
        "use one of: get, set, unset"
      ),
      ("bb-notes config storage", "unknown subcommand “config storage”", "use PROGRAM config get storage"),
      ("bb-notes config set storage", "missing argument VALUE", "usage: PROGRAM config set KEY VALUE [OPTIONS]"),
      ("bb-notes config get storage x", "unexpected argument “x”", "usage: PROGRAM config get KEY [OPTIONS]"),
      (
        "bb-notes places", "missing subcommand after places",
        "use one of: add, list, show, edit, set, delete, search, directions, map"
      ),
      ("bb-notes trash frobnicate", "unknown subcommand “trash frobnicate”", "use one of: list, restore"),
      ("bb-notes trash restor", "unknown subcommand “trash restor”", "did you mean restore?"),
    ]) func words(line: String, message: String, hint: String) async
  {
    let done = await Console().run(line), program = String(line.prefix { $0 != " " })
    let hint = hint.replacing("PROGRAM", with: program)
    #expect(done.status == 64 && done.err == "\(program): \(message)\nhint: \(hint)\n", "\(done.err)")
  }

  @Test("a sync of a file replaces a table without a key with a hint, and reads one file") func keylessSync() {
    let shell = Shell(), sync = "bb-export sync --storage sqlite:k.db --from"
    shell.write("p.csv", "id,t\n1,a\n")
    let first = shell.run("\(sync) p.csv")
    #expect(first.status == 0 && !first.err.contains("key"), "\(first)")
    shell.write("p.csv", "id,t\n1,b\n")
    let again = shell.run("\(sync) p.csv")
    #expect(again.status == 0 && again.err.contains("hint: --key COLUMN compares rows\n"), "\(again)")
    for files in ["'*.csv'", "p.csv --from p.csv"] {
      let several = shell.run("\(sync) \(files)")
      #expect(several.status == 64 && several.err.contains("sync reads only one file"), "\(several)")
    }
  }

  @Test("the path of a Delta table has no columns") func deltaPath() {
    let shell = Shell()
    shell.write("p.csv", "id,t\n1,a\n")
    let table = shell.run("bb-export p.csv -o 'delta:d/{t}'")
    #expect(table.status == 64 && table.err.contains("hint: use ?partition=COLUMN,…\n"), "\(table)")
    #expect(shell.run("test -e d").status == 1)
  }
}
