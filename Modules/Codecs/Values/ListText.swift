/// The elements of a list, as a cell holds it: a canonical JSON array. A string is its own only element.
public enum ListText {
  /// The elements of a list of texts.
  public static func elements(of array: [UInt8]) -> [String] {
    var elements: [String] = []
    _ = unsafe array.withUnsafeBytes { bytes in
      unsafe first(in: bytes) { element in
        elements.append(String(decoding: element, as: UTF8.self))
        return false
      }
    }
    return elements
  }

  /// The words of a text, or the elements of a text that is a JSON array; empty for a text of one word.
  public static func parts(ofText text: [UInt8]) -> [[UInt8]] {
    if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") {
      return elements(of: compact(text)).map { Array($0.utf8) }
    }
    let words = text.split { $0 <= 0x20 }.map(Array.init)
    return words.count > 1 ? words : []
  }

  /// The array without white space between its elements.
  package static func compact(_ array: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [], isWithin = false, isEscaped = false
    for byte in array {
      if isWithin || !" \t\r\n".utf8.contains(byte) { result.append(byte) }
      if byte == UInt8(ascii: "\""), !isEscaped { isWithin.toggle() }
      isEscaped = isWithin && byte == UInt8(ascii: "\\") && !isEscaped
    }
    return result
  }

  /// Calls `body` with each element: a text's own bytes, any other element's JSON. Stops when `body` says true; tells
  /// whether it did.
  package static func first(in array: UnsafeRawBufferPointer, where body: ([UInt8]) -> Bool) -> Bool {
    var at = 0
    while at < array.count {
      let byte = unsafe array[at]
      if at == 0, byte != UInt8(ascii: "\"") {
        at = 1
      } else if byte == UInt8(ascii: "\"") {
        let (text, end) = unsafe string(array, at + 1)
        if body(text) { return true }
        at = end
      } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
        at += 1
      } else {
        let end = unsafe self.end(of: array, from: at)
        if body(unsafe Array(array[at..<end])) { return true }
        at = end
      }
    }
    return false
  }

  /// The bytes of a string, and the position after its closing quote.
  private static func string(_ json: UnsafeRawBufferPointer, _ start: Int) -> ([UInt8], Int) {
    var text: [UInt8] = []
    var at = start
    while at < json.count {
      let byte = unsafe json[at]
      if byte == UInt8(ascii: "\"") { return (text, at + 1) }
      guard byte == UInt8(ascii: "\\"), at + 1 < json.count else {
        text.append(byte)
        at += 1
        continue
      }
      let mark = unsafe json[at + 1]
      at += 2
      switch mark {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        // Canonical text escapes only control characters so: \u00xx.
        var value: UInt8 = 0
        for index in at..<min(at + 4, json.count) {
          let digit = unsafe json[index]
          value = value << 4 | (digit > 57 ? (digit | 32) &- 87 : digit &- 48)
        }
        text.append(value)
        at += 4
      default: text.append(mark)
      }
    }
    return (text, at)
  }

  /// The position after a number, word, or nested value that begins at `start`.
  private static func end(of json: UnsafeRawBufferPointer, from start: Int) -> Int {
    var depth = 0, at = start
    while at < json.count {
      switch unsafe json[at] {
      case UInt8(ascii: "\""):
        at = unsafe string(json, at + 1).1
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return at }
        depth -= 1
      case UInt8(ascii: ","): if depth == 0 { return at }
      default: break
      }
      at += 1
    }
    return at
  }
}
