public import Documents

/// The elements of a response of S3 that have text.
struct S3Document: Sendable {
  /// The text of each element without elements, with the name of the element that it is in.
  private var leaves: [(name: String, parent: String, group: Int, text: String)] = []

  /// Reads a document; what is not XML has no elements.
  init(_ bytes: [UInt8]) {
    guard var reader = try? XMLReader(bytes, name: "response") else { return }
    var open: [(name: String, group: Int)] = [], groups = 0, text = "", isLeaf = false
    while let event = try? reader.next() {
      switch event {
      case .start(let name, _):
        groups += 1
        open.append((name, groups))
        (text, isLeaf) = ("", true)
      case .text(let more): text += more
      case .end:
        guard let last = open.popLast() else { return }
        if isLeaf { leaves.append((last.name, open.last?.name ?? "", open.last?.group ?? 0, text)) }
        isLeaf = false
      }
    }
  }

  /// The text of the first element with this name.
  subscript(_ name: String) -> String? { leaves.first { $0.name == name }?.text }

  /// The elements in each element with this name, in order.
  func elements(in parent: String) -> [[String: String]] {
    var found: [[String: String]] = [], group = 0
    for leaf in leaves where leaf.parent == parent {
      if leaf.group != group { found.append([:]) }
      group = leaf.group
      found[found.count - 1][leaf.name] = leaf.text
    }
    return found
  }
}
