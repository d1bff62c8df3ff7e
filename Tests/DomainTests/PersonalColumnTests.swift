import Domain
import Rows
import Testing

@Suite("typed columns") struct PersonalColumnTests {
  @Test("a typed column writes and reads the value of the column") func values() {
    var actor = Record(Catalog.actors, [:])
    #expect(actor[.name] == nil && actor[.age] == nil && actor[.filmography] == [] && !actor[.favourite])
    actor[.name] = "Anna"
    actor[.age] = 40
    actor[.filmography] = ["Dune"]
    actor[.favourite] = true
    #expect(actor["name"] == .text("Anna") && actor["age"] == .integer(40) && actor["favourite"] == .boolean(true))
    #expect(actor[.filmography] == ["Dune"])
    actor[.age] = nil
    #expect(actor["age"] == .null)
  }
  @Test("a number of a place is read from any representation") func numbers() {
    var place = Record(Catalog.places, ["latitude": .integer(47), "longitude": .number(Array("8.30".utf8))])
    #expect(place[.latitude] == 47 && place[.longitude] == 8.3)
    place[.latitude] = 47.05
    #expect(place["latitude"] == .real(47.05))
  }
  @Test("a column that the table does not have is null, and is not added") func missing() {
    var note = Record(Catalog.notes, ["text": .text("x")]), before = note
    note[.email] = "a@example.org"
    #expect(note == before && note[.email] == nil && note[.text] == "x")
    before[.text] = nil
    #expect(before["text"] == .null)
  }
}
