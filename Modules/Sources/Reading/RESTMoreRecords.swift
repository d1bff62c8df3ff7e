import Codecs
import Domain
import Rows

/// Signs in the last response of a list that the API has more records than were read.
///
/// A list that ends too early looks like a complete one, and would delete records of a store.
struct RESTMoreRecords {
  /// The pointers that the description's own paging reads, and that of the records, which do not count.
  var known: [[String]]
  /// The number of records read.
  var received: Int

  /// Objects within objects that are searched.
  private static let deepest = 5

  /// Why the list is incomplete; nil if nothing suggests it.
  /// - Parameter links: the values of the header fields `Link`; nil if the paging follows them.
  func sign(in document: JSON, links: [String]?) -> String? {
    if let links, links.flatMap(RESTLink.list).contains(where: { $0.relations.contains("next") }) {
      return "the header Link names a next page"
    }
    return sign(in: document, at: [])
  }

  private func sign(in value: JSON, at steps: [String]) -> String? {
    guard steps.count < Self.deepest, let members = value.objectMembers else { return nil }
    for member in members {
      let place = steps + [member.name]
      guard !known.contains(place) else { continue }
      if let sign = Self.sign(member.name, member.value, received) {
        return "\(JSONPointer(steps: place)) is \(sign)"
      }
    }
    for member in members where !known.contains(steps + [member.name]) {
      if let sign = sign(in: member.value, at: steps + [member.name]) { return sign }
    }
    return nil
  }

  /// The value of a member that announces more records, as text; nil for other members.
  private static func sign(_ name: String, _ value: JSON, _ received: Int) -> String? {
    // `@odata.nextLink` is a next link as well.
    let plain = String(name.lowercased().filter { $0 != "_" && $0 != "-" }.split(separator: ".").last ?? "")
    switch plain {
    case "hasmore", "hasnextpage", "hasnext", "more", "moreresults", "moreavailable":
      return value.booleanValue == true ? "true" : nil
    case "done", "endofstream", "islast", "islastpage", "lastpage": return value.booleanValue == false ? "false" : nil
    default: break
    }
    if plain.hasPrefix("next") {
      switch value {
      case .string(let text): return text.isEmpty ? nil : RESTText.shown(value)
      case .number: return value.integerValue.map { $0 > 0 } == true ? RESTText.shown(value) : nil
      case .object(let members):
        // A link as an object: `{"href": …}`.
        let link = members.first { ["href", "url"].contains($0.name) }?.value
        return link?.stringBytes?.isEmpty == false ? RESTText.shown(link ?? .null) : nil
      default: return nil
      }
    }
    guard plain.hasPrefix("total") || plain == "count", let count = value.integerValue, count > Int64(received) else {
      return nil
    }
    return "\(count), but \(received) \(received == 1 ? "record was" : "records were") received"
  }
}
