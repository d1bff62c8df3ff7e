public import Codecs
package import Rows

/// A map of the places of a table, as inline SVG: outlines of the land in equirectangular projection, and a marker for
/// each place that links to a map on the web. With a script it can be enlarged.
public struct PlaceMap: Sendable {
  /// A place.
  public struct Place: Sendable {
    fileprivate let coordinates: Coordinates
    fileprivate let name: String
    fileprivate let isPlanned: Bool
    fileprivate let address: PageAddress

    /// Creates a place.
    /// - `isPlanned`: whether it is not visited yet: its marker is a ring.
    /// - `address`: the target of its marker.
    public init(_ coordinates: Coordinates, name: String, isPlanned: Bool = false, address: PageAddress) {
      self.coordinates = coordinates
      self.name = String(name.prefix(80))
      self.isPlanned = isPlanned
      self.address = address
    }
  }
  private let places: [Place]
  private let isWhole: Bool
  /// Whether it tells visited places from planned ones.
  private let hasVisits: Bool

  /// The widest label, in cells.
  private static let widest = 30

  /// Creates a map; nil without places.
  public init?(_ places: [Place]) {
    if places.isEmpty { return nil }
    (self.places, isWhole, hasVisits) = (places, true, true)
  }

  /// Nil if the table has no coordinates, or its head no place.
  package init?(_ schema: Schema, _ head: [RowBatch], isWhole: Bool) {
    guard let columns = try? PlaceColumns(schema, format: "html") else { return nil }
    let visited = ["visited", "visited_on", "visited_at"].compactMap { schema.position(of: $0) }.first
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
        let isPlanned = visited.map { batch[row, $0].isNull || batch[row, $0] == .boolean(false) } ?? false
        places.append(Place(coordinates, name: name, isPlanned: isPlanned, address: address))
      }
    }
    if places.isEmpty { return nil }
    (self.places, self.isWhole, hasVisits) = (places, isWhole, visited != nil)
  }

  /// Appends the map.
  public func write(to page: inout Markup) {
    let view = MapView(of: places.map(\.coordinates)), labels = places.map { ChartText.cut($0.name, Self.widest) }
    let markers = MapMarkers(places.map { view.point($0.coordinates) }, widths: labels.map { ChartText.room([$0]) })
    page.raw("<figure><details open><summary>Map</summary>\n<svg class=\"map\" role=\"group\"")
    page.raw(" aria-label=\"Map of the places\"")
    page.attribute("viewBox", "0 0 \(MapView.width) \(MapView.height)")
    page.tenths("font-size", MapView.textSize.tenths)
    page.attribute("data-view", "\(view.west) \(view.north) \(view.width)")
    page.raw(">\n")
    putArea("<rect class=\"sea\"", &page)
    page.raw("/>\n")
    putArea("<svg class=\"land\" preserveAspectRatio=\"none\" aria-hidden=\"true\" viewBox=\"", &page, view)
    page.raw("><path id=\"land\" d=\"")
    page.raw(PageAsset.land)
    page.raw("\"/><use href=\"#land\" x=\"3600\"/><use href=\"#land\" x=\"-3600\"/></svg>\n")
    view.putLines(&page)
    putArea("<rect class=\"frame\"", &page)
    page.raw("/>\n")
    for (position, place) in places.enumerated() { put(place, position, labels[position], markers, &page) }
    page.raw("<g class=\"clusters\">\n")
    for marker in markers.markers where marker.members.count > 1 { put(marker, &page) }
    page.raw("</g>\n")
    view.putScale(&page)
    page.raw("</svg>\n")
    if hasVisits {
      page.raw("<p><span class=\"pin\"></span>visited <span class=\"pin planned\"></span>planned</p>\n")
    }
    if !isWhole { page.raw("<figcaption>The map shows the places of the first 499 rows.</figcaption>\n") }
    page.raw("</details></figure>\n")
  }

  /// Appends the attributes of an element that covers the world, after those that it begins with.
  private func putArea(_ beginning: StaticString, _ page: inout Markup, _ view: MapView? = nil) {
    page.raw(beginning)
    if let view {
      for (place, value) in [(view.west + 180) * 10, (90 - view.north) * 10, view.width * 10, view.tall * 10]
        .enumerated()
      {
        if place > 0 { page.raw(" ") }
        page.number(tenths: value.tenths)
      }
      page.raw("\"")
    }
    page.tenths("x", MapView.left.tenths)
    page.tenths("y", MapView.top.tenths)
    page.tenths("width", MapView.plotWidth.tenths)
    page.tenths("height", MapView.plotHeight.tenths)
  }

  /// Appends a place; it is hidden if a marker stands for several.
  private func put(
    _ place: Place, _ position: Int, _ words: String, _ markers: MapMarkers, _ page: inout Markup
  ) {
    let marker = markers.markers.first { $0.members == [position] }
    page.raw("<a rel=\"noopener\"")
    page.attribute(.href, place.address)
    page.attribute("data-at", "\(place.coordinates.longitude) \(place.coordinates.latitude)")
    if place.isPlanned { page.raw(" class=\"planned\"") }
    page.raw(marker == nil ? " visibility=\"hidden\">" : ">")
    putCircle(marker ?? markers.markers[0], &page)
    page.title(place.name)
    let label = markers.labels[position]
    page.text(
      words, x: (label?.x ?? 0).tenths, y: (label?.y ?? 0).tenths, label?.anchor ?? .start, isHidden: label == nil)
    page.raw("</a>\n")
  }

  private func putCircle(_ marker: MapMarkers.Marker, _ page: inout Markup) {
    page.mark("circle", nil, ["cx": marker.x.tenths, "cy": marker.y.tenths, "r": marker.radius.tenths])
    page.raw("/>")
  }

  /// Appends a marker of several places.
  private func put(_ marker: MapMarkers.Marker, _ page: inout Markup) {
    let names = marker.members.prefix(10).map { places[$0].name }.joined(separator: ", ")
    let more = marker.members.count > 10 ? " and \(marker.members.count - 10) more" : ""
    page.raw("<g class=\"cluster\">")
    putCircle(marker, &page)
    page.title(names + more)
    page.text(String(marker.members.count), x: marker.x.tenths, y: (marker.y + 4.5).tenths, .middle)
    page.raw("</g>\n")
  }
}
