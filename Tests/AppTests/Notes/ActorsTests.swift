import TestSupport
import Testing

@Suite("bb-notes actors, movies and favourites") struct ActorsTests {
  private static let script = """
    printf '\\377\\330\\377\\340 an image' > p.jpg
    bb-notes actors add 'A. Person'
    bb-notes actors add 'A. Person' --category Drama --birth-date 1976-11-15 --image p.jpg --film One --film 'Two; "x"' --partial
    bb-notes actors add B --category Action --age 41 --birth-city X --phone 1 --email a@b --description d --film F --website https://e.org/ --image p.jpg --favourite
    bb-notes actors add C --category Drama --image none.jpg --partial; bb-notes actors add C --image bb.json --partial
    bb-notes actors list; bb-notes actors list --favourites --plain; bb-notes actors list --json --columns name,age
    bb-notes actors show 'a. person'; bb-notes actors website B; bb-notes actors website 'A. Person'
    bb-notes actors favourite 'A. Person'; bb-notes actors favourite 'A. Person'; bb-notes actors unfavourite B
    bb-notes actors set B age=200; bb-notes actors set B email=x; bb-notes actors set B website=ftp://x; bb-notes actors set B 'category=Sci Fi'
    bb-notes actors list -f csv --columns name,category,favourite,filmography
    bb-notes actors search dram; bb-notes actors search two --plain
    bb-notes actors delete B --yes; bb-notes undo; bb-notes actors list --plain
    bb-notes favourites add characters 4; bb-notes favourites add characters 'Walter White'; bb-notes favourites add quotes 7; bb-notes favourites add quotes 7/1; bb-notes favourites add quotes 7/1
    bb-notes favourites add episodes S05E14; bb-notes favourites add actors B; bb-notes favourites list --plain; bb-notes favourites list actors --columns dataset
    bb-notes favourites remove quotes 7/1; bb-notes favourites remove quotes 7/1; bb-notes favourites add nothing 1
    bb-notes movies list; bb-notes movies show x
    """

  @Test("the output is the same for every store") func same() {
    var stories: [String] = []
    for storage in ["sqlite:n.db", "csv:n", "json:n"] {
      let shell = Shell("BB_STORAGE=\(storage) BB_NOW=1700000000")
      var story = ""
      for line in Self.script.split(separator: "\n") {
        let done = shell.run(String(line))
        story += "$ \(line)\n\(done.out)\(done.err)\(done.status)\n"
      }
      #expect(shell.run("cat n*/images/actors/*-1.jpg | wc -c").out == "26\n")
      stories.append(
        story.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
          .replacing(/\n[0-9a-f]{4,12},/, with: "\nKEY,").replacing(/\(id [0-9a-f]{4,12}\)/, with: "(id ID)"))
    }
    #expect(stories[0] == stories[1])
    #expect(stories[0] == stories[2])
    let story = stories[0]
    for part in [
      "bb-notes: an actor requires a category, a city of birth,", "added A. Person (id ID)\n0\n",
      "bb-notes: none.jpg: no such file or directory\n",
      "KEY,Action,B,41,true,X,ID,", "KEY,Drama,A. Person,46,false,,ID,",
      #"{"name":"A. Person","age":46}"#,
      "movies: One; Two; \"x\"\nimages: images/actors/ID-1.jpg\n", "https://e.org/\n",
      "added A. Person to favourites\nA. Person is already a favourite\nremoved B from favourites\n",
      "bb-notes: age 200 is out of range (0 to 150)\n",
      "bb-notes: invalid website URL “ftp://x”\nhint: use https://…\n",
      #"A. Person,Drama,true,"[""One"",""Two; \""x\""""]""#, " (characters 4) to favourites\n",
      "bb-notes: invalid key “7” for quotes\nhint: use id/occurrence; to look up by name, first run bb-export sync quotes\n",
      "added Walter White (characters 1) to favourites\n",
      "actors\tID\t2023-11-14T22:13:20Z\nactors\tID\t2023-11-14T22:13:20Z\ncharacters\t1\t2023-11-14T22:13:20Z\ncharacters\t4\t2023-11-14T22:13:20Z\nepisodes\tBreaking Bad/5/14\t",
      "removed quotes 7/1 from favourites\nbb-notes: quotes 7/1 is not a favourite\nbb-notes: unknown dataset “nothing”\nhint: available datasets: characters,",
      "bb-notes: movie not found: “x”\nhint: fetch movies with: bb-export sync movies --storage STORE\n1\n",
    ] { #expect(story.contains(part), "\(part)\n\(story)") }
  }

  @Test("images are migrated with their store") func migration() {
    let shell = Shell()
    _ = shell.run("printf '\\377\\330\\377\\340 an image' > p.jpg")
    #expect(shell.run("bb-notes actors add A --image p.jpg --partial --storage sqlite:a.db").status == 0)
    #expect(shell.run("bb-export sync --from-storage sqlite:a.db --storage csv:b").status == 0)
    #expect(shell.run("bb-export sync --from-storage csv:b --storage sqlite:c.db").status == 0)
    let pictures = shell.run("cd c.db.files && find . -type f").out
    #expect(pictures == shell.run("cd a.db.files && find . -type f").out && pictures.hasSuffix("-1.jpg\n"))
    let gallery = shell.run("bb-notes actors gallery A --storage sqlite:c.db")
    #expect(gallery.out == "\(shell.directory)/work/c.db.files/\(pictures.dropFirst(2))")
  }
}
