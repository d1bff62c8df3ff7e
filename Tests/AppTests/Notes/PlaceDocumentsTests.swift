import TestSupport
import Testing

/// Places in GPX, KML and GeoJSON, as other programs read and write them.
@Suite("Documents of places") struct PlaceDocumentsTests {
  @Test("names and comments keep their white space", arguments: ["gpx", "kml", "geojson"]) func whiteSpace(
    _ format: String
  ) {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    shell.write(
      "given.csv",
      "name,comment,latitude,longitude\n\"  two  spaces \",\"\n line one\n\ttwo\n\n\",1.0,2.0\nplain,\"\t\",1.5,2.5\n")
    let done = shell.run(
      """
      bb-notes import given.csv -q && bb-notes export places -o p.\(format) && bb-notes import p.\(format) --storage csv:back -q &&
      bb-notes places list -f csv --columns name,comment,created_at > a && bb-notes places list -f csv --columns name,comment,created_at --storage csv:back > b; cat a; cmp a b
      """)
    #expect(done.status == 0 && done.out.contains("\n  two  spaces ,"), "\(done)")
  }

  @Test("indentation by other programs is not part of a name") func indentation() {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write(
      "p.gpx",
      "<gpx><wpt lat='1' lon='2'>\n  <time>2020-01-02T03:04:05Z</time>\n  <name>\n    A B\n  </name>\n  <desc> c </desc></wpt></gpx>"
    )
    let done = shell.run("bb-notes import p.gpx -q; bb-notes places list -f csv --columns name,comment,created_at")
    #expect(done.out == "name,comment,created_at\nA B, c ,2020-01-02T03:04:05Z\n", "\(done)")
  }

  @Test("GPX has an element per column, a time, and longitudes below 180") func gpx() {
    let shell = Shell()
    shell.write(
      "t.csv",
      "name,lat,lon,a b,A_B,time\nx,1,180,<1>,2,2020-01-02T03:04:05Z\ny,1,180.00,,3,\nz,1,-180,,,\nw,1,179.9999,,,\n")
    let done = shell.run("bb-export --from t.csv --types time=timestamp -f gpx")
    for part in [
      #"lat="1" lon="-180"><time>2020-01-02T03:04:05Z</time><name>x</name>"#, #"lon="-180.00"><name>y"#,
      #"lon="179.9999"><name>w</name></wpt>"#,
      #"<extensions><bb:a_b name="a b">&lt;1&gt;</bb:a_b><bb:A_B_2 name="A_B">2</bb:A_B_2><bb:longitude>180</bb:longitude></extensions>"#,
    ] { #expect(done.out.contains(part), "\(done.out)") }
  }

  @Test("documents of earlier versions are read") func earlier() {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write(
      "p.gpx",
      "<gpx xmlns:bb='urn:bb'><wpt lat='1' lon='2'><name>A</name><extensions><bb:value name='visited_on'>2024-05</bb:value></extensions></wpt></gpx>"
    )
    #expect(shell.run("bb-notes import p.gpx -q; bb-notes places list --plain").out == "A\t1.0\t2.0\t2024-05\t\n")
  }

  @Test(
    "GDAL reads every value of GPX", .enabled(if: Shell.hasProgram("ogr2ogr"), "ogr2ogr is not installed (gdal-bin)"))
  func gdal() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    let done = shell.run(
      """
      bb-notes places add 'A & <B>' --at 1,180 --visited 2024-05 --comment 'c d' && bb-notes export places -o p.gpx -q &&
      ogr2ogr -f CSV /vsistdout/ p.gpx waypoints -oo GPX_USE_EXTENSIONS=YES -sql 'SELECT name, \"desc\", time, bb_visited_on, bb_updated_at FROM waypoints' -dialect OGRSQL
      """)
    #expect(
      done.out
        == "name,desc,time,bb_visited_on,bb_updated_at\nA & <B>,c d,2023/11/14 22:13:20+00,2024-05,2023-11-14T22:13:20Z\n",
      "\(done)")
  }

  @Test("GeoJSON keeps the ids that other programs gave") func identifiers() {
    let shell = Shell("BB_STORAGE=csv:n")
    func feature(_ id: String, _ properties: String) -> String {
      "{\"type\":\"Feature\",\(id)\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},\"properties\":{\(properties)}}"
    }
    let features = [
      feature("\"id\":\"node/17\",", "\"name\":\"a\""), feature("\"id\":18,", "\"name\":\"b\""),
      feature("", "\"name\":\"c\",\"id\":\"x-1\""), feature("", "\"name\":\"d\""),
    ]
    shell.write("p.geojson", "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}")
    let done = shell.run(
      "bb-notes import p.geojson -q; bb-notes import p.geojson; bb-notes places list -f csv --columns id,name --where 'name != d' --sort name"
    )
    #expect(done.out == "id,name\nnode/17,a\n18,b\nx-1,c\n", "\(done)")
    #expect(done.err == "places: 4 unchanged\n", "\(done.err)")
    #expect(shell.run("bb-notes places show node/17 --plain").out == "a\t1.0\t2.0\t\t\n")
  }
}

