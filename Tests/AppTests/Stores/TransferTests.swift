import TestSupport
import Testing

@Suite("bb-notes import and export") struct TransferTests {
  @Test("exported records can be imported, with every store", arguments: ["csv", "json", "ndjson"])
  func ownFormats(_ format: String) async {
    for kind in ["sqlite", "csv", "json"] {
      let console = Console(), own = "\(kind):\(console.home)/n", other = "json:\(console.home)/other"
      func run(_ line: String, in store: String) async -> Shell.Outcome {
        await console.run("bb-notes \(line)", variables: ["BB_STORAGE": store, "BB_NOW": "1700000000"])
      }
      let image = console.write("GIF89a", to: "p.gif")
      for line in [
        "add S05E14 'first'", "add bcs:1x01 'a, \"b\"\n\nc'", "places add 'Nowhere; \"x\"' --at 0,0 --comment ''",
        "places add Luzern --at 47.05,8.3 --visited 2024", "favourites add quotes 7/1",
        "actors add 'A. B' --category C --movie 'One; \"two\"' --image \(image) --partial",
      ] { #expect(await run(line, in: own).status == 0, "\(line)") }
      for dataset in ["notes", "places", "actors", "favourites"] {
        let exported = await run("export \(dataset) -f \(format)", in: own)
        #expect(exported.status == 0 && !exported.out.isEmpty)
        let file = console.write(exported.out, to: "\(dataset).\(format)")
        let imported = await run("import \(file)", in: other)
        #expect(imported.status == 0, "\(imported.err)")
        #expect(await run("export \(dataset) -f \(format)", in: other).out == exported.out)
        let again = await run("import \(file)", in: own)
        #expect(again.err.hasSuffix("unchanged\n") && again.status == 0)
      }
      #expect(await run("history --plain", in: other).out.split(separator: "\n").count == 4)
    }
  }

  @Test("places come from maps and navigators, and go back to them", arguments: ["gpx", "kml", "geojson"])
  func maps(_ format: String) {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    for line in [
      "bb-notes places add 'A & <B>' --at -47.0512345678,8.3 --comment 'x\ny' --visited 2024-05",
      "bb-notes places add C --at 1e-7,0",
    ] {
      _ = shell.run(line)
    }
    _ = shell.run("bb-notes places add C --at 0.0000001,-180")
    #expect(shell.run("bb-notes export places -o p.\(format)").status == 0)
    let back = shell.run("bb-notes import p.\(format) --storage sqlite:o.db")
    #expect(back.err == "places: 2 added\n")
    #expect(
      shell.run("bb-notes export places -f csv --storage sqlite:o.db").out
        == shell.run("bb-notes export places -f csv").out)
  }

