import TestSupport
import Testing

/// Tracker files, as a user imports, corrects and leaves them.
@Suite("tracker files") struct TrackerTests {
  private let shell = Shell("BB_NOW=1715940000 BB_API_URL=http://127.0.0.1:9")

  /// Files of a made-up person.
  private func give() {
    func write(_ file: String, _ lines: String...) {
      _ = shell.run("printf '\(lines.joined(separator: "\\n"))\\n' > \(file)")
    }
    _ = shell.run("mkdir -p lb t; printf secret > lb/profile.csv; mkfifo lb/comments.csv")
    write(
      "lb/diary.csv", "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date",
      "2026-01-02,Heat,1995,https://boxd.it/aa1,4.5,,\"noir, \"\"night\"\"\",2026-01-01",
      "2026-01-04,Heat,1995,https://boxd.it/aa2,,Yes,,2026-01-03",
      "2026-01-05,Tampopo,1985,https://boxd.it/aa3,9,,,2026-13-40")
    write(
      "lb/watched.csv", "Date,Name,Year,Letterboxd URI", "2026-01-02,Heat,1995,https://boxd.it/29Xk",
      "2025-01-01,Ran,1985,https://boxd.it/2b9M")
    write("lb/watchlist.csv", "Date,Name,Year,Letterboxd URI", "2026-01-02,Ikiru,1952,https://boxd.it/1abc")
    write(
      "t/ratings.csv", "Const,Your Rating,Date Rated,Title,Title Type,Year",
      "tt0113277,9,2024-05-01,Heat,Movie,1996", "tt0089881,11,2024-05-02,Ran,Movie,1985")
  }

