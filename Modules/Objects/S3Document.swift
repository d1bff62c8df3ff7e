public import Documents

/// The elements of a response of S3 that have text.
struct S3Document: Sendable {
  /// Nil for what is not XML.
  private let root: XMLElement?

  /// Reads a document; what is not XML has no elements.
  init(_ bytes: [UInt8]) { root = try? XMLElement.document(bytes, name: "response") }

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
