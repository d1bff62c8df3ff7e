import Rows

/// Looks at the beginning of a document for where its records are.
struct JSONOpening {
  enum Finding {
    /// One object per line, from here on.
    case lines
    /// In an array whose first element may begin at `offset`; `closers` must follow the array.
    case array(offset: Int, closers: [UInt8])
    /// More of the document is needed to tell.
    case notYet
  }

  private let scanner: JSONScanner
  private let end: Int
  private let isWhole: Bool

  /// The text from the scanner's offset to `end`; `isWhole` when the document ends there.
  init(_ scanner: JSONScanner, end: Int, isWhole: Bool) {
    self.scanner = scanner
    self.end = end
    self.isWhole = isWhole
  }

  /// Where the records are that `pointer` leads to.
  func records(at pointer: JSONPointer, form: JSONForm) throws(JSONSyntaxError) -> Finding {
    if scanner.at == end, isWhole { throw JSONSyntaxError("the document is empty", at: end) }
    if !pointer.steps.isEmpty {
      do throws(JSONSyntaxError) {
        return try array(at: pointer)
      } catch {
        if isCut(error) { return .notYet }
        throw error
      }
    }
    switch scanner.byte {
    case UInt8(ascii: "["): return .array(offset: scanner.at + 1, closers: [])
    case UInt8(ascii: "{") where form == .automatic: return try lines()
    case UInt8(ascii: "{"): throw notATable("an object")
    default: throw notATable("another kind of value")
    }
  }

  private func notATable(_ found: String) -> JSONSyntaxError {
    JSONSyntaxError("expected an array of objects, or one object per line, found \(found)", at: scanner.at)
  }

  private func isCut(_ fault: JSONSyntaxError) -> Bool { !isWhole && fault.offset >= end - 16 }

  /// An object comes first: the first of many, one per line, or the whole document.
  private func lines() throws(JSONSyntaxError) -> Finding {
    var scanner = scanner
    var keys = JSONKeys()
    var shape = JSONShape()
    var isComplete = true
    do throws(JSONSyntaxError) {
      try scanner.skipValue(&keys, &shape)
    } catch {
      // Errors in a line are reported by its reader, unless the object spans lines.
      isComplete = false
      scanner.at = isCut(error) ? end : error.offset
    }
    if unsafe hasLineFeed(scanner.base, from: self.scanner.at, to: scanner.at) { throw notATable("a single object") }
    guard isComplete else { return .lines }
    scanner.skipSpace()
    if scanner.at == end, isWhole, !hint(JSONPointer(steps: [])).isEmpty { throw notATable("a single object") }
    return .lines
  }

  private func hasLineFeed(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Bool {
    for position in start..<end where unsafe base[position] == 0x0A { return true }
    return false
  }

  /// Walks to the array that `pointer` leads to.
  private func array(at pointer: JSONPointer) throws(JSONSyntaxError) -> Finding {
    var scanner = scanner
    var closers: [UInt8] = []
    for step in pointer.steps {
      guard let closer = try scanner.find(step) else {
        throw JSONSyntaxError("no value at \(pointer) in the document", at: scanner.at)
      }
      closers.insert(closer, at: 0)
    }
    guard scanner.byte == UInt8(ascii: "[") else {
      throw JSONSyntaxError("expected an array of records at \(pointer)", at: scanner.at)
    }
    return .array(offset: scanner.at + 1, closers: closers)
  }

  /// The hint for a document that is an object: where its array of objects is, when it has one; `pointer` led to none.
  func hint(_ pointer: JSONPointer) -> Remedy {
    var scanner = scanner
    guard scanner.byte == UInt8(ascii: "{") else { return "" }
    var keys = JSONKeys()
    var shape = JSONShape()
    do throws(JSONSyntaxError) {
      try scanner.enter(0)
      while scanner.byte == UInt8(ascii: "\"") {
        let start = scanner.at + 1
        let escaped = try scanner.skipString()
        let key = unsafe JSONScanner.text(scanner.base, from: start, to: scanner.at - 1, escaped: escaped)
        try scanner.skipColon()
        if scanner.byte == UInt8(ascii: "[") {
          var inside = scanner
          try inside.enter(0)
          if inside.byte == UInt8(ascii: "{") {
            let place = JSONPointer(steps: [String(decoding: key, as: UTF8.self)])
            return .set(.recordsPointer, to: "\(place)").after("the records appear to be at \(place)")
          }
        }
        try scanner.skipValue(&keys, &shape)
        guard try scanner.another(UInt8(ascii: "}")) else { return "" }
      }
    } catch {
      return ""  // The error itself is reported elsewhere; this was only a hint.
    }
    return ""
  }
}

extension JSONScanner {
  /// From the beginning of an object or array to the value of its member or element `step`. The bracket that closes
  /// the opening bracket; nil if there is no such value.
  mutating func find(_ step: String) throws(JSONSyntaxError) -> UInt8? {
    var keys = JSONKeys()
    var shape = JSONShape()
    let isObject = byte == UInt8(ascii: "{")
    guard isObject || byte == UInt8(ascii: "[") else { return nil }
    let closer = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    try enter(0)
    if byte == closer { return nil }
    var index = 0
    var goesOn: Bool
    repeat {
      var isFound = !isObject && String(index) == step
      if isObject {
        guard byte == UInt8(ascii: "\"") else { throw unexpected(wanted: "a double-quoted key") }
        let start = at + 1
        let escaped = try skipString()
        isFound = unsafe Self.text(base, from: start, to: at - 1, escaped: escaped).elementsEqual(step.utf8)
        try skipColon()
      }
      if isFound { return closer }
      try skipValue(&keys, &shape)
      index += 1
      goesOn = try another(closer)
    } while goesOn
    return nil
  }
}
