/// Looks through text that is not whole yet for a mistake that more text cannot mend.
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

  /// The first mistake in records, when it is before `limit`: what stands there cannot be only the cut.
  mutating func fault(before limit: Int) -> JSONFault? {
    do throws(JSONFault) {
      var isNext = isFirst || form == .lines
      while true {
        scanner.skipSpace()
        if !isNext {
          guard try scanner.another(UInt8(ascii: "]")) else { return nil }
        }
        guard scanner.byte == UInt8(ascii: "{") else {
          throw scanner.unexpected(wanted: "a record, which is an object")
        }
        try scanner.skipValue(&keys, &shape)
        isNext = form == .lines
      }
    } catch {
      return error.offset < limit ? error : nil
    }
  }

  /// What is wrong behind the array: when it is not what closes `closers`, with the members and elements that follow, and then the end at
  /// `end`.
  mutating func faultBehind(_ closers: [UInt8], end: Int) -> JSONFault? {
    do throws(JSONFault) {
      for closer in closers {
        while try scanner.another(closer) {
          if closer == UInt8(ascii: "}") {
            guard scanner.byte == UInt8(ascii: "\"") else {
              throw scanner.unexpected(wanted: "a key in double quotes")
            }
            _ = try scanner.skipString()
            try scanner.skipColon()
          }
          try scanner.skipValue(&keys, &shape)
        }
      }
      scanner.skipSpace()
      if scanner.at != end { throw JSONFault("more text behind the end of the document", at: scanner.at) }
      return nil
    } catch {
      return error
    }
  }
}