  @Test("existing records are treated as --on-conflict requires") func conflicts() {
    let shell = Shell("BB_STORAGE=sqlite:n.db BB_NOW=1700000000")
    shell.write("notes.csv", "production,season,episode,text\nBreaking Bad,5,14,second\nBreaking Bad,5,13,new\n")
    _ = shell.run("bb-notes add S05E14 first")
    let refused = shell.run("bb-notes import notes.csv")
    #expect(
      refused.err
        == "bb-notes: notes.csv: 1 imported record differs from an existing one: the note on Breaking Bad S05E14\nhint: use --on-conflict skip, replace or append\n"
        && refused.status == 73)
    #expect(shell.run("bb-notes list --plain").out == "Breaking Bad\t5\t14\tfirst\t2023-11-14T22:13:20Z\n")
    #expect(shell.run("bb-notes import notes.csv --on-conflict append").err == "notes: 1 added, 1 changed\n")
    #expect(shell.run("bb-notes import notes.csv --on-conflict append").err == "notes: 2 unchanged\n")
    #expect(
      shell.run("bb-notes export notes --columns text -f json --where 'episode = 14'").out
        == "[\n{\"text\":\"first\\nsecond\"}\n]\n")
    #expect(shell.run("bb-notes import notes.csv --on-conflict skip").err == "notes: 2 unchanged\n")
    #expect(
      shell.run("bb-notes import notes.csv --on-conflict replace").err
        == "notes: 1 changed, 1 unchanged\n")
    #expect(
      shell.run("bb-notes undo && bb-notes undo && bb-notes list --plain").out
        == "Breaking Bad\t5\t14\tfirst\t2023-11-14T22:13:20Z\n")
    let missing = shell.run("bb-notes import none.gpx")
    #expect(missing.err.hasPrefix("bb-notes: none.gpx: no such file or directory\n") && missing.status == 66)
    shell.write("bad.gpx", "<gpx><wpt lat='91' lon='0'><name>X</name></wpt></gpx>")
    #expect(shell.run("bb-notes import bad.gpx").err == "bb-notes: bad.gpx:1:6: X: invalid coordinates\n")
    shell.write("x.csv", "a,b\n1,2\n")
    #expect(shell.run("bb-notes import x.csv").status == 65)
  }

  @Test(
    "keys that add refuses are refused",
    arguments: [
      ("favourites", "dataset,record_key\nquote,1\n", "unknown dataset “quote”", "did you mean quotes?"),
      ("favourites", "dataset,record_key\nquotes,one\n", "invalid key “one” for quotes", "use "),
      ("favourites", "dataset,record_key\nplaces,1\n", "not found in places: “1”", ""),
      ("favourites", "dataset,record_key\nactors,1\n", "actors cannot be among imported favourites", ""),
    ])
  func unknownKeys(_ dataset: String, _ text: String, _ message: String, _ hint: String) {
    let shell = Shell("BB_STORAGE=csv:n BB_API_URL=http://127.0.0.1:9")
    shell.write("f.csv", text)
    let done = shell.run("bb-notes import f.csv --as \(dataset)")
    #expect(done.err.contains("bb-notes: f.csv: \(message)\n\(hint.isEmpty ? "" : "hint: \(hint)")"), "\(done.err)")
    #expect(done.status == 65)
  }

  @Test("notes on episodes that are not known are imported with a warning") func unknownEpisodes() {
    let shell = Shell("BB_STORAGE=csv:n BB_API_URL=http://127.0.0.1:9")
    shell.write("f.csv", "production,season,episode,text\nbb,9,99,x\nNo Show,1,1,x\nbb,1,1,y\n")
    let done = shell.run("bb-notes import f.csv && bb-notes check -f csv --columns what")
    #expect(
      done.err.contains("warning: Breaking Bad S09E99 and 1 other episode not known; check lists them"), "\(done)")
    #expect(done.out == "what\nunknown episode Breaking Bad S09E99\nunknown title No Show\n", "\(done)")
  }

  @Test("actors come from XML") func actors() {
    let shell = Shell("BB_STORAGE=json:n BB_NOW=1700000000")
    shell.write(
      "actors.xml",
      """
      <?xml version="1.0"?><actors><actor><name>A &amp; B</name><category>Drama</category><cityOfBirth>X</cityOfBirth><description>d</description>
      <isFavourite>true</isFavourite><filmography><film>One</film><film>Two; 3</film></filmography><age>46</age><images><image>a</image></images>
      <phoneNo>+1</phoneNo><email>a@b</email><website>https://e.org/?a=b&amp;c</website></actor></actors>
      """)
    #expect(shell.run("bb-notes import actors.xml").err == "actors: 1 added\n")
    #expect(shell.run("bb-notes import actors.xml").err == "actors: 1 unchanged\n")
    #expect(
      shell.run("bb-notes export actors -f csv --columns name,age,favourite,filmography,website").out
        == "name,age,favourite,filmography,website\nA & B,46,true,\"[\"\"One\"\",\"\"Two; 3\"\"]\",https://e.org/?a=b&c\n"
    )
  }
}
