/// The markers of a map, and their labels. Markers that would cover each other are one; a label is shown where it
/// covers no other label and no marker.
struct MapMarkers {
  /// A marker of one place or of several.
  struct Marker {
    /// The places, by their positions in the list.
    let members: [Int]
    let x: Double, y: Double, radius: Double

    /// A marker where the frame does not cut it.
    fileprivate init(_ members: [Int], x: Double, y: Double) {
      let radius = members.count > 1 ? 11.2 : 7, room = radius + 1, (left, top) = (MapView.left, MapView.top)
      (self.members, self.radius) = (members, radius)
      self.x = min(max(x, left + room), left + MapView.plotWidth - room)
      self.y = min(max(y, top + room), top + MapView.plotHeight - room)
    }
  }

  /// A label: where its text begins, ends or has its middle.
  struct Label {
    let x: Double, y: Double, anchor: Markup.TextAnchor
  }

  private struct Box {
    let left: Double, top: Double, right: Double, bottom: Double

    func meets(_ other: Box) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
    var isInside: Bool {
      left >= MapView.left + 1 && right <= MapView.left + MapView.plotWidth - 1
        && top >= MapView.top + 1 && bottom <= MapView.top + MapView.plotHeight - 1
    }
  }

  private(set) var markers: [Marker] = []
  /// The visible labels, by the position of their place.
  private(set) var labels: [Int: Label] = [:]

  /// The markers of places.
  /// - Parameter widths: the widths of their names, in tenths of a unit.
  init(_ points: [(x: Double, y: Double)], widths: [Int]) {
    for (position, point) in points.enumerated() {
      var new = Marker([position], x: point.x, y: point.y)
      while let place = markers.firstIndex(where: { $0.covers(new) }) {
        let other = markers.remove(at: place)
        let all = Double(other.members.count + new.members.count), share = Double(new.members.count) / all
        new = Marker(
          other.members + new.members, x: other.x + (new.x - other.x) * share, y: other.y + (new.y - other.y) * share)
      }
      markers.append(new)
    }
    place(widths)
  }

  private mutating func place(_ widths: [Int]) {
    let boxes = markers.map {
      Box(left: $0.x - $0.radius, top: $0.y - $0.radius, right: $0.x + $0.radius, bottom: $0.y + $0.radius)
    }
    var taken: [Box] = []
    let singles = markers.indices.filter { markers[$0].members.count == 1 }
    for place in singles.sorted(by: { markers[$0].members[0] < markers[$1].members[0] }) {
      let marker = markers[place], name = marker.members[0], x = marker.x, y = marker.y
      let long = Double(widths[name]) / 10, gap = marker.radius + 4
      let ways: [(Label, Box)] = [
        (
          Label(x: x + gap, y: y + 4.5, anchor: .start),
          Box(left: x + gap, top: y - 8.5, right: x + gap + long, bottom: y + 8.5)
        ),
        (
          Label(x: x - gap, y: y + 4.5, anchor: .end),
          Box(left: x - gap - long, top: y - 8.5, right: x - gap, bottom: y + 8.5)
        ),
        (
          Label(x: x, y: y - gap - 3, anchor: .middle),
          Box(left: x - long / 2, top: y - gap - 16, right: x + long / 2, bottom: y - gap + 1)
        ),
        (
          Label(x: x, y: y + gap + 12, anchor: .middle),
          Box(left: x - long / 2, top: y + gap - 1, right: x + long / 2, bottom: y + gap + 16)
        ),
      ]
      for (label, box) in ways where box.isInside {
        if taken.contains(where: box.meets) || boxes.indices.contains(where: { $0 != place && boxes[$0].meets(box) }) {
          continue
        }
        taken.append(box)
        labels[name] = label
        break
      }
    }
  }
}

extension MapMarkers.Marker {
  /// Whether it or another marker would be covered, so that they are one.
  fileprivate func covers(_ other: MapMarkers.Marker) -> Bool {
    let reach = radius + other.radius, dx = x - other.x, dy = y - other.y
    return dx * dx + dy * dy < reach * reach
  }
}
