import Domain
import Rows
import Testing

/// Documents that repeat one text: the time to read them grows with their size, not with its square.
@Suite("Floods of documents", .timeLimit(.minutes(1))) struct DocumentFloodTests {
  struct Flood: CustomTestStringConvertible {
    let suffix: String, begin: String, text: String
    init(_ suffix: String, _ begin: String, _ text: String) {
      (self.suffix, self.begin, self.text) = (suffix, begin, text)
    }
    var testDescription: String { "\(suffix): \(begin.debugDescription) \(text.debugDescription)" }
  }

  private static let floods =
    ["\n", "\r\n", " \n", "\t", "BEGIN:VCARD\n", "a\n"].map { Flood("vcf", "", $0) }
    + ["\n ", "=\n", "\nA:B", "\\n", "x"].map { Flood("vcf", "BEGIN:VCARD\nFN:x\nNOTE;ENCODING=QUOTED-PRINTABLE:", $0) }
    + ["BEGIN:VCARD\nFN:x\nEND:VCARD\n"].map { Flood("vcf", "", $0) }
    + ["<wpt lat=\"1\" lon=\"2\"/>", "<a/>", "<!---->", "&amp;", "&#10;", "<wpt>", "<![CDATA[x]]>"].map {
      Flood("gpx", "<gpx>", $0)
    }
    + ["<!---->", " ", "&"].map { Flood("kml", "", $0) } + ["<actor/>"].map { Flood("xml", "<actors>", $0) }
    + ["0,", "[],", "{},", "{\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}},"].map {
      Flood("geojson", "{\"type\":\"FeatureCollection\",\"features\":[", $0)
    }

  @Test("half a megabyte is read or refused in seconds", arguments: floods) func flood(_ flood: Flood) async {
    let text = Array(flood.text.utf8), size = 512 << 10
    var bytes = Array(flood.begin.utf8)
    while bytes.count < size { bytes += text }
    do {
      let document = try PlaceDocumentReader(bytes, suffix: flood.suffix, name: "f")
      #expect(document.records.count <= 100_000)
    } catch {
      #expect(error.kind == .badData)
      #expect(error.message.utf8.count < 200)
    }
  }
}
