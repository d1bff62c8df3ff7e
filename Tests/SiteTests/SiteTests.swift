import TestSupport
import Testing

@Suite("bb-export site") struct SiteTests {
  private let shell = Shell("BB_STORAGE=csv:data BB_NOW=1700000000")
  /// Texts that would do harm as markup, as an address or as a path.
  private static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "../../etc/passwd",
    "</title><script>",
    "https://e.invalid/\"onmouseover=\"alert(1)", "data:text/html,<script>", "mailto:a@b?x=\"><script>",
    "\u{202E}\u{2028}\u{0}\u{1B}[31m",
    "images/../../../etc/passwd", "/etc/passwd", "file:///etc/passwd",
  ]

  private func prepare() {
    _ = shell.run(
      """
      bb-export sync --source snapshot --storage csv:data -q
      bb-notes add S05E14 'what a chapter' -q; bb-notes places add Luzern --at 47.05,8.3 --comment 'the bridge' --visited 2024-05 -q
      printf '\\377\\330\\377\\340 an image' > p.jpg
      bb-notes actors add 'A. Person' --category Drama --birth-date 1976 --image p.jpg --favourite --email a@b.c --website https://e.org/x --partial -q
      bb-notes favourites add characters 'Walter White' -q
      printf 'id,name\\n1,Zoë\\n2,a<b\\n' > people.csv; bb-export sync --from people.csv --storage csv:data -q
      """)
  }

  @Test("the pages of a store are linked with each other, and the same each time") func pages() {
    prepare()
    let done = shell.run("bb-export site -o site --title 'My shows'")
    #expect(done.status == 0 && done.out == "" && done.err.hasPrefix("site: "))
    let walter = shell.run("cat site/characters/walter-white-1.html").out
    for part in [
      "<h1>Walter White <span class=\"star\"", "<dt>Played by</dt><dd>Bryan Cranston</dd>", "<h2>Death</h2>",
      "<meta property=\"og:title\" content=\"Walter White\">",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bb-chart\"",
      "<a href=\"../episodes/bb-s05e16.html\">Breaking Bad S05E16 “Felina”</a>",
      "<title>Walter White – My shows</title>",
      "<meta name=\"description\" content=\"Walter Hartwell White Sr. Played by Bryan Cranston. ",
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'",
    ] { #expect(walter.contains(part), "\(part)\n\(walter)") }
    let episode = shell.run("cat site/episodes/bb-s05e14.html").out
    for part in [
      "<h2>My note</h2>\n<p class=\"note\">what a chapter</p>",
      "<a href=\"../characters/hank-schrader-5.html\">Hank Schrader</a>",
      "<h2>Deaths</h2>", "‹ S05E13", "S05E15",
    ] { #expect(episode.contains(part), "\(part)\n\(episode)") }
    #expect(shell.run("cat site/places/index.html").out.contains("data-at=\"8.3 47.05\"><circle"))
    #expect(shell.run("cat site/notes/index.html").out.contains(">Breaking Bad S05E14 “Ozymandias”</a>"))
    let actors = shell.run("cat site/actors/index.html site/actors/a-person-*.html").out
    for part in [
      "<h2>Favourites</h2>", "<h2>Drama</h2>", "href=\"mailto:a@b.c\"", "href=\"https://e.org/x\"", "-1.jpg\"",
    ] {
      #expect(actors.contains(part), "\(part)\n\(actors)")
    }
    #expect(shell.run("cat site/tables/people-*.html").out.contains("<th scope=\"row\">a&lt;b"))
    #expect(shell.run("cat site/assets/index-1.js").out.contains(#"[7,"notes/index.html#n"#))
    // Every address leads to a file of the site.
    let broken = shell.run(
      ##"""
      cd site; grep -roE --include='*.html' '(href|src)="[^"#:]+["#]' . | sort -u | while IFS= read -r line; do
      file=${line%%:*}; address=${line#*=?}; [ -e "${file%/*}/${address%?}" ] || echo "$line"; done
      """##)
    #expect(broken.out == "")
    #expect(shell.run("bb-export site -o other --title 'My shows' -q && diff -r site other").out == "")
    #expect(shell.run("bb-export site -o site --title 'My shows' -q && diff -r site other").out == "")
    #expect(shell.run("ls -A").out == "data\nother\np.jpg\npeople.csv\nsite\n")
  }

  @Test("hostile records become text") func hostileRecords() {
    let list = Self.hostile.map { #""\#($0.unicodeScalars.map { Self.escaped($0) }.joined())""# }
    for (dataset, columns, lists) in [
      (
        "characters", ["name", "full_name", "nickname", "status", "portrayed_by"], ["images", "aliases", "occupations"]
      ),
      ("episodes", ["title", "directed_by", "synopsis", "written_by", "image"], ["characters"]),
      ("quotes", ["quote", "character", "production"], []),
      ("deaths", ["character", "cause", "details", "image"], ["responsible"]),
    ] {
      let rows = list.indices.map { row in
        var fields = ["\"id\":\(row + 1)"]
        if dataset == "quotes" { fields.append("\"occurrence\":1") }
        if dataset == "episodes" {
          fields += ["\"production\":\(list[row])", "\"season\":1", "\"episode\":\(row + 1)"]
        }
        fields += columns.enumerated().map { "\"\($0.element)\":\(list[(row + $0.offset) % list.count])" }
        fields += lists.map { "\"\($0)\":[\(list.joined(separator: ","))]" }
        return "{\(fields.joined(separator: ","))}"
      }
      shell.write("\(dataset).json", "[\(rows.joined(separator: ",\n"))]")
      let done = shell.run("bb-export sync --from \(dataset).json --storage json:bad -q")
      #expect(done.status == 0, "\(done.err)")
    }
    let title = "'<script>alert(1)</script>'"
    for images in ["local", "remote", "none"] {
      let done = shell.run("bb-export site -o site-\(images) --storage json:bad --images \(images) --title \(title) -q")
      #expect(done.status == 0, "\(done.err)")
      let pages = shell.run("cat site-\(images)/*.html site-\(images)/*/*.html").out
      #expect(pages.contains("&lt;script&gt;alert(1)"))
      for script in pages.split(separator: "<script").dropFirst() {
        #expect(
          script.hasPrefix(" src=\"assets/") || script.hasPrefix(" src=\"../assets/")
            || script.hasPrefix(">\n\"use strict\""), "\(script.prefix(80))")
      }
      for part in pages.split(separator: " href=\"").dropFirst() + pages.split(separator: " src=\"").dropFirst() {
        let address = part.prefix { $0 != "\"" }
        let isOwn = !address.contains(":") && !address.contains("etc/"), isWeb = address.hasPrefix("http")
        #expect(isOwn || isWeb || address.hasPrefix("mailto:"), "\(address)")
      }
      #expect(!pages.contains("onerror=alert(1)>\""), "an attribute")
      #expect(images == "remote" || !pages.contains("<img loading"), "an image")
    }
    #expect(shell.run("find . -newer quotes.json -name passwd").out == "")
  }

  @Test("refusals name the place and leave everything as it was") func refusals() {
    prepare()
    for (line, message, status) in [
      ("bb-export site", "missing required option -o DIR", 64),
      ("bb-export site -o s quotes quotes", "duplicate argument: quotes", 64),
      ("bb-export site -o s nothing", "csv:data: the store has no table “nothing”", 66),
      ("bb-export site -o s --storage csv:none", "csv:none: store not found", 66),
      ("bb-export site -o data", "data: refusing to write inside the store ", 73),
      ("bb-export site -o people.csv", "people.csv: is not a directory", 73),
      ("bb-export site -o s --image-dir data", "data: no images.json in the directory", 66),
      ("bb-export site -o s --images all", "invalid value “all” for --images", 64),
    ] {
      let done = shell.run(line)
      #expect(
        done.err.hasPrefix("bb-export: \(message)") && done.status == status, "\(line): \(done.err) \(done.status)")
    }
    #expect(shell.run("ls -A").out == "data\np.jpg\npeople.csv\n")
    #expect(
      shell.run("bb-export site episodes -o s -q && ls s").out
        == "404.html\nassets\nepisodes\nindex.html\nsearch.html\n")
    #expect(shell.run("bb-export site -o s --no-clobber").status == 73)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    if scalar.value >= 0x20 { return String(scalar) }
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
