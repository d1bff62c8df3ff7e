import Codecs
import Domain
import Rows
import Testing

@Suite("Coordinates") struct CoordinatesTests {
  @Test(
    "are read as people write them",
    arguments: [
      ("47.05,8.3", "47.05,8.3"), (" 47.05 , 8.3 ", "47.05,8.3"), ("47.05 8.3", "47.05,8.3"),
      ("-33.9;+18.4", "-33.9,18.4"),
      ("47°3'0\"N 8°18'0\"E", "47.05,8.3"), ("47° 3′ 0″ N, 8° 18′ 0″ E", "47.05,8.3"), ("N47°3' E8°18'", "47.05,8.3"),
      ("8°18'E 47°3'N", "47.05,8.3"), ("47º3’ 8º18’", "47.05,8.3"), ("47 3 0 N 8 18 0 E", "47.05,8.3"),
      ("33 54 S, 18 24 E", "-33.9,18.4"), ("-33°54', 18°24'", "-33.9,18.4"), ("47°3.5'N 8°E", "47.05833333333333,8"),
      ("1°0'36''S 2°W", "-1.01,-2"), ("geo:47.05,8.3", "47.05,8.3"), ("GEO:-1,2,300;crs=WGS84;u=10", "-1,2"),
      ("90,180", "90,180"), ("-90,-180", "-90,-180"), ("0,0", "0,0"), ("-0.0,0", "0,0"),
      ("0.00001,-0.0000125", "0.00001,-0.0000125"),
      ("47.05N 8.3E", "47.05,8.3"),
    ])
  func spellings(text: String, coordinates: String) throws {
    #expect(try Coordinates(parsing: text).text == coordinates)
  }

  @Test(
    "are refused otherwise",
    arguments: [
      "", "47.05", "47,05,8,3", "a,b", "47.05,8.3,9", "1e2,3", "nan,0", "inf,0", "0x1,2", "47°60'N 8°E",
      "47°3'61\"N 8°E",
      "47.5°3'N 8°E", "-47N 8E", "47N 8N", "N47N 8E", "47'3°N 8°E", "47°3'0\"1 N 8E", "geo:1", "geo:1,2;crs=moon",
      "47 3 8 18", ".5,1", "5.,1",
      "1,2;3",
    ])
  func nonsense(text: String) {
    let problem = #expect(throws: Problem.self) { try Coordinates(parsing: text) }
    #expect(problem?.kind == .usage)
  }

  @Test("are on the earth") func ranges() {
    for (text, message) in [
      ("90.0001,0", "latitude 90.0001 is out of range (-90 to 90); latitude comes first, then longitude"),
      ("91,170", "latitude 91 is out of range (-90 to 90); use LAT,LON, for example 47.05,8.3"),
      ("0,-180.5", "longitude -180.5 is out of range (-180 to 180)"),
      ("91N 0E", "latitude 91 is out of range (-90 to 90); latitude comes first, then longitude"),
    ] {
      let problem = #expect(throws: Problem.self) { try Coordinates(parsing: text) }
      #expect(problem?.description == message)
    }
  }

