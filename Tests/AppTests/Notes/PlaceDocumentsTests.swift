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
      #"<extensions><bb:a_b name="a b">&lt;1&gt;</bb:a_b><bb:A_B_2 name="A_B">2</bb:A_B_2></extensions>"#,
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

@Suite("members that imports omit") struct OmittedMemberTests {
  private static let feature = """
    {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[8,47,430]},"properties":{"name":"Z","title":"z","id":"x",\
    "colour":"red","size":3,"tags":["a"],"none":null}}
    """

  @Test(
    "each is named, with its count",
    arguments: [
      (
        "p.gpx",
        """
        <gpx><wpt lat='1' lon='2'><ele>400</ele><name>A</name><cmt>c</cmt><desc>d</desc><sym>Flag</sym>\
        <link href='u'/><extensions><g:x xmlns:g='g'><g:y>1</g:y></g:x></extensions></wpt>
        <wpt lat='3' lon='4'><ele>5</ele><name>B</name><cmt>kept</cmt><time>yesterday</time></wpt><trk><trkseg>\
        <trkpt lat='1' lon='1'/></trkseg></trk></gpx>
        """, "1 cmt, 2 ele, 1 link, 1 sym, 1 time, 1 unnamed track points, 1 x"
      ),
      ("p.geojson", feature, "1 altitude, 1 colour, 1 size, 1 tags, 1 title"),
      (
        "q.geojson", #"{"type":"FeatureCollection","features":[\#(feature),{"type":"Feature","geometry":null}]}"#,
        "1 altitude, 1 colour, 1 shapes other than points, 1 size, 1 tags, 1 title"
      ),
      (
        "p.kml",
        """
        <kml><Placemark><name>A</name><styleUrl>#s</styleUrl><ExtendedData><Data name='height'><value>3</value></Data>\
        </ExtendedData><Point><coordinates>8,47,430</coordinates></Point></Placemark>
        <Placemark><MultiGeometry><Point><coordinates>1,2,0</coordinates></Point><LineString/></MultiGeometry></Placemark>\
        </kml>
        """, "1 LineString, 1 altitude, 1 height, 1 styleUrl"
      ),
      (
        "a.vcf",
        "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL:1\nTEL:2\nEMAIL:a@b.c\nEMAIL:d@e.f\nEMAIL:a@b.c\nCATEGORIES:a,b\nEND:VCARD\n",
        "1 CATEGORIES, 1 EMAIL, 1 TEL"
      ),
      (
        "a.xml", "<actors><actor><name>A</name><shoe>42</shoe><email>a@b</email><email>b@c</email></actor></actors>",
        "1 email, 1 shoe"
      ),
    ])
  func omitted(_ name: String, _ text: String, _ members: String) {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write(name, text)
    let done = shell.run("bb-notes import \(name) --summary json")
    #expect(done.err.contains("bb-notes: warning: \(name): omitted: \(members)\n") && done.status == 0, "\(done)")
    let counts = members.split(separator: ", ").map { member in
      let words = member.split(separator: " ", maxSplits: 1)
      return "\"\(words[1])\":\(words[0])"
    }
    #expect(done.err.hasSuffix("\"omitted\":{\(counts.joined(separator: ","))}}\n"), "\(done)")
  }
}
