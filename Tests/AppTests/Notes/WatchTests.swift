import TestSupport
import Testing

/// Shows and movies of the user's own: notes, plays, and what comes next.
@Suite("any show") struct WatchTests {
  private let shell = Shell("BB_NOW=1715940000 BB_API_URL=http://127.0.0.1:9 BB_STORAGE=csv:n BB_OFFLINE=yes")

  @Test("a note on a show whose episodes are not known") func unknownEpisodes() {
    #expect(shell.run("bb-notes shows add 'The Wire' --offline && bb-notes add wire:S01E01 one").status == 0)
    #expect(shell.run("bb-notes add 'the wire:S01E02' -starts && bb-notes add wire:S01E03 'a  '").status == 0)
    #expect(shell.run("bb-notes list --columns key,text -f csv").out.contains("The Wire:S01E02,-starts\n"))
    #expect(shell.run("bb-notes export notes --columns text -f csv").out == "text\none\n-starts\na  \n")
    let unknown = shell.run("bb-notes add bb:S09E99 x")
    #expect(unknown.status == 64 && unknown.err.contains("hint: nearest episodes: "))
    #expect(shell.run("bb-notes edit wire:S01E01 two && bb-notes show wire:S01E01 --plain").out.contains("two"))
    // A part of a name is enough only to read.
    #expect(shell.run("bb-notes show wir:S01E01 --plain").out.contains("two"))
    for command in [
      "add wir:S01E04 x", "add S01E04 x --production wir", "delete wir:S01E01 --yes", "edit wir:S01E01 x",
      "set wir:S01E01 text=x", "watch wir:S01E01", "watch wir:S01", "favourites add notes wir:S01E01",
    ] {
      let done = shell.run("bb-notes \(command)")
      let isNamed = done.err.contains("did you mean The Wire")
      #expect(done.status == 1 && isNamed == !command.hasPrefix("fav"), "\(command): \(done)")
    }
    #expect(shell.run("BB_PRODUCTION=wir bb-notes add S01E04 x").err.contains("hint: did you mean The Wire?"))
    #expect(shell.run("bb-notes export notes --columns text -f csv").out == "text\ntwo\n-starts\na  \n")
  }

  @Test("every command takes the keys of a show with a slash in its name") func slashes() {
    let shell = Shell("BB_STORAGE=csv:s")
    #expect(shell.run("bb-notes shows add 'Nip/Tuck' --offline && bb-notes add 'Nip/Tuck:S01E01' one").status == 0)
    for key in ["Nip/Tuck:S01E01", "Nip%2FTuck/1/1"] {
      for command in [
        "favourites add notes K", "favourites remove notes K", "show K", "set K text=x", "delete K --yes",
        "trash restore K", "watch K",
      ] {
        let done = shell.run("bb-notes " + command.replacing("K", with: "'\(key)'"))
        #expect(done.status == 0, "\(command): \(done)")
      }
    }
  }