@Suite("what documents of other programs say beyond bb's columns") struct ForeignMemberTests {
  private static let feature = """
    {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[8,47,430]},"properties":{"name":"Z","title":"z","id":"x",\
    "colour":"red","size":3,"tags":["a"],"none":null}}
    """

  private static let given: [(name: String, text: String, extra: String)] = [
    (
      "p.gpx",
      """
      <gpx xmlns='http://www.topografix.com/GPX/1/1'><wpt lat='1' lon='2'><ele>400.50</ele><name>A</name><cmt> c</cmt>\
      <desc>d</desc><link href='u?a&amp;b'><text>t &lt; u&#10;</text></link><link href='v'/><sym>Flag</sym>\
      <extensions><g:x xmlns:g='g' k='1'><g:y>1</g:y><g:y/></g:x></extensions></wpt>
      <rte><rtept lat='3' lon='4'><ele>5</ele><name>B</name><cmt>kept</cmt><time>yesterday</time></rtept></rte></gpx>
      """,
      #"""
      {"cmt":" c","elevation":400.50,"extensions":{"x":{"@xmlns":"g","@k":"1","y":["1",""]}},"link":[{"@href":"u?a&b","text":"t < u\n"},{"@href":"v"}],"sym":"Flag"}
      {"elevation":5,"time":"yesterday"}
      """#
    ),
    (
      "p.geojson", feature,
      #"{"elevation":430,"properties":{"title":"z","colour":"red","size":3,"tags":["a"],"none":null}}"#
    ),
    (
      "p.kml",
      """
      <kml xmlns='k' xmlns:a='atom'><Placemark><name>A</name><a:link href='u'/><address>Main St</address>\
      <description>d</description><TimeStamp><when>2020</when></TimeStamp><styleUrl>#s</styleUrl>\
      <ExtendedData><Data name='height'><value>3</value></Data><SchemaData><SimpleData name='s'>4</SimpleData></SchemaData>\
      </ExtendedData><Point><altitudeMode>absolute</altitudeMode><coordinates>180,47,430</coordinates></Point></Placemark></kml>
      """,
      ##"{"ExtendedData":{"height":"3","s":"4"},"Point":{"altitudeMode":"absolute"},"TimeStamp":{"when":"2020"},"address":"Main St","elevation":430,"link":{"@xmlns":"atom","@href":"u"},"styleUrl":"#s"}"##
    ),
    (
      "a.vcf",
      """
      BEGIN:VCARD
      VERSION:3.0
      FN:Ann Bee
      N:Bee;Ann;;Dr.;
      UID:ann-1
      TEL:1
      TEL;TYPE=HOME:2
      TEL;TYPE=HOME:3
      EMAIL:a@b.c
      EMAIL:d@e.f
      EMAIL:a@b.c
      CATEGORIES:a,b\\,c
      ADR;TYPE="a:b":;;Street 1\\, left;Town
      BDAY:--0203
      END:VCARD
      """,
      #"{"ADR;TYPE=\"A:B\"":";;Street 1\\, left;Town","BDAY":"--0203","CATEGORIES":"b\\,c","EMAIL":"d@e.f","N":"Bee;Ann;;Dr.;","TEL;TYPE=HOME":["2","3"]}"#
    ),
  ]

  @Test("it is kept in every store, and written back", arguments: given, ["csv:n", "json:n", "sqlite:n.db"])
  func kept(_ document: (name: String, text: String, extra: String), _ store: String) {
    let shell = Shell("BB_STORAGE=\(store) BB_NOW=1700000000")
    let suffix = document.name.dropFirst(2), kind = suffix == "vcf" ? "actors" : "places"
    shell.write(document.name, document.text)
    // The table is there without the column.
    let done = shell.run(
      """
      bb-notes \(kind) add old --at 1,2 -q 2>e || bb-notes actors add old --partial -q
      bb-notes import \(document.name) && bb-notes import \(document.name)
      bb-notes \(kind) list --columns extra --where 'extra is not null' --sort name -f ndjson
      bb-notes export \(kind) -o one.\(suffix) -q && export BB_STORAGE=json:other && bb-notes import one.\(suffix) -q
      bb-notes export \(kind) -o two.\(suffix) -q && cmp one.\(suffix) two.\(suffix)
      """)
    let lines = document.extra.split(separator: "\n").map { "{\"extra\":\($0)}\n" }.joined()
    #expect(done.status == 0 && done.out == lines, "\(done)")
    #expect(!done.err.contains("omitted") && done.err.contains("unchanged"), "\(done)")
  }

  @Test("other formats carry it along", arguments: ["gpx", "kml", "geojson", "csv", "json"])
  func carried(_ format: String) {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    for document in Self.given.dropLast() { shell.write(document.name, document.text) }
    let done = shell.run(
      """
      for f in p.gpx p.kml p.geojson; do bb-notes import $f -q; done
      bb-notes export places -o all.\(format) -q; bb-notes import all.\(format) -q --storage csv:m
      for s in n m; do
        bb-notes places list --storage csv:$s --columns name,extra --sort name -f ndjson >$s.txt
      done
      cat m.txt; diff n.txt m.txt
      """)
    #expect(done.status == 0 && done.out.contains(#""sym":"Flag""#), "\(done)")
  }

  @Test("names that are not of elements stay JSON") func names() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    let extra = #"{"sym":{"a><b":"1"},"extensions":{"x":[["1"]]},"link":null,"type":"<&"}"#
    shell.write("p.json", #"[{"name":"A","latitude":1,"longitude":2,"extra":\#(extra)}]"#)
    let done = shell.run(
      """
      bb-notes import p.json -q; bb-notes export places -o p.gpx; bb-notes import p.gpx -q --storage csv:m
      bb-notes places list --storage csv:m --columns extra -f ndjson; grep -c '<sym>\\|a><b' p.gpx
      """)
    let sorted = #"{"extra":{"extensions":{"x":[["1"]]},"link":null,"sym":{"a><b":"1"},"type":"<&"}}"#
    #expect(done.out == sorted + "\n0\n", "\(done)")
  }

  @Test("a time of another program's GPX is the visit") func visit() {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write("p.gpx", "<gpx><wpt lat='1' lon='2'><time>2020-01-02T03:04:05Z</time><name>A</name></wpt></gpx>")
    let done = shell.run(
      """
      bb-notes import p.gpx -q; bb-notes places add planned --at 1,180 -q; bb-notes export places -o q.gpx -q
      grep -o 'lon="-180.0"' q.gpx; bb-notes import q.gpx -q --storage csv:m
      bb-notes places list --storage csv:m -f csv --columns name,longitude,visited_on
      """)
    #expect(done.out == "lon=\"-180.0\"\nname,longitude,visited_on\nA,2.0,2020-01-02\nplanned,180.0,\n", "\(done)")
  }

  @Test("what has no place is counted") func omitted() {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write("p.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='1'/></trkseg></trk></gpx>")
    shell.write(
      "p.kml",
      "<kml><Placemark><MultiGeometry><Point><coordinates>1,2,0</coordinates></Point><LineString/></MultiGeometry></Placemark></kml>"
    )
    shell.write("p.geojson", #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}"#)
    for (name, members) in [
      ("p.gpx", "1 unnamed track points"), ("p.kml", "1 LineString"), ("p.geojson", "1 shapes other than points"),
    ] {
      let done = shell.run("bb-notes import \(name) --summary json")
      #expect(done.err.contains("bb-notes: warning: \(name): omitted: \(members)\n") && done.status == 0, "\(done)")
      let count = "\"omitted\":{\"\(members.dropFirst(2))\":1}}\n"
      #expect(done.err.hasSuffix(count), "\(done)")
    }
  }

  @Test("members of the document and of its groups are counted by name") func groups() {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write(
      "p.gpx",
      """
      <gpx><metadata><name>Trip</name><author><name>Me</name></author></metadata><wpt lat='1' lon='2'><name>A</name></wpt>
      <rte><name>R</name><number>1</number></rte><trk><name>T</name><name>U</name><trkseg/></trk></gpx>
      """)
    shell.write(
      "p.kml",
      "<kml><Document><name>D</name><Style id='s'><IconStyle><scale>1</scale></IconStyle></Style>"
        + "<Folder><name>F</name>"  // prose-lint: ignore
        + "<Placemark id='7'><Point><coordinates>1,2</coordinates></Point></Placemark>"
        + "</Folder></Document></kml>")  // prose-lint: ignore
    shell.write("p.xml", "<actors><title>L</title><actor><name>Al</name></actor></actors>")
    let feature = #"{"type":"Feature","bbox":[0],"geometry":{"type":"Point","coordinates":[5,6,3,4],"m":1}}"#
    shell.write("p.geojson", #"{"name":"L","features":[\#(feature)],"type":"FeatureCollection","crs":{}}"#)
    shell.write(
      "p.vcf",
      "BEGIN:VCARD\nVERSION:4.0\nPRODID:x\nKIND:individual\nFN:A\nFN:B\nUID:1\nUID:2\nREV:x\nSOURCE:s\nEND:VCARD\n")
    for (name, members) in [
      (
        "p.gpx",
        #""author of metadata":1,"name of metadata":1,"name of rte":1,"name of trk":2,"number of rte":1"#
      ),
      ("p.kml", #""@id":1,"Style of Document":1,"name of Document":1,"name of Folder":1"#),  // prose-lint: ignore
      ("p.xml", #""title of actors":1"#), ("p.vcf", #""PRODID":1,"REV":1"#),
      (
        "p.geojson",
        #""bbox of feature":1,"coordinates after the altitude":1,"crs of the collection":1,"m of geometry":1,"#
          + #""name of the collection":1"#
      ),
    ] {
      let done = shell.run("bb-notes import \(name) --summary json")
      #expect(done.err.hasSuffix(#","omitted":{\#(members)}}"# + "\n") && done.status == 0, "\(done)")
    }
    let kept = shell.run("bb-notes actors list -f csv --columns id,extra --where 'name = A'")
    #expect(kept.out == "id,extra\n" + #"1,"{""FN"":""B"",""SOURCE"":""s"",""UID"":""2""}""# + "\n", "\(kept)")
    // A document that breaks off after its features is refused.
    shell.write("cut.geojson", #"{"type":"FeatureCollection","features":[]"#)
    #expect(shell.run("bb-notes import cut.geojson; bb-export cut.geojson").status == 65)
  }
}
