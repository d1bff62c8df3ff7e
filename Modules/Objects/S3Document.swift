import Documents
import Rows

/// The elements of a response of S3 that have text.
struct S3Document: Sendable {
  /// Nil for what is not XML.
  private let root: XMLElement?

  /// Reads a document; what is not XML has no elements.
  init(_ bytes: [UInt8]) { root = try? XMLElement.document(bytes, name: "response") }

  /// Services that speak S3, all or none of whose elements are in a namespace of theirs.
  private static let services = ["amazonaws.com", "aliyuncs.com", "myhwclouds.com"]

  /// Whether the elements are those of S3 by their namespace.
  private static func isOfService(_ root: XMLElement) -> Bool {
    let host = root.namespace.split(at: "/").dropFirst().first ?? ""
    return root.namespace.isEmpty
      || root.namespace.hasPrefix("http") && services.contains { host == $0 || host.hasSuffix(".\($0)") }
  }

  /// Reads a whole document.
  /// - Parameters:
  ///   - roots: the names that the outermost element may have.
  ///   - place: the object or the bucket.
  /// - Throws: `badData` for anything else; `unavailable`, which another attempt may cure, if the document breaks off.
  init(_ bytes: [UInt8], roots: [String], at place: String) throws(Problem) {
    self.init(bytes)
    let expected = roots.first ?? ""
    if let root, roots.contains(root.name), Self.isOfService(root) {
      try Self.check(root, at: place)
      return
    }
    let first = Self.outermost(bytes), end = bytes.reversed().drop { $0 == 0x20 || $0 &- 9 < 5 }
    let isBegun = first.isEmpty || roots.contains { $0.hasPrefix(first) }
    if root == nil, isBegun, !end.starts(with: "</\(expected)>".utf8.reversed()) {
      var problem = Problem(
        .unavailable, "the response of the server is incomplete: no end of <\(expected)>", at: place)
      problem.isTransient = true
      throw problem
    }
    throw Problem(
      .badData, "the response of the server is not <\(expected)> of S3", at: place,
      hint: "check the endpoint; a login page or a proxy may have answered")
  }

  /// Checks that a list has as many entries as it says.
  private static func check(_ list: XMLElement, at place: String) throws(Problem) {
    guard let count = list.elements.first(where: { $0.name == "KeyCount" })?.text else { return }
    let found = list.elements.count { ["Contents", "CommonPrefixes"].contains($0.name) }
    if Int(count) == found { return }
    var problem = Problem(
      .unavailable, "the response of the server is incomplete: \(found) of \(count) objects of a list", at: place)
    problem.isTransient = true
    throw problem
  }

  /// The name of the first start tag of what may be cut anywhere; empty if there is none yet, `!` if it is none.
  private static func outermost(_ bytes: [UInt8]) -> String {
    var rest = bytes.drop { $0 == 0x20 || $0 &- 9 < 5 || $0 >= 0x80 }
    if rest.starts(with: "<?".utf8) {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return "" }
      rest = rest[(end + 1)...].drop { $0 == 0x20 || $0 &- 9 < 5 }
    }
    guard let first = rest.first else { return "" }
    guard first == UInt8(ascii: "<") else { return "!" }
    let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    return String(decoding: name, as: UTF8.self)
  }

  /// The text of the first element with this name.
  subscript(_ name: String) -> String? {
    root?.name == name ? root?.text : root?.all(name).first { $0.elements.isEmpty }?.text
  }

  /// The elements in each element with this name, in order.
  func elements(in parent: String) -> [[String: String]] {
    guard let root else { return [] }
    return ((root.name == parent ? [root] : []) + root.all(parent)).compactMap { element in
      let leaves = element.elements.filter(\.elements.isEmpty)
      return leaves.isEmpty ? nil : Dictionary(leaves.map { ($0.name, $0.text) }) { $1 }
    }
  }
}