  @Test("an import can be repeated, and is undone in one step", arguments: ["csv:n", "json:n", "sqlite:n.db"])
  func twice(_ store: String) {
    give()
    let first = shell.run("BB_STORAGE=\(store) bb-notes import lb --report r.csv")
    #expect(first.status == 0, "\(first)")
    #expect(first.err.contains("letterboxd: 6 rows in 3 files, all used\n"), "\(first.err)")
    #expect(first.err.contains("not read: comments.csv, profile.csv\n"), "\(first.err)")
    #expect(shell.run("cat r.csv").out.contains("diary.csv,4,question,"))
    let digest = "find n n.db -type f 2>/dev/null | sort | xargs sha256sum"
    let before = shell.run(digest).out
    let again = shell.run("BB_STORAGE=\(store) bb-notes import lb")
    #expect(again.err.hasSuffix("letterboxd: 6 rows in 3 files: all were imported before\n"), "\(again)")
    #expect(shell.run(digest).out == before)
    #expect(
      shell.run("BB_STORAGE=\(store) bb-notes export watches --columns title,day,times,rating -f csv").out
        == "title,day,times,rating\nHeat (1995),2026-01-01,1,9\nHeat (1995),2026-01-03,1,\nRan (1985),,1,\n")
    #expect(shell.run("BB_STORAGE=\(store) bb-notes history --plain | wc -l").out == "1\n")
    #expect(shell.run("BB_STORAGE=\(store) bb-notes undo").status == 0)
    #expect(shell.run("BB_STORAGE=\(store) bb-notes export titles --columns title -f csv").out == "title\n")
  }

  @Test("rows that are not certain become questions, which are resolved once") func questions() {
    give()
    _ = shell.run("bb-notes import lb --storage csv:n")
    let done = shell.run("bb-notes import t --storage csv:n")
    #expect(done.status == 0 && done.err.contains("ratings.csv:3: rating 11 is out of range"), "\(done)")
    let asked = shell.run(
      "bb-notes questions --storage csv:n -f csv --columns key,name,candidates --where 'name = Heat'"
    ).out
    #expect(asked.contains(",Heat,[\"\"Heat (1995)\"\"]") || asked.contains("Heat (1995)"), "\(asked)")
    let key = asked.split(separator: "\n").last?.split(separator: ",").first.map(String.init) ?? ""
    #expect(shell.run("bb-notes resolve \(key) heat --storage csv:n").status == 0)
    #expect(
      shell.run("bb-notes export ratings --storage csv:n --columns title,rating -f csv").out.contains("Heat (1995),9\n")
    )
    #expect(shell.run("bb-notes questions --storage csv:n --where 'name = Heat' --plain").out == "")
    let strict = shell.run("bb-notes import t --strict --storage csv:m")
    #expect(strict.status == 65 && shell.run("ls m").status != 0, "\(strict)")
  }

  @Test("files of no tracker, and of two, are refused") func refused() {
    give()
    _ = shell.run("printf 'a,b\\n1,2\\n' > x.csv; mkdir none; cp x.csv none/y.csv")
    let none = shell.run("bb-notes import none --storage csv:n")
    #expect(none.status == 65 && none.err.contains("no known tracker format\nhint: formats: letterboxd"), "\(none)")
    #expect(shell.run("bb-notes import x.csv --storage csv:n").err.contains("the columns match none of"))
    let empty = shell.run("head -1 lb/watchlist.csv > watchlist.csv; bb-notes import watchlist.csv --storage csv:n")
    #expect(empty.status == 0 && empty.err == "watchlist.csv contains no records\n" && empty.out == "", "\(empty)")
    #expect(shell.run("bb-notes import lb --from nosuch --storage csv:n").status == 64)
    #expect(shell.run("ls n").status != 0)
  }

  @Test("a question closes when its row is corrected or gone; others stay") func corrected() {
    give()
    _ = shell.run("bb-notes import lb --storage csv:n; bb-notes import t --storage csv:n")
    let open = "bb-notes questions --storage csv:n -f csv --columns dataset,reason"
    #expect(shell.run(open).out.split(separator: "\n").count == 5, "\(shell.run(open))")
    let done = shell.run(
      """
      sed -i 's/,9,,,2026-13-40/,4,,,2026-01-04/' lb/diary.csv && sed -i '/tt0089881/d' t/ratings.csv &&
      bb-notes import lb --storage csv:n > out && bb-notes import t --storage csv:n > out && \(open)
      """)
    #expect(
      done.err.contains("2 questions of earlier rows closed\n")
        && done.err.contains("1 question of earlier rows closed\n"),
      "\(done)")
    #expect(done.out.hasSuffix("dataset,reason\nratings,\"maybe the same title: another year, or none\"\n"), "\(done)")
    // A file of another name leaves the questions of this one.
    let other = shell.run(
      """
      mkdir o && head -1 t/ratings.csv > o/ratings-2.csv && bb-notes import o --from imdb --storage csv:n -q > out; \(open) | wc -l
      """)
    #expect(other.out == "2\n", "\(other)")
  }

  @Test("options without effect are refused, and nothing is changed") func options() {
    give()
    shell.write("notes.csv", "production,season,episode,text\nBreaking Bad,5,14,x\n")
    for option in ["as=notes", "on-conflict=skip", "from-encoding=utf-8", "from-format=csv", "no-header"] {
      let done = shell.run("bb-notes import lb --from letterboxd --\(option) --storage csv:n")
      let name = option.split(separator: "=")[0]
      #expect(
        done.status == 64 && done.err == "bb-notes: --\(name) does not apply to tracker files\nhint: omit --\(name)\n",
        "\(done)")
    }
    for option in ["report=r.csv", "strict", "set=a=b"] {
      let done = shell.run("bb-notes import notes.csv --\(option) --storage csv:n")
      #expect(done.status == 64 && done.err.contains("does not apply to files of notes\n"), "\(done)")
    }
    #expect(shell.run("ls -d n r.csv").status != 0)
  }

  @Test("a renamed file, and a pipe, are known by their columns if the format is named") func renamed() {
    give()
    shell.write("mine.csv", "Title,Date\n\"Heat\",\"2/3/20\"\n")
    for (line, rows) in [
      ("import mine.csv --from netflix", "netflix: 1 row in 1 file, all used\n"),
      ("import - --from netflix < mine.csv", "netflix: 1 row in 1 file: all were imported before\n"),
    ] {
      let done = shell.run("bb-notes --storage csv:n \(line)")
      #expect(done.status == 0 && done.err.contains(rows), "\(line): \(done)")
    }
    let several = shell.run("bb-notes --storage csv:n import - --from letterboxd < lb/watchlist.csv")
    #expect(
      several.status == 64
        && several.err.contains("several files of letterboxd: diary.csv, watched.csv, watchlist.csv\n"),
      "\(several)")
    let unknown = shell.run("bb-notes --storage csv:n import mine.csv")
    #expect(unknown.status == 65 && unknown.err.contains("or the tracker with --from FORMAT\n"), "\(unknown)")
  }

  @Test("an export is a directory of its files, and only such a one is replaced") func directory() {
    give()
    _ = shell.run("bb-notes import lb --storage csv:n")
    let export = "bb-notes export --for letterboxd -o out --storage csv:n"
    let done = shell.run("\(export) && \(export) && ls out && ls -A out | grep -c bb-files")
    #expect(
      done.status == 0 && done.out == "letterboxd-import.csv\nletterboxd-ratings.csv\nletterboxd-watchlist.csv\n1\n",
      "\(done)")
    let read = shell.run("bb-notes import out --from letterboxd-import --storage csv:m")
    #expect(read.status == 0 && !read.err.contains("not read"), "\(read)")
    for option in ["--where 'year > 2000'", "-f json", "--limit 1"] {
      let refused = shell.run("\(export) \(option)")
      #expect(refused.status == 64 && refused.err.contains(" does not apply to files for letterboxd\n"), "\(refused)")
    }
    #expect(shell.run("\(export) --no-clobber").status == 73)
    let other = shell.run("touch out/mine; \(export); ls out | wc -l; rm out/mine out/.bb-files.json; \(export)")
    #expect(other.out == "4\n" && other.err.contains("out/mine\n") || other.err.contains("out/mine: "), "\(other)")
    #expect(other.err.contains("refusing to replace a directory that bb did not create"), "\(other)")
    // A site is not replaced by an export, nor the other way round.
    let site = shell.run(
      "bb-export site -o w --storage csv:n -q; bb-notes export --for letterboxd -o w --storage csv:n; ls w/index.html")
    #expect(site.out == "w/index.html\n" && site.err.contains("refusing to replace"), "\(site)")
  }

  @Test("archives as programs pack them are read; an archive within one is named") func archives() {
    give()
    let packed = shell.run(
      """
      rm lb/comments.csv; python3 - <<'E'
      import io, zipfile
      class Pipe(io.RawIOBase):
          def __init__(self, file): self.file = file
          def writable(self): return True
          def seekable(self): return False
          def write(self, bytes): return self.file.write(bytes)
      def pack(file):
          with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
              z.writestr("a/b/", "")
              z.writestr("__MACOSX/a/b/._diary.csv", b"\\0\\5")
              for name in ["diary", "watched", "watchlist"]: z.write(f"lb/{name}.csv", f"a/b/{name}.csv")
      pack("usual.zip")
      with open("piped.zip", "wb") as file: pack(Pipe(file))
      with zipfile.ZipFile("outer.zip", "w") as z: z.write("usual.zip", "in/usual.zip")
      E
      """)
    guard packed.status == 0 else { return }
    for file in ["usual", "piped", "held"] {
      let name = file == "held" ? "$(mkdir held && cp usual.zip held && echo held)" : "\(file).zip"
      let done = shell.run("bb-notes import \(name) --storage csv:s-\(file)")
      #expect(done.err.contains("letterboxd: 6 rows in 3 files, all used\n"), "\(done)")
    }
    let other = shell.run("cp lb/diary.csv other.zip; bb-notes import other.zip --storage csv:n")
    #expect(other.err == "bb-notes: other.zip: not a ZIP archive\nhint: download or copy it again\n", "\(other)")
    let outer = shell.run("bb-notes import outer.zip --storage csv:n")
    #expect(
      outer.status == 65
        && outer.err
          == "bb-notes: outer.zip: no known tracker format, but an archive: usual.zip\nhint: extract it, and import what it contains\n",
      "\(outer)")
  }

  @Test(
    "what is exported and imported is exported as the same bytes", arguments: ["letterboxd", "trakt-import", "imdb"])
  func roundTrip(_ format: String) {
    give()
    shell.write(
      "ratings.csv",
      "Const,Your Rating,Date Rated,Title,Title Type,Year\ntt0089881,10,2024-05-01,Ran,Movie,1985\n")
    _ = shell.run(
      "bb-notes import lb --storage csv:n; bb-notes import t --storage csv:n; bb-notes import ratings.csv --storage csv:n"
    )
    let from = format == "letterboxd" ? "letterboxd-import" : format
    let done = shell.run(
      """
      bb-notes export --for \(format) -o one --storage csv:n && bb-notes import one --from \(from) --storage csv:m > import.txt && \
      bb-notes export --for \(format) -o two --storage csv:m && diff -r -x '*.json' -x '.*' one two
      """)
    #expect(done.status == 0 && done.out == "", "\(done)")
  }

  @Test("plays beyond the most of one record are named") func repeats() {
    give()
    let done = shell.run(
      """
      bb-notes import lb --storage csv:n -q
      sed -i -E '2s/^(([^,]*,){6})1,/\\110001,/' n/watches.csv
      bb-notes export --for trakt-import -o out --storage csv:n
      """)
    #expect(done.err.contains("1 of 10001 plays of Heat not written: at most 10000"), "\(done)")
  }

  @Test("IMDb's list of episodes names their shows: questions are answered, and episodes keep the identifiers")
  func episodeList() {
    shell.write(
      "ratings.csv",
      "Const,Your Rating,Date Rated,Title,Title Type,Year\ntt2301451,10,2024-05-01,Ozymandias,TV Episode,2013\n")
    shell.write(
      "title.episode.tsv",
      """
      tconst\tparentTconst\tseasonNumber\tepisodeNumber
      tt0031458\ttt32857063\t\\N\t\\N
      tt2301451\ttt0903747\t5\t14
      tt2301453\ttt0903747\t5\t15
      tt9999999\ttt7777777\t5\t14

      """)
    _ = shell.run(
      "bb-export sync episodes --source snapshot --storage csv:n; bb-notes import ratings.csv --storage csv:n")
    let read = "bb-notes import title.episode.tsv --storage csv:n"
    let done = shell.run("\(read) --dry-run; \(read)")
    let told = "imdb: 2 episodes of known shows\n1 question resolved\n"
    #expect(done.err == told.replacing("\n1", with: " (dry run)\n1") + told, "\(done)")
    #expect(
      shell.run("bb-notes export ratings --columns title,season,episode,rating -f csv --storage csv:n").out
        == "title,season,episode,rating\nBreaking Bad,5,14,10\n")
    #expect(shell.run("grep -c tt230145 n/episodes.csv").out == "2\n")
    #expect(shell.run(read).err == "imdb: 2 episodes of known shows: no changes\n")
    // They stay when the episodes are synchronized again, and go with the import.
    let later = shell.run(
      """
      bb-export sync episodes --source snapshot --storage csv:n -q > sync.txt; grep -c tt230145 n/episodes.csv
      bb-notes undo --storage csv:n; grep -c tt230145 n/episodes.csv; bb-notes questions --storage csv:n --count -f csv
      """)
    #expect(later.out == "2\n0\ncount\n1\n", "\(later)")
    let refused = shell.run("\(read) --strict")
    #expect(
      refused.status == 64 && refused.err.contains("--strict does not apply to lists of episodes\n"), "\(refused)")
  }

  @Test("days of times are those of a zone") func zone() {
    shell.write(
      "watched-history-1.json",
      #"[{"id":1,"watched_at":"2024-05-01T23:30:00.000Z","type":"movie","movie":{"title":"Heat","year":1995,"ids":{"trakt":1}}}]"#
    )
    for (store, zone, day) in [
      ("n", "", "2024-05-01"), ("n", " --zone Europe/Vienna", "2024-05-02"), ("m", " --zone +00:30", "2024-05-02"),
    ] {
      let done = shell.run(
        """
        bb-notes import watched-history-1.json\(zone) --storage csv:\(store) -q
        bb-notes export watches --columns day,at -f csv --storage csv:\(store)
        """)
      #expect(done.out.hasSuffix("day,at\n\(day),2024-05-01T23:30:00Z\n"), "\(done)")
    }
    let wrong = shell.run("bb-notes import watched-history-1.json --zone Europe/Nowhere --storage csv:n")
    #expect(wrong.status == 64 && wrong.err.contains("unknown time zone “Europe/Nowhere”"), "\(wrong)")
  }
}
