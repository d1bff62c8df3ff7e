/// The result of scanning a nested value.
struct JSONShape {
  /// Whether the text is certainly canonical already.
  var isCanonical = true
  /// Elements of the outermost array, by what they are.
  var texts = 0, integers = 0, others = 0

  /// Whether every element of the list is of that kind.
  func isList(integers wanted: Bool) -> Bool { others == 0 && (wanted ? texts == 0 : integers == 0) }
}

extension JSONScanner {
  /// Skips any value and checks all of it: grammar, depth, surrogates, duplicate keys.
  mutating func skipValue(_ keys: inout JSONKeys, _ shape: inout JSONShape, depth: Int = 0) throws(JSONSyntaxError) {
    switch byte {
    case UInt8(ascii: "\""):
      if try skipString() { shape.isCanonical = false }
    case UInt8(ascii: "{"): try skipObject(&keys, &shape, depth: depth)
    case UInt8(ascii: "["): try skipArray(&keys, &shape, depth: depth)
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try skipNumber()
    default: throw unexpected()
    }
  }

  private mutating func skipArray(_ keys: inout JSONKeys, _ shape: inout JSONShape, depth: Int) throws(JSONSyntaxError)
  {
    let start = at
    try enter(depth)
    if at != start &+ 1 { shape.isCanonical = false }
    if byte == UInt8(ascii: "]") {
      at &+= 1
      return
    }
    var goesOn: Bool
    repeat {
      let element = at
      if depth == 0, byte == UInt8(ascii: "-") || byte &- 48 < 10 {
        let isWhole = try skipNumber()
        let kind = unsafe JSONNumberKind(base + element, count: at &- element, isWhole: isWhole)
        if kind == .integer { shape.integers &+= 1 } else { shape.others &+= 1 }
      } else {
        if depth == 0 { if byte == UInt8(ascii: "\"") { shape.texts &+= 1 } else { shape.others &+= 1 } }
        try skipValue(&keys, &shape, depth: depth &+ 1)
      }
      goesOn = try another(UInt8(ascii: "]"), &shape)
    } while goesOn
  }

  private mutating func skipObject(_ keys: inout JSONKeys, _ shape: inout JSONShape, depth: Int) throws(JSONSyntaxError)
  {
    let start = at
    try enter(depth)
    if at != start &+ 1 { shape.isCanonical = false }
    if byte == UInt8(ascii: "}") {
      at &+= 1
      return
    }
    let mark = keys.begin()
    var goesOn: Bool
    repeat {
      let key = at &+ 1
      guard byte == UInt8(ascii: "\"") else { throw unexpected(wanted: "a double-quoted key") }
      let escaped = try skipString()
      guard unsafe keys.insert(base, from: key, to: at &- 1, escaped: escaped, objectAt: mark) else {
        throw JSONSyntaxError(keys.refusal, at: key &- 1)
      }
      let end = at
      try skipColon()
      if escaped || at != end &+ 1 { shape.isCanonical = false }
      try skipValue(&keys, &shape, depth: depth &+ 1)
      goesOn = try another(UInt8(ascii: "}"), &shape)
    } while goesOn
    keys.end(mark)
  }

  /// As `another`, noticing white space.
  @inline(__always) private mutating func another(
    _ closing: UInt8, _ shape: inout JSONShape
  ) throws(JSONSyntaxError) -> Bool {
    let end = at
    let goesOn = try another(closing)
    if at != end &+ 1 { shape.isCanonical = false }
    return goesOn
  }
}
