import TestSupport
import Testing

/// bb-notes as it is used every day: short commands, dates as people say them, keys that can be typed.
@Suite("bb-notes, every day") struct NotesDailyTests {
  private let shell = Shell("BB_STORAGE=csv:n BB_NOW=1715940000 BB_API_URL=http://127.0.0.1:9 TZ=Europe/Zurich")

  @Test("the words after the key are the text; -m and --tag") func text() {
    #expect(shell.run("bb-notes add S05E14 what a chapter && bb-notes show S05E14 --plain").out == "what a chapter\n")
    #expect(
      shell.run("bb-notes add S05E15 -m 'one -- two' --tag finale --tag '#Sad' -q && bb-notes show S05E15 --plain").out
        == "one -- two #finale #Sad\n")
    let both = shell.run("bb-notes add S05E16 -m x y")
    #expect(both.status == 64 && both.err.contains("-m cannot be used together with the text “y”"), "\(both)")
    #expect(shell.run("bb-notes list --tag FINALE --plain | cut -f3").out == "15\n")
    #expect(shell.run("bb-notes list --tag sad --tag finale -f csv --columns episode").out == "episode\n15\n")
    #expect(shell.run("bb-notes list --tag fin --plain").out == "")
    #expect(shell.run("bb-notes list --tag 'a b'").status == 64)
  }

  @Test("a list has the same columns in every format, and data has UTC") func lists() {
    _ = shell.run("bb-notes add S05E14 what -q; bb-notes add bcs:1x01 one -q")
    let list = shell.run("bb-notes list").out, time = "2024-05-17T10:00:00Z"
    #expect(
      list == """
        key,production,season,episode,title,text,created_at,updated_at
        bcs:S01E01,Better Call Saul,1,1,Uno,one,\(time),\(time)
        S05E14,Breaking Bad,5,14,Ozymandias,what,\(time),\(time)

        """, "\(list)")
    _ = shell.run(
      """
      bb-notes places add A --at 1,2 -q; bb-notes actors add B --category c --birth-date 1966-03-07 --partial -q
      bb-notes favourites add episodes S05E14 -q
      """)
    for kind in ["", "places ", "actors ", "favourites ", "shows "] {
      let same = shell.run(
        """
        bb-notes \(kind)list > pipe.csv; bb-notes \(kind)list -f csv > named.csv; bb-notes \(kind)list -o file.csv
        cmp pipe.csv named.csv && cmp pipe.csv file.csv && bb-notes \(kind)list --json -o l.json
        head -1 pipe.csv | tr , '\\n' | while read -r c; do grep -q '"'"$c"'":' l.json || echo "$c"; done
        """)
      #expect(same.status == 0 && same.out == "", "\(kind): \(same)")
      // Computed columns are not imported, and nothing is lost.
      guard kind != "shows " else { continue }
      let own = ["places ": ["gpx", "kml", "geojson"], "actors ": ["vcf"]][kind] ?? []
      for format in ["csv", "json", "ndjson"] + own {
        let there = shell.run(
          """
          bb-notes \(kind)list -o l.\(format) && bb-notes import l.\(format) &&
          bb-notes import l.\(format) -q --storage csv:\(format) &&
          bb-notes --storage csv:\(format) \(kind)list -o again.csv && cmp again.csv file.csv
          """)
        #expect(there.status == 0 && there.err.contains(" unchanged\n"), "\(kind)\(format): \(there)")
      }
    }
    #expect(
      shell.run("bb-notes list --drop title,text").out.hasPrefix(
        "key,production,season,episode,created_at,updated_at\n"))
    #expect(shell.run("bb-notes list --drop titel").status == 64)
    #expect(shell.run("bb-notes list --json").out.contains("\"updated_at\":\"2024-05-17T10:00:00Z\""))
    #expect(
      shell.run("bb-notes list --where 'title ~ ozy' --columns key,updated_at -f csv").out.hasSuffix(
        "S05E14,\(time)\n"))
    #expect(shell.run("bb-notes show S05E14").out.contains("added 2024-05-17 12:00\n"))
    #expect(shell.run("bb-notes list --where 'updated_at >= yesterday' --plain | wc -l").out == "2\n")
    #expect(shell.run("bb-notes list --where 'updated_at < yesterday' --plain | wc -l").out == "0\n")
  }

  @Test("dates are taken as people say them") func dates() {
    _ = shell.run(
      "bb-notes places add A --at 1,2 --visited yesterday -q; bb-notes places add B --at 1,3 --visited 'may 2024' -q; bb-notes places add C --at 1,4 -q"
    )
    #expect(
      shell.run("bb-notes places set C visited_on='3 days ago' -q; bb-notes places list --plain | cut -f1,4").out
        == "A\t2024-05-16\nB\t2024-05\nC\t2024-05-14\n")
    #expect(shell.run("bb-notes places list --where 'visited_on = yesterday' --plain | cut -f1").out == "A\n")
    #expect(
      shell.run("bb-notes export places --where 'visited_on = yesterday' --columns name -f csv").out == "name\nA\n")
    #expect(shell.run("bb-notes episodes --where 'air_date = 29 sep 2013' --plain | wc -l").out == "1\n")
    #expect(shell.run("bb-notes history --where 'time >= today' --plain | wc -l").out == "4\n")
    #expect(shell.run("bb-notes places set C visited_on=someday").status == 64)
    for line in ["places set C visited_on=2023-02-29", "places list --where 'visited_on > 2023-02-29'"] {
      let done = shell.run("bb-notes \(line)")
      #expect(done.status == 64 && done.err.contains("hint: February 2023 has 28 days\n"), "\(done)")
    }
    #expect(
      shell.run(
        "bb-notes actors add X --category c --birth-date 'march 1966' --partial -q; bb-notes actors list --plain --columns birth_date"
      ).out == "1966-03\n")
  }

  @Test("a record is named by its short id, or by a part of its name that only one has") func names() {
    _ = shell.run("for n in 'Café Central' 'Café Sperl' Zürich; do bb-notes places add \"$n\" --at 1,2 -q; done")
    let keys = shell.run("bb-notes places list --columns key | tail -n +2").out.split(separator: "\n").map(
      String.init)
    #expect(Set(keys).count == 3 && keys.allSatisfy { $0.utf8.count >= 4 })
    for (key, name) in zip(keys, ["Café Central", "Café Sperl", "Zürich"]) {
      #expect(shell.run("bb-notes places show \(key) --plain | cut -f1").out == "\(name)\n")
    }
    #expect(shell.run("bb-notes places show zuri --plain | cut -f1").out == "Zürich\n")
    #expect(shell.run("bb-notes places show sperl --plain | cut -f1").out == "Café Sperl\n")
    let both = shell.run("bb-notes places show cafe")
    #expect(
      both.status == 64 && both.err.contains("matches 2 places") && both.err.contains("\(keys[0]) (Café Central)"),
      "\(both)")
  }

  @Test("the short id of a list is taken by every command, of both programs") func shortIdentifiers() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1384000000")
    let made = shell.run(
      """
      printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' | base64 -d > p.png
      bb-notes places add Zug --at 47.1,8.5 -q; bb-notes places add Bern --at 46.9,7.4 -q; bb-notes actors add 'Ann B' --partial --image p.png -q
      for kind in places actors; do bb-notes $kind list --columns key | sed 1d | head -1 > $kind; done
      """)
    #expect(made.status == 0 && made.err == "", "\(made.err)")
    for line in [
      "bb-notes favourites add places $(cat places)", "bb-notes favourites remove places $(cat places)",
      "bb-notes favourites add actors $(cat actors)", "bb-notes places directions $(cat places) --from bern",
      "bb-notes places directions Bern --from $(cat places)", "bb-notes places set $(cat places) comment=x",
      "bb-notes actors gallery $(cat actors)", "bb-export open actors $(cat actors)", "bb-export open actors 'ann'",
    ] {
      let done = shell.run(line)
      #expect(done.status == 0, "\(line): \(done.err)")
      // The path of an image of the store, which can be opened.
      if line.contains(" open ") { #expect(shell.run("test -f $(\(line))").status == 0, "\(done.out)") }
    }
    let trash = shell.run(
      "bb-notes places delete $(cat places) --yes -q; bb-notes trash list | grep -c \",$(cat places),\"; bb-notes trash list --plain | head -1 | cut -f2 | wc -c"
    )
    #expect(trash.out == "1\n37\n", "\(trash)")
    let wrong = shell.run("bb-notes places directions Bern --from 99,1; bb-notes places directions Bern --from nowhere")
    #expect(wrong.err.contains("out of range") && wrong.err.contains("invalid coordinates “nowhere”"), "\(wrong.err)")
  }

  @Test("an episode is named by its title; to show it, a part is enough") func titles() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1384000000 BB_API_URL=http://127.0.0.1:9")
    #expect(shell.run("bb-notes add OZYMANDIAS what a chapter").err == "added Breaking Bad S05E14\n")
    #expect(shell.run("bb-notes add 'granite state' cold").err == "added Breaking Bad S05E15\n")
    #expect(shell.run("bb-notes show ozy").out.hasPrefix("Breaking Bad S05E14 “Ozymandias”\n"))
    let part = shell.run("bb-notes set granite text=warm; bb-notes delete granite --yes; bb-notes list --count -f csv")
    let absent = "bb-notes: not found in episodes: “granite”\nhint: did you mean Granite State?\n"
    #expect(part.err == absent + absent && part.out == "count\n2\n", "\(part)")
    #expect(shell.run("bb-notes set 'granite state' text=warm").err == "updated Breaking Bad S05E15\n")
    let deletion = shell.run("bb-notes delete 'Granite State' 5x14 --yes -q; bb-notes list --count -f csv")
    #expect(deletion.out == "count\n0\n")
    for (line, text) in [
      ("add ozy x", "invalid episode “ozy”\nhint: did you mean Ozymandias?"),
      ("show the", " episodes\nhint: use a key: bcs:S04E02 (Breathe), "),
      ("show nothing", "invalid episode “nothing”\nhint: use S05E14 or 5x14"),
      ("show ozy --production bcs", "invalid episode “ozy”"), ("show ''", "invalid episode “”"),
    ] {
      let done = shell.run("bb-notes \(line)")
      #expect(done.status == 64 && done.err.contains(text), "\(line): \(done.err)")
    }
  }

  @Test("favourites are listed with their names") func favourites() {
    _ = shell.run("bb-notes favourites add episodes S05E14 -q; bb-notes favourites add characters 1 -q")
    let list = shell.run("bb-notes favourites list --columns dataset,name").out
    #expect(list.contains("episodes,Ozymandias\n") && list.contains("characters,Walter White\n"), "\(list)")
    #expect(shell.run("bb-notes favourites list --json").out.contains("\"name\":\"Ozymandias\""))
    let part = shell.run(
      """
      bb-notes favourites add characters SKYLER; bb-notes favourites add characters 'SKYLER white'
      bb-notes favourites remove characters 3
      """)
    #expect(
      part.err
        == "bb-notes: not found in characters: “SKYLER”\nhint: did you mean Skyler White?\n"
        + "added Skyler White (characters 3) to favourites\nremoved Skyler White (characters 3) from favourites\n",
      "\(part)")
    let several = shell.run("bb-notes favourites add characters white")
    #expect(several.status == 64 && several.err.contains("use a key: 1 (Walter White), "), "\(several)")
  }

  @Test("deleted records are named like others; search words need no quotes") func trash() {
    _ = shell.run("for n in 'Café Central' Zürich; do bb-notes places add \"$n\" --at 1,2 -q; done")
    let key = shell.run("bb-notes places list --where 'name ~ z' --columns key | tail -1 | tr -d '| \\n'").out
    #expect(shell.run("bb-notes places delete cafe zuri --yes -q").status == 1)
    #expect(shell.run("bb-notes places delete 'cafe central' ZURICH --yes -q").status == 0)
    let restored = shell.run("bb-notes trash restore 'CAFE central' \(key)")
    #expect(restored.err == "restored the place Café Central, the place Zürich\n")
    #expect(shell.run("bb-notes places search central caf --plain | wc -l").out == "1\n")
    _ = shell.run("bb-notes add S05E14 what a chapter -q")
    #expect(shell.run("bb-notes search chapter what --plain | wc -l").out == "1\n")
    #expect(shell.run("bb-notes search").status == 64)
  }

  @Test("a row that was written by hand needs no times", arguments: ["csv", "json"]) func byHand(_ format: String) {
    let store = "--storage \(format):h"
    _ = shell.run("bb-notes \(store) add S05E14 one -q")
    let row =
      format == "csv"
      ? "printf 'Breaking Bad,5,15,two,,\\n' >> h/notes.csv"
      : "sed -i 's/}$/},{\"production\":\"Breaking Bad\",\"season\":5,\"episode\":15,\"text\":\"two\"}/' h/notes.json"
    let done = shell.run(
      "\(row); bb-notes \(store) list --plain && bb-notes \(store) show S05E15 && bb-notes \(store) set S05E15 text=three && bb-notes \(store) check && bb-notes \(store) migrate --to x.db -q && bb-notes --storage x.db show S05E15"
    )
    #expect(done.status == 0 && done.out.contains("Breaking Bad\t5\t15\ttwo\t\n"), "\(done)")
    #expect(done.out.contains("three"), "\(done)")
  }

  @Test("actors come from vCards") func cards() {
    shell.write(
      "a.vcf",
      "BEGIN:VCARD\nVERSION:3.0\nN:Person;Ann\nFN:Ann Person\nBDAY:19700102\nTEL:tel:+41\nEMAIL:a@b.c\nORG:X\nCATEGORIES:Drama,Other\nEND:VCARD\nBEGIN:VCARD\nN:Solo\nEND:VCARD\n"
    )
    let done = shell.run(
      "bb-notes import a.vcf; bb-notes actors list -f csv --columns name,category,birth_date,phone,email")
    #expect(
      done.out == "name,category,birth_date,phone,email\nSolo,,,,\nAnn Person,Drama,1970-01-02,+41,a@b.c\n"
        || done.out == "name,category,birth_date,phone,email\nAnn Person,Drama,1970-01-02,+41,a@b.c\nSolo,,,,\n",
      "\(done)")
    #expect(done.err.hasSuffix("actors: 2 added\n") && !done.err.contains("omitted"), "\(done.err)")
    #expect(shell.run("bb-notes import - --from-format vcard < a.vcf").err.hasSuffix("actors: 2 unchanged\n"))
    let wrong = shell.run("bb-notes import a.vcf --as places")
    #expect(
      wrong.status == 65 && wrong.err.contains("a.vcf: the file contains actors, not places\nhint: omit --as"),
      "\(wrong)")
    // What bb writes comes back.
    let back = shell.run(
      "bb-notes export actors -o b.vcf && bb-notes import b.vcf --storage json:back -q && bb-notes export actors -f csv > a && bb-notes export actors -f csv --storage json:back | cmp - a"
    )
    #expect(back.status == 0, "\(back)")
  }
}

