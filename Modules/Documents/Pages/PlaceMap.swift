public import Codecs
package import Rows

/// A map of the places of a table, as inline SVG: outlines of the land in equirectangular projection, ten units per
/// degree, and a marker for each place that links to a map on the web.
public struct PlaceMap: Sendable {
  /// A place.
  public struct Place: Sendable {
    fileprivate let x: Int
    fileprivate let y: Int
    fileprivate let name: String
    fileprivate let isPlanned: Bool
    fileprivate let address: PageAddress

    /// Creates a place.
    /// - `isPlanned`: whether it is not visited yet: its marker is a ring.
    /// - `address`: the target of its marker.
    public init(_ coordinates: Coordinates, name: String, isPlanned: Bool = false, address: PageAddress) {
      x = Int(((coordinates.longitude + 180) * 100).rounded())
      y = Int(((90 - coordinates.latitude) * 100).rounded())
      self.name = String(name.prefix(80))
      self.isPlanned = isPlanned
      self.address = address
    }
  }
  private let places: [Place]
  private let isWhole: Bool

  /// Creates a map; nil without places.
  public init?(_ places: [Place]) {
    if places.isEmpty { return nil }
    self.places = places
    isWhole = true
  }

  /// Nil if the table has no coordinates, or its head no place.
  package init?(_ schema: Schema, _ head: [RowBatch], isWhole: Bool) {
    guard let columns = try? PlaceColumns(schema, format: "html") else { return nil }
    var places: [Place] = []
    for batch in head {
      for row in 0..<batch.count {
        guard let coordinates = columns.coordinates(batch, row, schema),
          let address = PageAddress(web: Array(coordinates.mapURL.utf8))
        else { continue }
        var name = ""
        if let column = columns.name, case .text(let start, let length) = batch[row, column] {
          name = String(decoding: batch.bytes(start, min(length, 320)), as: UTF8.self)
        }
        places.append(Place(coordinates, name: name, address: address))
      }
    }
    if places.isEmpty { return nil }
    self.places = places
    self.isWhole = isWhole
  }

  /// The part of the world that shows all places, in tenths of a unit: at least 20 degrees wide.
  private var view: (x: Int, y: Int, width: Int, height: Int) {
    let xs = places.map(\.x), ys = places.map(\.y)
    let low = (xs.min() ?? 0, ys.min() ?? 0), high = (xs.max() ?? 36000, ys.max() ?? 18000)
    var width = max((high.0 - low.0) * 5 / 4, 3000), height = max((high.1 - low.1) * 5 / 4, 1500)
    // Wide pages show wide maps.
    width = min(max(width, height * 2), 36000)
    height = min(max(height, width / 3), 18000)
    let x = min(max((low.0 + high.0 - width) / 2, 0), 36000 - width)
    let y = min(max((low.1 + high.1 - height) / 2, 0), 18000 - height)
    return (x, y, width, height)
  }

  /// Appends the map.
  public func write(to page: inout Markup) {
    let view = view, unit = max(view.width / 100, 1)
    page.raw(
      "<figure><details open><summary>Map</summary>\n<svg role=\"group\" aria-label=\"Map of the places\" viewBox=\"")
    for (index, value) in [view.x, view.y, view.width, view.height].enumerated() {
      if index > 0 { page.raw(" ") }
      page.number(tenths: value)
    }
    page.raw("\"><path d=\"")
    page.raw(PageAssets.land)
    page.raw("\"/>\n")
    for place in places {
      page.raw("<a rel=\"noopener\"")
      page.attribute(.href, place.address)
      page.raw(place.isPlanned ? "><circle class=\"planned\" cx=\"" : "><circle cx=\"")
      page.number(tenths: place.x)
      page.raw("\" cy=\"")
      page.number(tenths: place.y)
      page.raw("\" r=\"")
      page.number(tenths: unit)
      page.raw("\"/><title>")
      page.text(place.name)
      page.raw("</title>")
      if places.count <= 20 {
        // At the right edge the name is on the left of its marker.
        let isAtEdge = place.x > view.x + view.width * 4 / 5
        page.raw(isAtEdge ? "<text aria-hidden=\"true\" text-anchor=\"end\" x=\"" : "<text aria-hidden=\"true\" x=\"")
        page.number(tenths: place.x + unit * (isAtEdge ? -3 : 3) / 2)
        page.raw("\" y=\"")
        page.number(tenths: place.y + unit / 2)
        page.raw("\" font-size=\"")
        page.number(tenths: unit * 5 / 2)
        page.raw("\">")
        page.text(place.name)
        page.raw("</text>")
      }
      page.raw("</a>\n")
    }
    page.raw("</svg>\n")
    if !isWhole { page.raw("<figcaption>The map shows the places of the first 500 rows.</figcaption>\n") }
    page.raw("</details></figure>\n")
  }
}
