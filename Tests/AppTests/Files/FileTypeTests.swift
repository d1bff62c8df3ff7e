import Glibc
import TestSupport
import Testing

@Suite("files of another type") struct FileTypeTests {
  private static let kinds = ["a named pipe", "a socket", "a device", "a directory"]

  private static func put(_ kind: String, _ path: String, _ shell: Shell) {
    _ = shell.run("rm -rf \(path)")
    switch kind {
    case "a named pipe": unsafe mkfifo("\(shell.directory)/work/\(path)", 0o600)
    case "a directory": unsafe mkdir("\(shell.directory)/work/\(path)", 0o700)
    case "a device": unsafe symlink("/dev/full", "\(shell.directory)/work/\(path)")
    default:
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let name = Array("\(shell.directory)/work/\(path)".utf8)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
      unsafe withUnsafePointer(to: &address) { address in
        _ = unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      close(descriptor)
    }
  }

  /// A file, a command that reads it, and one that writes it.
  struct Case: CustomTestStringConvertible, Sendable {
    let file: String, commands: [String]
    /// The stores that the commands use.
    var stores: String {
      ["csv:s", "json:j", "sqlite:n.db"].filter { store in commands.contains { $0.contains(store) } }
        .joined(separator: " ")
    }
    var testDescription: String { file }
  }

  static let cases = [
    Case(file: "s/notes.csv", commands: ["bb-notes list --storage csv:s", "bb-notes add S01E02 y --storage csv:s"]),
    Case(
      file: "s/notes.csv-metadata.json",
      commands: ["bb-notes list --storage csv:s", "bb-notes add S01E02 y --storage csv:s"]),
    Case(file: "s/bb.json", commands: ["bb-notes list --storage csv:s", "bb-notes add S01E02 y --storage csv:s"]),
    Case(file: "j/notes.json", commands: ["bb-notes list --storage json:j", "bb-notes add S01E02 y --storage json:j"]),
    Case(file: "foreign/x.csv", commands: ["bb-export x --storage csv:foreign"]),
    Case(
      file: "n.db", commands: ["bb-notes list --storage sqlite:n.db", "bb-notes add S01E02 y --storage sqlite:n.db"]),
    Case(
      file: "n.db-journal",
      commands: ["bb-notes list --storage sqlite:n.db", "bb-notes add S01E02 y --storage sqlite:n.db"]),
    Case(file: "n.db-wal", commands: ["bb-notes list --storage sqlite:n.db", "bb-export --from n.db"]),
    Case(
      file: "n.db-shm",
      commands: ["bb-notes list --storage sqlite:n.db", "bb-notes add S01E02 y --storage sqlite:n.db"]),
    Case(file: "a.csv-metadata.json", commands: ["bb-export --from a.csv"]),
    Case(file: "store", commands: ["bb-notes list --storage store"]),
    Case(
      file: "image.png", commands: ["bb-notes actors add X --partial --image image.png --storage sqlite:n.db"]),
    Case(file: "images/images.json", commands: ["bb-export images --from pics.csv -o images"]),
    Case(file: "images/.bb/images.ndjson", commands: ["bb-export images --from pics.csv -o images"]),
    Case(file: "../.config/bb/config", commands: ["bb-notes list", "bb-notes config"]),
  ]

  @Test("are refused, and not waited for", arguments: cases) func refused(_ example: Case) {
    for kind in Self.kinds {
      let shell = Shell("BB_API_URL=http://127.0.0.1:9")
      shell.write("a.csv", "a\n1\n")
      shell.write("pics.csv", "id,img\n1,http://127.0.0.1:9/x.png\n")
      let made = shell.run(
        """
        for s in \(example.stores); do bb-notes add S01E01 x --storage $s || exit 9; done
        mkdir -p foreign images/.bb ../.config/bb
        """)
      #expect(made.status == 0, "\(made.err)")
      Self.put(kind, example.file, shell)
      for command in example.commands {
        let run = shell.run("EDITOR=true timeout 20 \(command)")
        #expect(
          ![0, 124, 134, 139, 70].contains(run.status),
          "\(kind) as \(example.file): \(command): \(run.status) \(run.err)")
        #expect(!run.err.contains("Fatal"), "\(run.err)")
        let type = shell.run("stat -c %F \(example.file)").out
        #expect(["fifo\n", "socket\n", "symbolic link\n", "directory\n"].contains(type), "\(kind): \(type)")
      }
    }
  }

  /// These files may be lost: bb finds out again what they hold.
  @Test("are not waited for in a cache or a lock", arguments: ["s/.bb/lock", "../.cache/bb/http"]) func lost(
    _ file: String
  ) {
    for kind in Self.kinds {
      let shell = Shell("BB_API_URL=http://127.0.0.1:9")
      _ = shell.run("bb-notes add S01E01 x --storage csv:s; mkdir -p ../.cache/bb")
      Self.put(kind, file, shell)
      for command in [
        "bb-notes list --storage csv:s", "bb-notes add S01E02 y --storage csv:s", "bb-export episodes --offline -f csv",
      ] {
        let run = shell.run("timeout 20 \(command)")
        #expect(![124, 134, 139, 70].contains(run.status), "\(kind) as \(file): \(command): \(run.status) \(run.err)")
      }
    }
  }

