extension JSON {
  /// The value as text for display: two spaces per level, values that fit into `width` columns on one line, and a final
  /// line feed.
  public func indentedBytes(width: Int = 120) -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, level: 0, width: width)
    return bytes + [UInt8(ascii: "\n")]
  }

  private func write(to out: inout [UInt8], level: Int, width: Int) {
    let line = spacedBytes
    if line.count + level * 2 <= width || !isNested {
      out += line
      return
    }
    let elements: [(key: [UInt8], value: JSON)]
    let brackets: [UInt8]
    switch self {
    case .object(let members):
      elements = members.map { (JSON.string($0.key).canonicalBytes + Array(": ".utf8), $0.value) }
      brackets = Array("{}".utf8)
    case .array(let values):
      elements = values.map { ([], $0) }
      brackets = Array("[]".utf8)
    default: return
    }
    out.append(brackets[0])
    for (position, element) in elements.enumerated() {
      out +=
        Array(position == 0 ? "\n".utf8 : ",\n".utf8) + [UInt8](repeating: 32, count: (level + 1) * 2) + element.key
      element.value.write(to: &out, level: level + 1, width: width)
    }
    out += [UInt8(ascii: "\n")] + [UInt8](repeating: 32, count: level * 2) + [brackets[1]]
  }

  /// Whether there is something in it to put on lines of its own.
  private var isNested: Bool {
    switch self {
    case .object(let members): !members.isEmpty
    case .array(let elements): !elements.isEmpty
    default: false
    }
  }

  /// The value on one line, with a space after commas and colons.
  private var spacedBytes: [UInt8] {
    let comma = Array(", ".utf8)
    switch self {
    case .object(let members):
      let pairs = members.map { JSON.string($0.key).canonicalBytes + Array(": ".utf8) + $0.value.spacedBytes }
      return Array("{".utf8) + Array(pairs.joined(separator: comma)) + Array("}".utf8)
    case .array(let elements):
      return Array("[".utf8) + Array(elements.map(\.spacedBytes).joined(separator: comma)) + Array("]".utf8)
    default: return canonicalBytes
    }
  }
}
