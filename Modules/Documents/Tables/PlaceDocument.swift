import Codecs
import Rows

extension DocumentFormat {
  /// GPX waypoints, routes and tracks.
  public static let gpx = DocumentFormat("gpx", ["gpx"], PlaceDocument.self)
  /// KML placemarks.
  public static let kml = DocumentFormat("kml", ["kml"], PlaceDocument.self)
}

/// The waypoints, routes and tracks of GPX, each a table, or the placemarks of KML: one place in memory at a time.
struct PlaceDocument: MixedDocument {
  private let xml: XMLStream
  var pending: (table: String, record: DocumentRecord)?
  var table: String?
  /// The name of the route, track or `Folder` that is open, and the number of the segment in it.
  private var group = "", segment = 0

  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    xml = try XMLStream(source, limit: limit)
  }

  private static let tables = ["wpt": "waypoints", "rtept": "routes", "trkpt": "tracks", "Placemark": "placemarks"]
  /// The columns of places, by their names in the formats.
  private static let columns = [
    "ele": "elevation", "desc": "description", "cmt": "comment", "sym": "symbol", "when": "time",
  ]

  mutating func read() throws(Problem) {
    while true {
      switch try xml.next() {
      case .finished: return
      case .start:
        let element = xml.run(xml.name).text
        switch element {
        case "rte", "trk", "Folder": (group, segment) = ("", 0)
        case "trkseg": segment += 1
        case "name": group = try content()
        case "wpt", "rtept", "trkpt", "Placemark":
          return pending = (Self.tables[element] ?? "", .texts(try place(element)))
        case "extensions", "metadata", "Style", "StyleMap": try xml.skip()
        default: break
        }
      default: break
      }
    }
  }

  /// The texts up to the end of the current element.
  private func content() throws(Problem) -> String {
    let outside = xml.depth - 1
    var text = ""
    while true {
      let event = try xml.next()
      if event == .text { text += try xml.string() }
      if event == .end, xml.depth == outside { return text }
    }
  }

  private func place(_ element: String) throws(Problem) -> [(name: [UInt8], value: [UInt8])] {
    var fields: [(name: [UInt8], value: [UInt8])] = [], open: [(name: String, key: String?)] = []
    var text = "", isLeaf = false, isVerbatim = false
    func add(_ name: String, _ value: some Sequence<UInt8>) {
      // GPX has the longitude 180 as -180 only, and bb adds the other.
      if name == "longitude", let first = fields.firstIndex(where: { $0.name.elementsEqual(name.utf8) }) {
        return fields[first].value = Array(value)
      }
      fields.append((Array(name.utf8), Array(value)))
    }
    if element == "Placemark" {
      if !group.isEmpty { add("folder", group.utf8) }
    } else {
      if let latitude = try xml.value("lat") { add("latitude", latitude.utf8) }
      if let longitude = try xml.value("lon") { add("longitude", longitude.utf8) }
      if element != "wpt" {
        add(element == "rtept" ? "route" : "track", group.utf8)
        if element == "trkpt" { add("segment", String(segment).utf8) }
      }
    }
    while true {
      switch try xml.next() {
      case .finished: return fields
      case .start:
        open.append((xml.run(xml.name).text, try xml.value("name")))
        if let link = try xml.value("href"), open.last?.name == "link" { add("link", link.utf8) }
        (text, isLeaf, isVerbatim) = ("", true, false)
      case .text:
        text += try xml.string()
        isVerbatim = isVerbatim || xml.hasSpaceReference
      case .end:
        guard let (name, key) = open.popLast() else { return fields }
        guard isLeaf else { continue }
        isLeaf = false
        let value = isVerbatim ? Array(text.utf8) : Array(text.utf8).trimmed
        if name == "coordinates", open.last?.name == "Point" {
          let parts = value.split(separator: UInt8(ascii: ","))
          for (column, part) in zip(["longitude", "latitude", "elevation"], parts) { add(column, part) }
        } else if name == "value", let column = open.last?.key {
          add(column, value)
        } else if name == "coordinates" {
          add(open.map(\.name).first { $0 == "LineString" || $0 == "Polygon" } ?? "coordinates", value)
        } else {
          add(key ?? Self.columns[name] ?? name, value)
        }
        guard fields.count <= Schema.mostDocumentColumns else { throw xml.problem("a place has too many values") }
      }
    }
  }
}
