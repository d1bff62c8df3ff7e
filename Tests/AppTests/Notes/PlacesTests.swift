import TestSupport
import Testing

@Suite("bb-notes places") struct PlacesTests {
  private static let script = """
    bb-notes places add Luzern --at "47°3'N 8°18'E" --comment 'the bridge' --visited 2024-05
    bb-notes places add Bern --at 46.95,7.45
    bb-notes places add Bern --at 0,0
    bb-notes places add 'No place'
    bb-notes places add Far --at 91,0
    bb-notes places list; bb-notes places list --planned --plain; bb-notes places list --visited --limit 1 -f csv --option null=-
    bb-notes places show luzern; bb-notes places show Luzern --map; bb-notes places show Lucern
    bb-notes places show Bern
    bb-notes places directions Luzern --from 47,8
    bb-notes places set Luzern at=47.06,8.31 visited_on=2024-05-17; bb-notes places set Luzern at=47.06,8.31
    bb-notes places set Luzern latitude=100; bb-notes places set Luzern name=; bb-notes places set Luzern id=x
    bb-notes places search BRÍ; bb-notes places search '?!'
    bb-notes places delete Luzern; bb-notes places delete Luzern --yes; bb-notes places list --plain
    bb-notes trash list --plain; bb-notes undo; bb-notes places list --json
    bb-notes places list -f gpx; bb-notes places list -f geojson; bb-notes places list -f kml
    bb-notes history --plain
    """

  /// Identifiers and times are of the moment.
  private func settled(_ text: String) -> String {
    text.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
      .replacing(/\n[0-9a-f]{4,12},/, with: "\nKEY,").replacing(/[0-9a-f]{4,12} \(/, with: "KEY (")
      .replacing(/\(id [0-9a-f]{4,12}\)/, with: "(id ID)")
      .replacing(/"key":"[0-9a-f]{4,12}"/, with: "\"key\":\"KEY\"")
  }

  @Test("the output is the same for every store") func same() {
    var stories: [String] = []
    for storage in ["sqlite:n.db", "csv:n", "json:n"] {
      let shell = Shell("BB_STORAGE=\(storage) BB_NOW=1700000000")
      var story = ""
      for line in Self.script.split(separator: "\n") {
        let done = shell.run(String(line))
        story += "$ \(line)\n\(done.out)\(done.err)\(done.status)\n"
      }
      stories.append(settled(story))
    }
    #expect(stories[0] == stories[1])
    #expect(stories[0] == stories[2])
    let story = stories[0]
    for part in [
      "added Luzern (id ID)\n0\n",
      "another place is also named Bern\nadded Bern (id ID)\n0\n",
      "bb-notes: a place requires coordinates\nhint: use --at LAT,LON\n64\n",
      "bb-notes: latitude 91 is out of range (-90 to 90)\nhint: latitude comes first, then longitude\n64\n",
      "KEY,Luzern,47.05,8.3,2024-05,the bridge,ID,", "Bern\t46.95\t7.45\t\t\nBern\t0.0\t0.0\t\t\n",
      "Luzern\n47.05,8.3\nvisited 2024-05\n", "bb-notes: place not found: “Lucern”\nhint: did you mean Luzern?\n1\n",
      "“Bern” matches 2 places\nhint: use an id: KEY (Bern), KEY (Bern)\n64\n",
      "updated Luzern\nLuzern: no changes\n0\n",
      "bb-notes: “?!” contains no searchable word\nhint: search words consist of letters and digits\n64\n",
      "use --yes\n",
      "undid “delete place Luzern” of 2023-11-1",
      #"{"bb":1,"kind":"places","items":["#,
      #"<wpt lat="47.06" lon="8.31"><time>2023-11-14T22:13:20Z</time><name>Luzern</name>"#,
      #""coordinates":[8.31,47.06]"#,
    ] { #expect(story.contains(part), "\(part)") }
  }

  @Test("missing values are requested in the editor") func editor() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    #expect(shell.run("bb-notes places add Bern --at 46.95,7.45").status == 0)
    let edit = shell.run("BB_EDITOR='sed -i s/7.45/7.5/' bb-notes places edit Bern")
    #expect(edit.err == "updated Bern\n" && edit.status == 0)
    let same = shell.run("BB_EDITOR=true bb-notes places edit Bern")
    #expect(same.err == "nothing changed: the text is unchanged\n" && same.status == 0)
    let wrong = shell.run("BB_EDITOR='sed -i s/46.95/96.95/' bb-notes places edit Bern")
    #expect(
      wrong.err.contains("latitude 96.95 is out of range (-90 to 90)") && wrong.err.contains("your text is saved in"))
    #expect(wrong.status == 64)
    // A form that cannot be read is as much work as one that cannot be kept.
    for (change, why) in [
      ("s/^comment/coment/", "unknown column “coment”\nhint: did you mean comment? "), ("s/46.95/x/", "x"),
    ] {
      let unread = shell.run("BB_EDITOR='sed -i \(change)' bb-notes places edit Bern")
      #expect(unread.status == 64 && unread.err.contains(why), "\(unread.err)")
      let path = unread.err.split(separator: " ").last.map(String.init) ?? ""
      #expect(
        unread.err.contains("your text is saved in /") && shell.run("cat \(path)").out.contains("Bern"), "\(unread.err)"
      )
    }
    #expect(shell.run("bb-notes places list --plain").out == "Bern\t46.95\t7.5\t\t\n")
  }
}
