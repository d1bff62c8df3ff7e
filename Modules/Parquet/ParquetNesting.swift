import Codecs
import Rows

/// Assembles the values of nested elements as canonical JSON, record by record.
struct ParquetNesting: ~Copyable {
  private let node: ParquetNode
  private let leaves: [ParquetLevels]
  private let arenas: [Arena]
  /// Whether a null within a list is refused, because the column holds lists without nulls.
  private let refusesNull: Bool
  /// The most bytes of a value.
  private let maximumField: Int

  /// - Parameter leaves: the levels and values of all leaves of `node`.
  init(_ node: ParquetNode, _ leaves: [ParquetLevels], refusesNull: Bool, maximumField: Int) {
    self.node = node
    self.leaves = leaves
    self.refusesNull = refusesNull
    self.maximumField = maximumField
    arenas = leaves.map { leaf in
      var bytes = ArenaBuilder(capacity: 1)
      swap(&bytes, &leaf.arena)
      return bytes.freeze()
    }
  }

  /// Appends the value of the next row; tells whether it is null.
  func appendRow(_ out: inout ByteBuffer) throws(ParquetFailure) -> Bool {
    let first = leaves[0]
    guard !first.isAtEnd else { throw .damage("there are fewer values than rows") }
    if node.repetition == .optional, first.definition[first.level] < node.definition {
      try skip(node)
      return true
    }
    try append(node, isElement: false, &out)
    return false
  }

  private func leaf(_ node: ParquetNode) throws(ParquetFailure) -> ParquetLevels {
    let leaf = leaves[node.leaves.lowerBound - self.node.leaves.lowerBound]
    guard !leaf.isAtEnd else { throw .damage("the levels of a nested column do not agree") }
    return leaf
  }

  /// Passes over one entry of all leaves of an element that has no value.
  private func skip(_ node: ParquetNode) throws(ParquetFailure) {
    for place in node.leaves {
      let leaf = leaves[place - self.node.leaves.lowerBound]
      guard !leaf.isAtEnd else { throw .damage("the levels of a nested column do not agree") }
      leaf.level += 1
    }
  }

  private func append(_ node: ParquetNode, isElement: Bool, _ out: inout ByteBuffer) throws(ParquetFailure) {
    guard !node.leaves.isEmpty else { return out.append("{}") }
    if node.repetition == .repeated, !isElement {
      return try appendElements(node, &out) { (out) throws(ParquetFailure) in try append(node, isElement: true, &out) }
    }
    let first = try leaf(node)
    if node.repetition == .optional, first.definition[first.level] < node.definition {
      guard !refusesNull else { throw .damage("a list has a null") }
      try skip(node)
      return out.append("null")
    }
    if node.kind != nil { return try appendValue(node, first, &out) }
    if let element = node.listElement {
      let middle = node.children[0],
        isSame =
          middle.children.isEmpty
          || element.leaves == middle.leaves && element.name == middle.name && element.definition == middle.definition
      return try appendElements(middle, &out) { (out) throws(ParquetFailure) in
        try append(element, isElement: isSame, &out)
      }
    }
    if node.isMap, let middle = node.children.first, node.children.count == 1, middle.repetition == .repeated,
      let key = middle.children.first, key.kind != nil, middle.children.count == 2
    {
      return try appendElements(middle, &out, "{", "}") { (out) throws(ParquetFailure) in
        try appendKey(key, &out)
        out.append(byte: UInt8(ascii: ":"))
        try append(middle.children[1], isElement: false, &out)
      }
    }
    out.append(byte: UInt8(ascii: "{"))
    var isFirst = true
    for child in node.children {
      let start = out.count
      if !isFirst { out.append(byte: UInt8(ascii: ",")) }
      out.append(jsonString: child.title ?? "")
      out.append(byte: UInt8(ascii: ":"))
      try append(child, isElement: false, &out)
      if child.title == nil { out.truncate(to: start) } else { isFirst = false }
    }
    out.append(byte: UInt8(ascii: "}"))
  }

  private func appendElements(
    _ node: ParquetNode, _ out: inout ByteBuffer, _ start: StaticString = "[", _ end: StaticString = "]",
    _ body: (inout ByteBuffer) throws(ParquetFailure) -> Void
  ) throws(ParquetFailure) {
    guard !node.leaves.isEmpty else { return out.append("[]") }
    let first = try leaf(node)
    out.append(start)
    if first.definition[first.level] < node.definition {
      try skip(node)
    } else {
      var isFirst = true
      repeat {
        if !isFirst { out.append(byte: UInt8(ascii: ",")) }
        isFirst = false
        let before = first.level
        try body(&out)
        guard first.level > before else { throw .damage("the levels of a nested column do not agree") }
      } while !first.isAtEnd && first.repetition[first.level] == node.repetitionLevel
    }
    out.append(end)
  }

  private func appendKey(_ node: ParquetNode, _ out: inout ByteBuffer) throws(ParquetFailure) {
    var text = ByteBuffer(capacity: 64)
    try append(node, isElement: false, &text)
    let bytes = text.bytes()
    if bytes.first == UInt8(ascii: "\"") {
      out.append(bytes: bytes)
    } else {
      out.append(jsonString: String(decoding: bytes, as: UTF8.self))
    }
  }

  private func appendValue(_ node: ParquetNode, _ leaf: ParquetLevels, _ out: inout ByteBuffer) throws(ParquetFailure) {
    guard leaf.value < leaf.cells.count else { throw .damage("the levels of a nested column do not agree") }
    let cell = leaf.cells[leaf.value]
    leaf.level += 1
    leaf.value += 1
    out.append(jsonOf: cell, arenas[node.leaves.lowerBound - self.node.leaves.lowerBound])
    guard out.count <= maximumField else { throw .damage("a value is larger than \(maximumField >> 20) MiB") }
  }
}