  @Test("come back as they were written") func roundTrip() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let scale: Double = [1, 1e-3, 1e-7, 1e-12].randomElement(using: &generator) ?? 1
      let latitude = Double.random(in: -90...90, using: &generator) * scale
      let longitude = Double.random(in: -180...180, using: &generator) * scale
      let place = try Coordinates(latitude: latitude, longitude: longitude)
      #expect(try Coordinates(parsing: place.text) == place)
      #expect(try Coordinates(parsing: "geo:\(place.text)") == place)
    }
  }

  @Test("lead to a map, and to the way there") func links() throws {
    let place = try Coordinates(parsing: "47.05,8.3")
    #expect(place.mapURL == "https://www.openstreetmap.org/?mlat=47.05&mlon=8.3#map=15/47.05/8.3")
    #expect(place.directionsURL(from: nil) == "https://www.openstreetmap.org/directions?to=47.05%2C8.3")
    #expect(
      place.directionsURL(from: try Coordinates(parsing: "-1,2"))
        == "https://www.openstreetmap.org/directions?from=-1%2C2&to=47.05%2C8.3")
  }

  @Test("identifiers are UUIDs of version 7, in order of time") func identifiers() {
    let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max) }
    let first = RecordIdentifier.make(milliseconds: 0x0190_1234_5678, random: Array(repeating: 0xFF, count: 10))
    #expect(first == "01901234-5678-7fff-bfff-ffffffffffff")
    #expect(first < RecordIdentifier.make(milliseconds: 0x0190_1234_5679, random: random))
    #expect(RecordIdentifier.isValid(first) && !RecordIdentifier.isValid(first.uppercased()))
    #expect(!RecordIdentifier.isValid("01901234-5678-4fff-bfff-ffffffffffff") && !RecordIdentifier.isValid(""))
  }

  @Test("identifiers made within a millisecond, or while the clock goes back, are in order all the same")
  func identifierOrder() {
    let identifiers = RecordIdentifiers()
    var random = Array(repeating: UInt8.max, count: 10)
    var made: [String] = []
    for time in Array(repeating: 5 as Int64, count: 600) + [4, 4, 6] {
      made.append(identifiers.next(milliseconds: time, random: random))
      random = (0..<10).map { _ in UInt8.random(in: 0 ... .max) }
    }
    #expect(made == made.sorted() && Set(made).count == made.count)
    #expect(made.allSatisfy(RecordIdentifier.isValid))
  }

  @Test("an identifier is above the greatest of the store, whatever the clock says")
  func raisedIdentifiers() {
    var greatest = "ffffffff-0000-7fff-bfff-fffffffffffe", made: Set<String> = []
    for _ in 0..<200 {
      let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max) }
      let next = RecordIdentifier.raised(RecordIdentifier.make(milliseconds: 5, random: random), above: greatest)
      #expect(next > greatest && RecordIdentifier.isValid(next))
      // Two stores that continue from one identifier do not make the same.
      #expect(made.insert(next).inserted)
      if made.count % 2 == 0 { greatest = next }
    }
    let later = RecordIdentifier.make(milliseconds: 6, random: [])
    #expect(RecordIdentifier.raised(later, above: RecordIdentifier.make(milliseconds: 5, random: [])) == later)
    #expect(RecordIdentifier.raised(later, above: "zz") == later && RecordIdentifier.raised(later, above: nil) == later)
  }
}

@Suite("Forms of records") struct RecordFormTests {
  private let form = RecordForm(Catalog.actors, PersonalDataset.actor.form)

  @Test("what is written is read back") func roundTrip() throws {
    var record = Record(Catalog.actors, ["id": .text("x"), "name": .text("A: B"), "favourite": .boolean(true)])
    record["filmography"] = .json(Array(#"["One","Two, \"three\""]"#.utf8))
    record["description"] = .text("first\n\n  indented\nlast")
    record["age"] = .integer(41)
    var again = Record(Catalog.actors, ["id": .text("x"), "name": .text("-"), "favourite": .boolean(false)])
    for assignment in try form.assignments(form.text(of: record, advice: ["advice: none"])) {
      again = try assignment.applied(to: again)
    }
    #expect(again == record)
  }

  @Test("an editor that ends lines with CR LF changes nothing, and loses no CR of a value") func windows() throws {
    var record = Record(Catalog.actors, ["name": .text("A"), "favourite": .boolean(true)])
    record["description"] = .text("first\r\nsecond\n\u{301}third")
    record["phone"] = .text("\u{301}1")
    let form = form.text(of: record, advice: ["an actor\nof two lines"])
    let lines = String(decoding: form, as: UTF8.self)
    #expect(lines.contains("# of two lines\n") && lines.contains("description: first\r\n  second\n  \u{301}third\n"))
    var windows: [UInt8] = []
    for byte in form { windows += byte == 10 ? [13, 10] : [byte] }
    #expect(try self.form.changes(from: form, to: windows) == [])
    let edited = Array(String(decoding: windows, as: UTF8.self).replacing("name: A", with: "name: B").utf8)
    #expect(try self.form.changes(from: form, to: edited) == [Assignment(parsing: "name=B")])
    var again = Record(Catalog.actors, ["name": .text("-"), "favourite": .boolean(false)])
    for assignment in try self.form.assignments(form) { again = try assignment.applied(to: again) }
    #expect(again == record)
  }

  @Test(
    "invalid lines of a form are reported",
    arguments: [
      ("name: A\nnmae: B", "line 2: unknown column “nmae”; did you mean name?"),
      ("name: A\nmore", "line 2: expected “column: value”; indent continuation lines"),
      ("description: a\nname: A\nname: B", "line 3: duplicate column name; indent continuation lines"),
    ])
  func complaints(text: String, message: String) {
    let problem = #expect(throws: Problem.self) { try form.assignments(Array(text.utf8)) }
    #expect(problem?.description == message)
  }
}
