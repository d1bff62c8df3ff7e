import Codecs
import Rows
import Testing

@Suite("GeoJSON, read") struct GeoJSONReaderTests {
  private static let point =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2.50,-1]},"properties":{"a":"b"}}"#

  private func features(
    _ text: String, limit: Int = DocumentText.usualLimit, field: Int = 1 << 20
  ) throws(Problem) -> [GeoJSONFeature] {
    var features: [GeoJSONFeature] = []
    let document = DocumentText(Array(text.utf8), name: "x", limit: limit)
    try GeoJSONReader.read(document, maximumField: field) { features.append($0) }
    return features
  }

  @Test(
    "features are found wherever the members are",
    arguments: [
      #"{"type":"FeatureCollection","features":[POINT]}"#,
      #"{"features":[POINT],"more":[[{}]],"type":"FeatureCollection"}"#,
      " \u{FEFF}".dropFirst() + #"{"bbox":[1],"features" : [ POINT ] ,"type":"FeatureCollection"} "#, "POINT",
    ])
  func found(_ text: String) throws {
    let found = try features(text.replacing("POINT", with: Self.point))
    #expect(found.count == 1 && found[0].isPoint && found[0].longitude == "2.50" && found[0].latitude == "-1")
    #expect(found.first?.texts.first?.name == "a" && found.first?.texts.first?.text == "b")
  }

  @Test(
    "shapes and identifiers",
    arguments: [
      (#"{"type":"Feature","geometry":null,"id":"n/1"}"#, false, nil, "n/1"),
      (#"{"type":"Feature","id":7,"geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}}"#, false, nil, "7"),
      (
        #"{"type":"Feature","geometry":{"coordinates":["1",2,[3]],"type":"Point"},"properties":{"id":8}}"#, true, nil,
        "8"
      ),
      (
        #"{"type":"Feature","geometry":{"coordinates":[1,2,3,4],"type":"Point"},"id":"","properties":null}"#, true, "1",
        nil
      ),
    ] as [(String, Bool, String?, String?)])
  func shapes(_ text: String, _ isPoint: Bool, _ longitude: String?, _ id: String?) throws {
    let found = try features(#"{"type":"FeatureCollection","features":[1,[{}],"# + text + "]}")
    #expect(found.count == 3 && !found[0].isPoint && !found[1].isPoint)
    #expect(found[2].isPoint == isPoint && found[2].longitude == longitude && found[2].id == id)
  }

  @Test(
    "what is not GeoJSON is refused with its place",
    arguments: [
      ("", "x:1:1: the document is empty"), ("[]", "x:1:1: expected an object"),
      ("{}", "x: not a GeoJSON FeatureCollection"), (#"{"type":"FeatureCollection"}"#, "x: not a GeoJSON"),
      ("{\"features\":[\n {\"a\":1,\"a\":2}]}", "x:2:9: duplicate key"),
      (#"{"type":"Feature"} x"#, "x:1:20: unexpected text"),
      (#"{"features":[1}"#, "x:1:15: expected a comma"), ("{\"features\":[\u{FF}]", "x:1:14: "),
      (
        #"{"type":"FeatureCollection","features":["# + String(repeating: "[", count: 200),
        "x:1:167: nested more than 128"
      ),
    ])
  func refused(_ text: String, _ message: String) {
    let problem = #expect(throws: Problem.self) { _ = try features(text) }
    #expect(
      problem?.kind == .badData && problem?.description.hasPrefix(message) == true, "\(String(describing: problem))")
  }

  @Test("values and documents have limits") func limits() throws {
    let long = String(repeating: "v", count: 3 << 20)
    let text = #"{"type":"FeatureCollection","features":[{"properties":{"long":"VALUE"},"geometry":null}]}"#
      .replacing("VALUE", with: long)
    #expect(try features(text, field: 4 << 20).count == 1)
    let value = #expect(throws: Problem.self) { _ = try features(text) }
    #expect(value?.description == "x:1:63: the value of “long” is larger than 1 MiB; raise the limit with --max-field")
    for cut in [1 << 20, 2 << 20] {
      let whole = #expect(throws: Problem.self) { _ = try features(text, limit: cut, field: 4 << 20) }
      #expect(whole?.description.hasPrefix("x:1:\(cut + 1): the document is larger than \(cut >> 20) MiB") == true)
    }
    let spaces = #expect(throws: Problem.self) {
      _ = try features(Self.point + String(repeating: " ", count: 2 << 20), limit: 1 << 20)
    }
    #expect(spaces?.message == "the document is larger than 1 MiB")
    // A mistake before the limit is reported, however large the document is.
    let early = #expect(throws: Problem.self) { _ = try features("{]" + long, limit: 1 << 20) }
    #expect(early?.place == "x:1:2")
  }
}
