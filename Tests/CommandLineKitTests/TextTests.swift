import Codecs
import CommandLineKit
import Rows
import Synchronization
import Testing

@Suite("texts made from a description") struct TextTests {
  @Test("help has the usual sections and fits the width") func help() {
    let text = Fixture.program.help(for: Fixture.table, width: 60)
    for part in [
      "OVERVIEW\n  Write a table.", "USAGE\n  demo table NAME [OPTIONS]", "ARGUMENTS", "OUTPUT OPTIONS",
      "-f, --format FORMAT", "csv, json", "EXAMPLES",
    ] {
      #expect(text.contains(part))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
    let whole = Fixture.program.help(for: nil)
    for part in ["SUBCOMMANDS", "plugins", "HELP TOPICS", "help where", "--version"] { #expect(whole.contains(part)) }
  }
  @Test("a man page guards what roff would read") func man() {
    let program = Program(
      "x", version: "1", "does", commands: [], options: [],
      topics: [.init("t", "text", ".dot\n'quote\nback\\slash --long")], examples: [])
    let page = program.manPage()
    #expect(page.contains("\\&.dot\n\\(aqquote\nback\\eslash \\-\\-long"))
    #expect(page.hasPrefix(".TH X 1"))
  }
  @Test("a command with subcommands has one man page with a section for each") func manOfGroup() throws {
    let page = Fixture.program.manPage(of: Fixture.plugins)
    for part in [
      ".TH DEMO\\-PLUGINS 1", "\\fBdemo plugins list\\fR [OPTIONS]\n.br\n\\fBdemo plugins info\\fR NAME [OPTIONS]",
      ".SS plugins info", ".BR demo (1)\n",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(try Fixture.program.help(on: ["man", "plugins"]) == page)
    #expect(try Fixture.program.help(on: ["man", "all"]) == Fixture.program.manPages.map(\.text).joined())
    #expect(throws: Problem.self) { try Fixture.program.help(on: ["man", "plugin"]) }
  }
  @Test("groff and mandoc read the man pages without a warning", arguments: Fixture.program.manPages.map(\.text))
  func readers(page: String) {
    for (reader, options) in [("groff", "-ww -z -man -Kutf8 -Tutf8"), ("mandoc", "-Tlint -Wwarning")] {
      let complaints = CompletionTests.run(reader, page, options: options)
      if complaints == ["missing"] { print("skipped: \(reader) is not installed") } else { #expect(complaints == []) }
    }
  }
  @Test("text escaped for JSON is the same for every reader, and drives no terminal") func json() {
    let text = JSONText.quoted("a\u{1B}\u{7F}\u{9B}\u{202E}\u{2069}\"\\é\n")
    #expect(text == #""a\u001b\u007f\u009b\u202e\u2069\"\\é\n""#)
    #expect(Terminal.safe(text) == text)
  }
  @Test("text cannot drive a terminal") func safe() {
    #expect(Terminal.safe("plain é ✓\tx\n") == "plain é ✓\tx\n")
    #expect(Terminal.safe("\u{1B}[31m\u{7}\u{9B}\u{7F}\r") == "\\x1b[31m\\x07\\x9b\\x7f\\x0d")
    #expect(Terminal.safe("a\u{202E}b\u{2066}") == "a\\u{202e}b\\u{2066}")
  }
  @Test("output on a terminal cannot drive it, however it is cut") func visible() async throws {
    let text = "é ✓ 👩‍🚒\tx\r\ny\r\u{1B}[31m\u{9B}m\u{202E}z\u{2066}\u{7F}\u{0}\r"
    let wanted = "é ✓ 👩‍🚒\tx\r\ny\\x0d\\x1b[31m\\x9bm\\u{202e}z\\u{2066}\\x7f\\x00\\x0d"
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      let kept = KeptBytes(), told = Mutex<[String]>([])
      let sink = VisibleSink(kept) { line in told.withLock { $0.append(line) } }
      for start in stride(from: 0, to: bytes.count, by: size) {
        var buffer = ByteBuffer(capacity: size)
        buffer.append(bytes: Array(bytes[start..<min(start + size, bytes.count)]))
        try await sink.write(buffer)
      }
      try await sink.commit()
      #expect(String(decoding: kept.bytes, as: UTF8.self) == wanted, "in pieces of \(size)")
      #expect(told.withLock { $0.count } == 1)
    }
  }
  @Test("numbers for people") func numbers() {
    #expect([0, 999, 1000, 1_234_567].map(Progress.grouped) == ["0", "999", "1,000", "1,234,567"])
    #expect([0, 999, 1500, 179_149_376].map(Progress.size) == ["0 B", "999 B", "1.5 kB", "179.1 MB"])
  }
}

/// A sink that keeps what it is given.
private final class KeptBytes: ByteSink {
  let name = "kept"
  private let kept = Mutex<[UInt8]>([])
  var bytes: [UInt8] { kept.withLock { $0 } }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let piece = bytes.read { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    kept.withLock { $0 += piece }
  }
  func commit() async throws(Problem) {}
  func abandon() async {}
}