  @Test("plays, and the next episode") func plays() {
    let first = shell.run("bb-notes watch bb:S01E01 --on 2024-05-01 --rating 9")
    #expect(
      first.err == "watched Breaking Bad S01E01 “Pilot” on 2024-05-01; next: S01E02 “Cat's in the Bag...”\n", "\(first)"
    )
    let again = shell.run("bb-notes watch bb:S01E01 --on 2024-05-01")
    #expect(again.err.contains("no changes"), "\(again)")
    let rated = shell.run(
      "bb-notes watch bb:S01E01 --on 2024-05-01 --rating 8 -m slow; bb-notes undo -q; bb-notes undo -q; bb-notes redo -q"
    )
    #expect(rated.err.hasPrefix("watched Breaking Bad S01E01"), "\(rated)")
    for text in ["bb:S01E02-S01E04", "bb:1x02-1x04"] {
      let range = shell.run("bb-notes watch \(text) --on 2024-04-01 && bb-notes undo")
      #expect(range.err.contains("watched Breaking Bad S01E02 to S01E04 on"), "\(range)")
    }
    for text in ["bb:S01E02-", "bb:S01E02-x", "bb:S01E02-S02E04", "bb:S01E04-E02"] {
      #expect(shell.run("bb-notes watch '\(text)'").status == 64, "\(text)")
    }
    #expect(shell.run("bb-notes watch bb:S01E02-E04 --undated && bb-notes watch 'el camino' -m good").status == 0)
    #expect(shell.run("bb-notes next --columns key -f csv").out == "key\nS01E05\n")
    #expect(
      shell.run("bb-notes export watches --columns title,episode,day,times,rating -f csv").out.split(separator: "\n")
        .sorted() == [
          "Breaking Bad,1,2024-05-01,1,9", "Breaking Bad,2,,1,", "Breaking Bad,3,,1,", "Breaking Bad,4,,1,",
          "El Camino,1,2024-05-17,1,", "title,episode,day,times,rating",
        ])
    #expect(shell.run("bb-notes watch bb:S01 && bb-notes undo").status == 0)
    #expect(shell.run("bb-notes export ratings --columns title,rating -f csv").out == "title,rating\nBreaking Bad,9\n")
    #expect(shell.run("bb-notes watch bb:S09E99").status == 64)
    #expect(shell.run("bb-notes watch bb:S01E01 --rating 11").status == 64)
    #expect(shell.run("bb-notes watch bb:S01E01 --on 2024-05-18").status == 64)
    #expect(shell.run("bb-notes watch bb:S01E01 --on 2025").status == 64)
    for name in ["' '", "\"$(printf 'a\\nb')\""] {
      #expect(shell.run("bb-notes shows add \(name) --offline").status == 64)
    }
    #expect(shell.run("bb-notes add 'el camino' jesse && bb-notes show ec --plain").out.contains("jesse"))
  }

  @Test("undo reverses the last commands, or one by its number") func undo() {
    _ = shell.run("for n in 1 2 3 4; do bb-notes add S01E0$n x; done")
    #expect(shell.run("bb-notes undo 9").status == 1)
    #expect(shell.run("bb-notes undo 2 && bb-notes export notes --columns episode -f csv").out == "episode\n1\n2\n")
    #expect(
      shell.run("bb-notes undo --entry 1 && bb-notes export notes --columns episode -f csv").out == "episode\n2\n")
    #expect(
      shell.run("bb-notes delete S01E02 --dry-run").err
        == "would delete the note for Breaking Bad S01E02\nnothing deleted\n")
    #expect(shell.run("bb-notes migrate --to csv:m --dry-run && ls m").status != 0)
  }

  @Test("git merges two clones by key and field") func git() {
    guard shell.run("git --version").status == 0 else { return }
    let done = shell.run(
      """
      set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q -b main one; export BB_STORAGE=csv:one; bb-notes init --git; bb-notes add S01E01 a; bb-notes add S01E02 b
      git -C one add .; git -C one commit -qm 1; git clone -q one two; BB_STORAGE=csv:two bb-notes init --git
      bb-notes add S01E03 c; bb-notes edit S01E01 changed; git -C one add .; git -C one commit -qm 2
      export BB_STORAGE=csv:two; bb-notes add S01E04 d; bb-notes delete S01E02 --yes; git -C two add .; git -C two commit -qm 3
      git -C two pull -q --no-rebase --no-edit; bb-notes check; bb-notes export notes --columns episode,text -f csv
      """)
    #expect(done.status == 0 && done.out.hasSuffix("episode,text\n1,changed\n3,c\n4,d\n"), "\(done)")
    #expect(shell.run("BB_STORAGE=csv:two bb-notes history --plain | wc -l").out == "6\n")
  }

  @Test(
    "names that differ only in their spelling are a question",
    arguments: [
      "Amelie", "AMÉLIE", "Ame\u{301}lie", "Amélie!",
    ])
  func spellings(_ name: String) {
    shell.write("watched.csv", "Date,Name,Year,Letterboxd URI\n2024-01-01,Amélie,2001,https://boxd.it/aaa\n")
    let header = "Const,Your Rating,Date Rated,Title,URL,Title Type,Year"
    shell.write("two.csv", "\(header)\ntt1,7,2024-01-01,\(name),u,Movie,2001\n")
    let asked = shell.run(
      """
      bb-notes import watched.csv --from letterboxd -q; bb-notes import two.csv --from imdb -q
      bb-notes questions --columns reason,candidates -f csv
      """)
    #expect(asked.out.hasSuffix("same title: another spelling,\"[\"\"Amélie (2001)\"\"]\"\n"), "\(asked)")
    let titles = shell.run(
      "bb-notes resolve q1 'Amélie (2001)' && bb-notes export titles --where 'year = 2001' --columns title -f csv")
    #expect(titles.out == "title\nAmélie (2001)\n", "\(titles)")
  }

  @Test("plays, ratings, lists and titles are set and deleted") func tables() {
    shell.write("r.csv", "title,season,episode,rating,day\nHeat (1995),1,1,7,2024-01-01\n")
    shell.write("t.csv", "title,kind,name,year\nHeat (1995),movie,Heat,1995\n")
    let done = shell.run(
      """
      set -e; bb-notes import t.csv --as titles -q; bb-notes import r.csv --as ratings -q
      bb-notes set ratings heat rating=8.5; bb-notes set titles heat short=h; bb-notes watch h --on 2024-01-02
      bb-notes set watches h text=good; bb-notes export watches --columns title,text -f csv
      bb-notes export ratings --columns rating -f csv; bb-notes delete ratings 'Heat (1995)/1/1' --yes
      bb-notes delete watches h --yes; bb-notes export ratings --count; bb-notes undo 2 -q; bb-notes check
      """)
    #expect(done.status == 0 && done.out.hasPrefix("title,text\nHeat (1995),good\nrating\n8.5\n"), "\(done)")
    for command in ["set ratings heat rating=11", "set ratings heat", "set titles nothing short=x"] {
      #expect(shell.run("bb-notes \(command)").status != 0)
    }
  }

  @Test("a movie is added by its name, and a show without a network only with --offline") func movies() {
    let shell = Shell("BB_NOW=1715940000 BB_STORAGE=csv:n BB_API_URL=http://127.0.0.1:9")
    let unknown = shell.run("bb-notes watch Ikiru")
    #expect(unknown.status == 64 && unknown.err.hasSuffix("hint: add a movie with: bb-notes shows add Ikiru --movie\n"))
    let added = shell.run(
      """
      bb-notes shows add Ran --movie --year 1985 && bb-notes shows add ran --movie; bb-notes watch ran --date yesterday
      bb-notes watch ran --on yesterday && bb-notes export titles --columns title,kind,year -f csv
      """)
    #expect(added.out == "title,kind,year\nRan (1985),movie,1985\n", "\(added)")
    #expect(
      added.err
        == """
        added Ran (1985)
        Ran (1985): no changes
        bb-notes: unknown option --date
        hint: did you mean --on?
        watched Ran (1985) on 2024-05-16

        """, "\(added)")
    let other = shell.run("bb-notes shows add 'The Wire' --api http://127.0.0.1:9; bb-notes shows add X --year 1990")
    #expect(other.status == 64 && other.err.contains("hint: use --offline to add its name only\n"), "\(other)")
  }

  @Test("rows with impossible values are reported, the others are read") func impossible() {
    shell.write(
      "ratings.csv",
      """
      Const,Your Rating,Date Rated,Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors
      tt14 <b>,7,2024-01-01,A,u,Movie,7,90,1999,x,1,1999-01-01,d
      tt2,7,2024-01-01,B,u,Movie,7,90,1995.5,x,1,1999-01-01,d
      tt3,7,2999-01-01,C,u,Movie,7,90,1999,x,1,1999-01-01,d
      tt4,7,2024-01-01,D,u,Movie,7,90,1999,x,1,1999-01-01,d

      """)
    let done = shell.run("bb-notes import ratings.csv; bb-notes import - --from imdb < ratings.csv")
    for what in ["ratings.csv:2: invalid imdb id", "ratings.csv:3: invalid year", "ratings.csv:4: invalid date"] {
      #expect(done.err.contains(what), "\(done)")
    }
    #expect(done.status == 0 && done.out.contains("ratings,1,0,0,3\n"), "\(done)")
  }
}
