import Rows

/// Searches incomplete text for an error that more text cannot fix.
struct JSONProbe {
  private var scanner: JSONScanner
  private let form: JSONForm
  private let isFirst: Bool
  private var keys = JSONKeys()
  private var shape = JSONShape()

  /// Text from the scanner's offset on.
  init(_ scanner: JSONScanner, _ form: JSONForm, isFirst: Bool) {
    self.scanner = scanner
    self.form = form
    self.isFirst = isFirst
  }

  /// The first mistake in records that end at `end`, if it is before `limit`, where it cannot be only the cut.
  /// Otherwise the value, key or white space that is cut, if it is larger than `maximumField`.
  mutating func fault(before limit: Int, end: Int, _ maximumField: Int) -> JSONSyntaxError? {
    // Where that begins which may be cut, and the key of the value that it is.
    var part = scanner.at, key = 0..<0
    do throws(JSONSyntaxError) {
      var isNext = isFirst || form == .lines
      while true {
        part = scanner.at
        key = 0..<0
        scanner.skipSpace()
        if !isNext {
          guard try scanner.another(UInt8(ascii: "]")) else { return nil }
        }
        guard scanner.byte == UInt8(ascii: "{") else {
          throw scanner.unexpected(wanted: "an object (one record)")
        }
        try record(&part, &key, end: end)
        isNext = form == .lines
      }
    } catch {
      if error.offset < limit { return error }
      guard end - part > maximumField else { return nil }
      let name = unsafe JSONScanner.text(scanner.base, from: key.lowerBound, to: key.upperBound, escaped: false)
      let what =
        key.isEmpty ? "a key or white space" : "the value of “\(String(decoding: name.prefix(80), as: UTF8.self))”"
      return JSONSyntaxError(
        "\(what) is larger than \(maximumField >> 20) MiB", at: part, hint: .raise(.maximumField))
    }
  }

  /// Steps over a record, member by member.
  private mutating func record(_ part: inout Int, _ key: inout Range<Int>, end: Int) throws(JSONSyntaxError) {
    part = scanner.at
    try scanner.enter(0)
    guard scanner.byte != UInt8(ascii: "}") else {
      scanner.at += 1
      return
    }
    var goesOn: Bool
    repeat {
      // At the end of the text the part before it may be what is cut.
      if scanner.at < end { (part, key) = (scanner.at, 0..<0) }
      guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a double-quoted key") }
      let start = scanner.at + 1
      _ = try scanner.skipString()
      let name = start..<(scanner.at - 1)
      if scanner.at < end { part = scanner.at }
      try scanner.skipColon()
      if scanner.at < end { (part, key) = (scanner.at, name) }
      try scanner.skipValue(&keys, &shape, depth: 1)
      if scanner.at < end { (part, key) = (scanner.at, 0..<0) }
      goesOn = try scanner.another(UInt8(ascii: "}"))
    } while goesOn
  }

  /// The error after the array: the text must close `closers`, with the members and elements that follow, and then end
  /// at `end`.
  mutating func faultBehind(_ closers: [UInt8], end: Int) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
      for closer in closers {
        while try scanner.another(closer) {
          if closer == UInt8(ascii: "}") {
            guard scanner.byte == UInt8(ascii: "\"") else {
              throw scanner.unexpected(wanted: "a double-quoted key")
            }
            _ = try scanner.skipString()
            try scanner.skipColon()
          }
          try scanner.skipValue(&keys, &shape)
        }
      }
      scanner.skipSpace()
      if scanner.at != end { throw JSONSyntaxError("unexpected text after the end of the document", at: scanner.at) }
      return nil
    } catch {
      return error
    }
  }
}
