import Codecs

/// The part of the world that a map shows at first, in a drawing of 1000 by 524 units.
struct MapView {
  /// The area of the drawing within which the world is, in units: twice as wide as high.
  static let left = 58.0, top = 8.0, plotWidth = 934.0, plotHeight = 467.0
  /// The size of the drawing, and that of its text.
  static let width = 1000, height = 519, textSize = 13.0

  /// The longitude of the left edge, the latitude of the upper one, and the degrees between the left and the right one.
  let west: Double, north: Double, width: Double

  /// The least extent, in degrees, and the margin at each side, as a part of the extent of the places.
  private static let least = 6.0, margin = 0.12

  /// The view of some places: the shortest arc with all of them, which may cross the 180th meridian.
  init(of places: [Coordinates]) {
    let longitudes = places.map(\.longitude).sorted(), latitudes = places.map(\.latitude)
    var start = longitudes.first ?? -180, arc = (longitudes.last ?? 180) - start
    for (one, next) in zip(longitudes, longitudes.dropFirst()) where 360 - (next - one) < arc {
      (start, arc) = (next, 360 - (next - one))
    }
    let south = latitudes.min() ?? -90, high = (latitudes.max() ?? 90) - south
    let whole = 1 + 2 * Self.margin
    width = min(max(arc * whole, high * whole * 2, Self.least), 360)
    west = start + arc / 2 - width / 2
    // Beyond a pole there is no more than room for a marker.
    let tall = width / 2, room = tall * 0.05
    north = min(max(south + high / 2 + tall / 2, tall - 90 - room), 90 + room)
  }

  /// The degrees between the upper and the lower edge.
  var tall: Double { width / 2 }

  /// The place of coordinates in the drawing.
  func point(_ place: Coordinates) -> (x: Double, y: Double) {
    var east = (place.longitude - west).truncatingRemainder(dividingBy: 360)
    if east < 0 { east += 360 }
    return (Self.left + east * scale, Self.top + (north - place.latitude) * scale)
  }
  private var scale: Double { Self.plotWidth / width }

  // MARK: - Lines

  private static let steps: [(step: Double, digits: Int)] = [
    (60, 0), (30, 0), (20, 0), (10, 0), (5, 0), (2, 0), (1, 0), (0.5, 1),
  ]

  /// The multiples of the widest step of which at least three are in a range.
  private static func values(from low: Double, to high: Double) -> (values: [Double], digits: Int) {
    for (step, digits) in steps {
      let range =
        Int((low / step).rounded(.up))...max(Int((high / step).rounded(.down)), Int((low / step).rounded(.up)))
      let values = range.map { Double($0) * step }.filter { $0 <= high }
      if values.count >= 3 { return (values, digits) }
    }
    return ([], 0)
  }

  private static func degrees(_ value: Double, _ digits: Int, _ positive: String, _ negative: String) -> String {
    let tenths = Int((abs(value) * 10).rounded())
    let text = digits == 0 ? "\(tenths / 10)°" : "\(tenths / 10).\(tenths % 10)°"
    if tenths == 0 || positive == "E" && tenths == 1800 { return text }
    return "\(text) \(value > 0 ? positive : negative)"
  }

  /// Appends lines of equal longitudes and latitudes with their labels, below and to the left of the world.
  func putLines(_ page: inout Markup) {
    page.raw("<g class=\"lines\" aria-hidden=\"true\">\n")
    let bottom = Self.top + Self.plotHeight, right = Self.left + Self.plotWidth
    let (meridians, digits) = Self.values(from: west, to: west + width)
    for value in meridians {
      let x = Self.left + (value - west) * scale
      page.mark("line", nil, ["x1": x.tenths, "y1": Self.top.tenths, "x2": x.tenths, "y2": bottom.tenths])
      page.raw("/>\n")
      var longitude = value.truncatingRemainder(dividingBy: 360)
      if longitude > 180 { longitude -= 360 } else if longitude <= -180 { longitude += 360 }
      let text = Self.degrees(longitude, digits, "E", "W")
      if x >= 26, x <= 974 { page.text(text, x: x.tenths, y: (bottom + 15).tenths, .middle) }
    }
    let (parallels, more) = Self.values(from: max(north - tall, -90), to: min(north, 90))
    for value in parallels {
      let y = Self.top + (north - value) * scale
      page.mark("line", nil, ["x1": Self.left.tenths, "y1": y.tenths, "x2": right.tenths, "y2": y.tenths])
      page.raw("/>\n")
      page.text(Self.degrees(value, more, "N", "S"), x: (Self.left - 5).tenths, y: (y + 4).tenths, .end)
    }
    page.raw("</g>\n")
  }

  /// The cosine of an angle between -π/2 and π/2, to six digits.
  private static func cosine(_ angle: Double) -> Double {
    let square = angle * angle
    return [90.0, 56, 30, 12, 2].reduce(1) { 1 - square / $1 * $0 }
  }

  /// Appends a bar with its length at the latitude of the centre.
  func putScale(_ page: inout Markup) {
    let kilometres = 111.195 * max(Self.cosine((north - tall / 2) * .pi / 180), 0.001) / scale * 160
    var power = 1.0
    while power * 10 <= kilometres { power *= 10 }
    while power > kilometres { power /= 10 }
    let long = ([5, 2].first { $0 * power <= kilometres } ?? 1) * power
    let bar = long / kilometres * 160, y = Self.top + Self.plotHeight + 33
    page.raw("<g class=\"scale\"><path d=\"M")
    page.number(tenths: Self.left.tenths)
    page.raw(" ")
    page.number(tenths: (y - 5).tenths)
    page.raw("v5h")
    page.number(tenths: bar.tenths)
    page.raw("v-5\"/>")
    let length = long < 1 ? "\(Int((long * 1000).rounded())) m" : "\(Markup.grouped(Int(long.rounded()))) km"
    page.text(length, x: (Self.left + bar + 6).tenths, y: y.tenths, .start)
    page.raw("</g>\n")
  }
}

extension Double {
  /// As a number of tenths.
  var tenths: Int { Int((self * 10).rounded()) }
}

extension Markup {
  /// Appends a text of a map.
  mutating func text(_ words: String, x: Int, y: Int, _ anchor: TextAnchor, isHidden: Bool = false) {
    raw(isHidden ? "<text visibility=\"hidden\" text-anchor=\"" : "<text text-anchor=\"")
    switch anchor {
    case .start: raw("start\"")
    case .middle: raw("middle\"")
    case .end: raw("end\"")
    }
    tenths("x", x)
    tenths("y", y)
    raw(" aria-hidden=\"true\">")
    text(words)
    raw("</text>")
  }
}
