import Codecs
import Domain
import Rows

/// Datasets in JSON-stat: values by position over dimensions (https://json-stat.org/format/).
enum JSONStat {
  private static let most = 10_000_000

  /// A record for each value: the category of each dimension under the dimension's name, `value` and `status`.
  /// - Throws: `badData` for a document that is not such a dataset.
  static func records(of document: JSON, url: String) throws(Problem) -> [JSON] {
    // Version 1 names the dataset, and keeps `id` and `size` among the dimensions.
    let dataset = document["value"] == nil ? document["dataset"] ?? document : document
    guard let dimension = dataset["dimension"], let value = dataset["value"], !value.isNull,
      let names = (dataset["id"] ?? dimension["id"])?.arrayValue?.compactMap(\.stringValue),
      let sizes = (dataset["size"] ?? dimension["size"])?.arrayValue?.compactMap({
        $0.integerValue.flatMap { Int(exactly: $0) }
      }),
      names.count == sizes.count, !names.isEmpty, sizes.allSatisfy({ (0...most).contains($0) })
    else { throw refusal("expected a JSON-stat dataset with id, size, dimension and value", url) }
    var total = 1
    for size in sizes {
      let (product, isTooLarge) = total.multipliedReportingOverflow(by: size)
      guard !isTooLarge, product <= most else { throw refusal("the JSON-stat dataset has too many values", url) }
      total = product
    }
    var categories: [[JSON]] = []
    for (name, size) in zip(names, sizes) {
      guard let found = Self.categories(of: dimension[name], size) else {
        throw refusal("the dimension “\(name)” does not have \(size) categories", url)
      }
      categories.append(found)
    }
    let keys = names.map { Array($0.utf8) }
    let status = dataset["status"]
    var records: [JSON] = []
    try values(value, total, url).forEach { position, value in
      let state = Self.status(status, at: position)
      guard !value.isNull || state != nil else { return }
      var rest = position, members: [JSON.Member] = []
      for dimension in categories.indices.reversed() {
        let (quotient, place) = rest.quotientAndRemainder(dividingBy: sizes[dimension])
        members.append(JSON.Member(keys[dimension], categories[dimension][place]))
        rest = quotient
      }
      members.reverse()
      members.append(JSON.Member("value", value))
      if let state { members.append(JSON.Member("status", state)) }
      records.append(.object(members))
    }
    return records
  }

  /// The values with their positions, in order: of an array, or of an object by position.
  private static func values(_ value: JSON, _ total: Int, _ url: String) throws(Problem) -> [(Int, JSON)] {
    if let values = value.arrayValue {
      guard values.count <= total else { throw refusal("expected \(total) values, found \(values.count)", url) }
      return Array(values.enumerated()).map { ($0.offset, $0.element) }
    }
    var values: [(Int, JSON)] = []
    for member in value.objectMembers ?? [] {
      guard let position = Int(member.name), (0..<total).contains(position) else {
        throw refusal("the position “\(member.name)” of a value is not below \(total)", url)
      }
      values.append((position, member.value))
    }
    return values.sorted { $0.0 < $1.0 }
  }

  /// The categories of a dimension by position; nil if they are not as many.
  private static func categories(of dimension: JSON?, _ size: Int) -> [JSON]? {
    guard let category = dimension?["category"] else { return nil }
    if let index = category["index"]?.arrayValue { return index.count == size ? index : nil }
    // A single category needs no index.
    let members = category["index"]?.objectMembers
    guard let members else {
      let labels = category["label"]?.objectMembers ?? []
      return labels.count == 1 && size == 1 ? [.string(labels[0].key)] : nil
    }
    var categories = [JSON?](repeating: nil, count: size)
    for member in members {
      guard let position = member.value.integerValue.flatMap({ Int(exactly: $0) }),
        categories.indices.contains(position)
      else { return nil }
      categories[position] = .string(member.key)
    }
    let known = categories.compactMap(\.self)
    return known.count == size ? known : nil
  }

  /// The status of a value: one for all, an array, or an object by position.
  private static func status(_ status: JSON?, at position: Int) -> JSON? {
    switch status {
    case .string?: status
    case .array(let all)?: all.indices.contains(position) && !all[position].isNull ? all[position] : nil
    case .object?: status?[String(position)]
    default: nil
    }
  }

  private static func refusal(_ message: String, _ url: String) -> Problem {
    Problem(.badData, message, at: URLText.redacted(url))
  }
}
