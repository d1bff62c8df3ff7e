/// The names that the columns of a file and the members of their structures have in a table.
public indirect enum ParquetNames: Sendable {
  /// A value without members.
  case value
  case structure([Member])
  case list(ParquetNames)
  case map(key: ParquetNames, value: ParquetNames)

  /// A column, or a member of a structure.
  public struct Member: Sendable {
    let key: Key
    let name: String
    let names: ParquetNames

    /// - Parameters:
    ///   - key: what the file calls it.
    ///   - name: the name in the table.
    ///   - names: those of its members.
    public init(_ key: Key, as name: String, _ names: ParquetNames) {
      (self.key, self.name, self.names) = (key, name, names)
    }
  }

  /// The name or the number of a member in a file.
  public enum Key: Sendable, Hashable {
    case name([UInt8]), id(Int)
  }
}

extension ParquetNode {
  /// The element with the names of a table; members without a name there are hidden.
  func renamed(_ names: ParquetNames) -> ParquetNode {
    var node = self
    switch names {
    case .value: break
    case .structure(let members):
      let known = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
      node.children = children.map { child in
        let found = known[.name(Array(child.name.utf8))] ?? child.fieldID.flatMap { known[.id($0)] }
        var renamed = found.map { child.renamed($0.names) } ?? child
        renamed.title = found?.name
        return renamed
      }
    case .list(let element):
      guard isList, let found = listElement else { break }
      if repeatsElement {
        node.children[0] = found.renamed(element)
      } else {
        node.children[0].children[0] = found.renamed(element)
      }
    case .map(let key, let value):
      for (place, names) in [key, value].enumerated() where children.count == 1 && place < children[0].children.count {
        node.children[0].children[place] = children[0].children[place].renamed(names)
      }
    }
    return node
  }
}