  @Test("that the user names are read and written") func named() {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9")
    shell.write("a.csv", "a\n1\n")
    _ = shell.run("mkfifo in out")
    let expected = "a\n1\n"
    #expect(shell.run("cat a.csv >in & timeout 20 bb-export --from in --from-format csv -f csv").out == expected)
    #expect(shell.run("cat a.csv | timeout 20 bb-export --from /dev/stdin --from-format csv -f csv").out == expected)
    #expect(shell.run("timeout 20 bb-export --from a.csv -f csv -o /dev/stdout").out == expected)
    #expect(shell.run("timeout 20 bb-export --from a.csv -f csv -o /dev/null").status == 0)
    #expect(shell.run("cat out & timeout 20 bb-export --from a.csv -f csv -o out; wait").out == expected)
    #expect(shell.run("timeout 20 bb-export --from /dev/null --from-format csv -f csv").status != 124)
    let database = shell.run("mkfifo d.db; timeout 20 bb-export --from d.db -f csv")
    #expect(database.status == 65 && database.err.contains("d.db: is a named pipe, not a regular file"))
  }

  @Test("a page begins after 500 rows of a pipe") func streaming() {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9")
    let run = shell.run(
      """
      { yes '{"a":1}' | head -500
        for i in $(seq 200); do grep -q '<tr>' out && echo early >&2 && break; sleep 0.05; done
      } | timeout 60 bb-export - --from-format ndjson --types a=integer -f html >out
      """)
    #expect(run.status == 0 && run.err == "early\n", "\(run)")
  }

  @Test("private files are private under any umask", arguments: ["0000", "0022", "0077", "0277", "0777"]) func umask(
    _ mask: String
  ) {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9")
    let made = shell.run(
      """
      umask \(mask)
      for s in csv:s json:j sqlite:n.db; do bb-notes add S01E01 x --storage $s || exit 9; done
      bb-notes add S01E02 y || exit 9
      """)
    #expect(made.status == 0, "\(made.err)")
    let modes = shell.run("find s j n.db* ../.local -type f -printf '%m %p\\n' -o -type d -printf '%m %p\\n'").out
    for line in modes.split(separator: "\n") { #expect(line.hasPrefix("600 ") || line.hasPrefix("700 "), "\(line)") }
    #expect(modes.split(separator: "\n").count > 8)
  }

  @Test("a file that is not a table is named by its content, whatever its extension")
  func foreign() {
    let shell = Shell("")
    shell.write("page.csv", " \n<!DOCTYPE html><html></html>")
    shell.write("error.csv", "<?xml version=\"1.0\"?><Error/>")
    shell.write("text.xls", "a\tb\n1\t2\n")
    shell.write("orc.txt", "ORC\u{1}x")
    shell.write("orc.csv", "ORC,a\n1,2\n")
    let made = shell.run(
      "cp orc.csv a.csv; tar -cf a.tar a.csv; tar -czf a.tar.gz a.csv; printf '7z\\274\\257\\047\\034' > a.7z")
    #expect(made.status == 0, "\(made.err)")
    for (name, message, hint) in [
      (
        "page.csv", "is an HTML page, not a table",
        "save the table as CSV, or use --from-format html to read its tables"
      ),
      (
        "error.csv", "is an XML document, not a table",
        "save the table as CSV, or use --from-format csv to read it anyway"
      ),
      ("orc.txt", "is an ORC file, which cannot be read", "convert it to Parquet or CSV first"),
      ("a.tar", "is a tar archive", "extract it first: tar -xf a.tar"),
      ("a.tar.gz", "is a tar archive", "extract it first: tar -xf a.tar.gz"),
      ("a.7z", "is a 7z archive", "extract it first: 7z x a.7z"),
    ] {
      let done = shell.run("bb-export \(name)")
      #expect(done.status == 64 && done.err == "bb-export: \(name): \(message)\nhint: \(hint)\n", "\(done.err)")
    }
    #expect(shell.run("bb-export text.xls").err.hasSuffix("or use --from-format csv to read it anyway\n"))
    #expect(shell.run("bb-export orc.csv -f csv").out == "ORC,a\n1,2\n")
    #expect(shell.run("bb-export page.csv --from-format csv").status == 0)
    #expect(shell.run("head -c 99 /dev/zero > zero.csv; bb-export zero.csv --repair").status == 65)
    let url = shell.run("bb-export file:///nowhere/a%20b.csv")
    #expect(url.status == 66 && url.err.contains("/nowhere/a b.csv"), "\(url.err)")
  }
}
