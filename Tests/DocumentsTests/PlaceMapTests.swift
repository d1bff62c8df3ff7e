import Codecs
import Conformance
import TestSupport
import Testing

@testable import Documents

@Suite("maps") struct PlaceMapTests {
  private typealias Box = (left: Double, top: Double, right: Double, bottom: Double)

  private static func meet(_ a: Box, _ b: Box) -> Bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
  }
  private static func isInside(_ box: Box) -> Bool {
    box.left >= MapView.left && box.top >= MapView.top && box.right <= MapView.left + MapView.plotWidth
      && box.bottom <= MapView.top + MapView.plotHeight
  }

  /// A set of places: all over the world, in one region, at the 180th meridian, at a pole, or equal.
  private static func places(_ number: Int) throws -> [Coordinates] {
    var random = SplitMix64(seed: UInt64(number + 1))
    let count = Int.random(in: 1...40, using: &random)
    let centre = [(0.0, 0.0), (60.0, 10.0), (-17.0, 179.9), (89.0, 40.0), (-90.0, 0.0)][number % 5]
    let spreads = [180, 4, 0.02, 30, 0.0], spread = spreads[Int.random(in: 0..<5, using: &random)]
    return try (0..<count).map { _ in
      let latitude = centre.0 + Double.random(in: -1...1, using: &random) * spread / 2
      var longitude = centre.1 + Double.random(in: -1...1, using: &random) * spread
      if longitude > 180 { longitude -= 360 }
      if longitude < -180 { longitude += 360 }
      return try Coordinates(latitude: min(max(latitude, -90), 90), longitude: longitude)
    }
  }

  @Test("labels cover nothing, and markers are inside, for 200 sets of places") func labels() throws {
    for number in 0..<200 {
      let places = try Self.places(number), view = MapView(of: places)
      #expect(view.width >= 6 && view.width <= 360 && view.tall >= 3, "\(number)")
      let widths = places.indices.map { (($0 * 7) % 30 + 1) * 81 }
      let map = MapMarkers(places.map { view.point($0) }, widths: widths)
      let circles: [Box] = map.markers.map { ($0.x - $0.radius, $0.y - $0.radius, $0.x + $0.radius, $0.y + $0.radius) }
      #expect(circles.allSatisfy(Self.isInside), "\(number): a marker is cut")
      #expect(map.markers.flatMap(\.members).sorted() == Array(places.indices), "\(number): a place is lost")
      for (place, one) in map.markers.enumerated() {
        for other in map.markers[..<place] {
          let distance = ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
          #expect(distance >= one.radius + other.radius - 1e-9, "\(number): markers cover each other")
        }
      }
      var boxes: [Box] = []
      for (name, label) in map.labels {
        let long = Double(widths[name]) / 10
        let start: Double =
          switch label.anchor {
          case .start: label.x
          case .middle: label.x - long / 2
          case .end: label.x - long
          }
        let box: Box = (start, label.y - 10, start + long, label.y + 3)
        #expect(Self.isInside(box), "\(number): a label is cut")
        #expect(!circles.contains { Self.meet($0, box) }, "\(number): a label covers a marker")
        #expect(!boxes.contains { Self.meet($0, box) }, "\(number): labels cover each other")
        boxes.append(box)
      }
    }
  }

  @Test("a map crosses the 180th meridian if that is shorter") func dateLine() throws {
    let places = try [179.5, -179.5, 178].map { try Coordinates(latitude: -17, longitude: $0) }
    let view = MapView(of: places)
    #expect(view.width == 6 && places.allSatisfy { view.point($0).x > MapView.left + 100 })
  }

  @Test("places near each other are one marker with their names") func clusters() throws {
    let places = try ["Oslo", "Bergen", "<Trondheim>", "Kiruna"].enumerated().map { number, name in
      PlaceMap.Place(
        try Coordinates(latitude: 60 + Double(number / 3) * 5, longitude: 10), name: name,
        address: PageAddress(path: ["x"], fragment: name))
    }
    var markup = Markup()
    PlaceMap(places)?.write(to: &markup)
    let text = String(decoding: markup.bytes(), as: UTF8.self)
    #expect(text.contains("<title>Oslo, Bergen, &lt;Trondheim&gt;</title>") && text.contains(">3</text></g>"))
    for name in ["Oslo", "Kiruna"] { #expect(text.contains("<title>\(name)</title>")) }
  }
}
