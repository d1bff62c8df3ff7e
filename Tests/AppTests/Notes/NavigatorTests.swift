import Glibc
import TestSupport
import Testing

/// What another program, gpsbabel, makes of our places.
@Suite("Places in navigators", .enabled(if: Navigator.isInstalled, "skipped: gpsbabel or python3 is not installed"))
struct NavigatorTests {
  /// Compares gpsbabel's GeoJSON with our CSV: prints how many places have the same name, and coordinates within a
  /// millionth of a degree.
  private static let comparison = """
    import csv, json, sys
    ours = [(r["name"], float(r["longitude"]), float(r["latitude"])) for r in csv.DictReader(open("places.csv", newline="", encoding="utf-8"))]
    theirs = [(f["properties"]["name"], *f["geometry"]["coordinates"]) for f in json.load(sys.stdin)["features"]]
    assert len(ours) == len(theirs)
    print(sum(a[0] == b[0] and abs(a[1] - b[1]) < 1e-6 and abs(a[2] - b[2]) < 1e-6 for a, b in zip(ours, theirs)))

    """

  @Test("have their names and their coordinates", arguments: ["gpx", "kml", "geojson"]) func places(format: String) {
    let shell = Shell("BB_STORAGE=csv:n")
    shell.write("compare.py", Self.comparison)
    var file = "name,comment,latitude,longitude,visited_on\n"
    for (name, place) in [
      ("A & <B> \"ç\"", "-47.0512345678,8.3"), ("😀 東京; x", "0.0000001,-180"), ("Nord", "90,179.9999999"),
      ("'C'", "0,0"), ("]]>", "-1e-9,1e-300"),
    ] { file += "\"\(name.replacing("\"", with: "\"\""))\",\"said & <done>\n\",\(place),2024-05\n" }
    var generator = SystemRandomNumberGenerator()
    for number in 1...200 {
      let latitude = Double.random(in: -90...90, using: &generator)
      file += "place \(number),,\(latitude),\(Double.random(in: -180...180, using: &generator)),\n"
    }
    shell.write("given.csv", file)
    let done = shell.run(
      """
      bb-notes import given.csv && bb-notes export places -o places.csv -o p.\(format) &&
      gpsbabel -i \(format) -f p.\(format) -o geojson -F there.geojson && python3 compare.py < there.geojson
      """)
    #expect(done.out == "205\n", "\(done.err)")
    // And what gpsbabel writes is read as it was.
    let back = shell.run(
      "bb-notes import there.geojson --storage json:back && bb-notes export places --storage json:back -f geojson | python3 compare.py"
    )
    #expect(back.out == "205\n", "\(back.err)")
  }
}

/// The programs that the comparison needs.
private enum Navigator {
  static let isInstalled = unsafe system("command -v gpsbabel >/dev/null && command -v python3 >/dev/null") == 0
}