@Suite("bb-notes redo") struct NotesRedoTests {
  @Test("redo reverses undo, step by step, until something else is changed", arguments: ["csv:n", "json:n", "n.db"])
  func redo(_ store: String) {
    let shell = Shell("BB_STORAGE=\(store) BB_NOW=1715940000")
    _ = shell.run("bb-notes add S05E14 a -q; bb-notes add S05E15 b -q")
    func list(_ commands: String) -> String {
      shell.run("\(commands); bb-notes list --plain | cut -f4 | tr '\\n' ' '").out
    }
    #expect(shell.run("bb-notes redo").status == 1)
    #expect(list("bb-notes undo -q; bb-notes undo -q") == "")
    let first = shell.run("bb-notes redo")
    #expect(first.err == "redid “add Breaking Bad S05E14”\n", "\(first)")
    #expect(list("true") == "a ")
    #expect(list("bb-notes redo -q") == "a b ")
    #expect(shell.run("bb-notes redo").err == "bb-notes: nothing to redo\n")
    #expect(list("bb-notes undo -q") == "a ")
    #expect(list("bb-notes redo -q") == "a b ")
    #expect(list("bb-notes undo -q; bb-notes add S05E16 c -q") == "a c ")
    #expect(shell.run("bb-notes redo").status == 1)
    #expect(list("bb-notes undo -q; bb-notes undo -q") == "")
  }
}
