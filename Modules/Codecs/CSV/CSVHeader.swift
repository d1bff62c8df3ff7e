internal import CMasks
package import Rows

/// The names of a file's columns, made different from each other and never empty.
package struct CSVHeader {
  /// The names, in order.
  package let names: [String]
  /// The names in the file, in order.
  let titles: [String]
  /// One warning per change of a name.
  package let warnings: [Warning]

  /// The names of `found`: an empty one becomes `column3`, the second `a` becomes `a_2`.
  /// - Parameter keepsEmpty: whether a column is known to be called by the empty text.
  package init(_ found: [String], keepsEmpty: Bool = false) {
    var names: [String] = [], warnings: [Warning] = [], distinct = DistinctNames(reserved: found)
    for (index, original) in found.enumerated() {
      let isNew = original.isEmpty && !(keepsEmpty && !distinct.has(""))
      let name = distinct.add(isNew ? "column\(index + 1)" : original, isNew: isNew)
      if name != original {
        warnings.append(
          original.isEmpty
            ? "column \(index + 1) has an empty header; using “\(name)”"
            : "duplicate column name “\(original)”; the second column is named “\(name)”")
      }
      names.append(name)
    }
    (self.names, titles) = (names, found)
    self.warnings = warnings
  }

  /// Whether a column is called `name`, byte for byte.
  package func has(_ name: String) -> Bool { names.contains { $0.utf8.elementsEqual(name.utf8) } }
}

extension CSVHeader {
  struct First {
    /// Its fields, unquoted; none when the text has no record.
    var fields: [[UInt8]] = []
    /// Where the next record begins.
    var end: Int
    /// Unquoted fields that contain a quote.
    var strays = 0
  }

  /// The first record that is not a blank line.
  static func firstRecord(_ piece: borrowing CSVPiece, _ delimiter: UInt8, isStrict: Bool = false)
    throws(CSVSyntaxError)
    -> First
  {
    let end = piece.text.count
    let base = unsafe UnsafePointer(piece.text.base)
    var at = piece.start
    while at < end, unsafe base[at] == 0x0A || isLineEnd(base, at, end) { at += 1 }
    var first = First(end: at)
    guard at < end else { return first }
    let start = at
    while true {
      guard first.fields.count < CSVReading.maximumColumns else { throw CSVSyntaxError.tooManyColumns(at: at) }
      first.fields.append(try unsafe field(base, &at, end, delimiter, isStrict: isStrict, &first.strays))
      guard at < end else { break }
      let byte = unsafe base[at]
      at += byte == 0x0D ? 2 : 1
      if byte != delimiter { break }
    }
    at = min(at, end)
    let bad = unsafe Int(bb_first_not_utf8(base + start, at - start))
    guard bad == at - start else {
      throw CSVSyntaxError.notUTF8(byte: piece.place.offset + start - piece.start + bad, at: start + bad)
    }
    first.end = at
    return first
  }

  /// Reads the field at `at`, which advances to the delimiter or line end after it.
  private static func field(
    _ base: UnsafePointer<UInt8>, _ at: inout Int, _ end: Int, _ delimiter: UInt8, isStrict: Bool, _ strays: inout Int
  ) throws(CSVSyntaxError) -> [UInt8] {
    let quote = UInt8(ascii: "\""), start = at
    var field: [UInt8] = []
    guard at < end, unsafe base[at] == quote else {
      while at < end, unsafe base[at] != delimiter && base[at] != 0x0A && !isLineEnd(base, at, end) {
        let byte = unsafe base[at]
        if byte == quote, isStrict { throw CSVSyntaxError.strayQuote(at: at) }
        if byte == 0x0D { throw CSVSyntaxError.bareReturn(at: at) }
        field.append(byte)
        at += 1
      }
      if field.contains(quote) { strays += 1 }
      return field
    }
    at += 1
    while true {
      guard at < end else { throw CSVSyntaxError.unclosedQuote(at: start) }
      let byte = unsafe base[at]
      at += 1
      if byte == quote {
        guard at < end, unsafe base[at] == quote else { break }
        at += 1
      }
      field.append(byte)
    }
    guard unsafe at == end || base[at] == delimiter || base[at] == 0x0A || isLineEnd(base, at, end) else {
      throw CSVSyntaxError.textBehindQuote(at: start)
    }
    return field
  }

  /// Whether a carriage return with its line feed is at this position.
  private static func isLineEnd(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Bool {
    unsafe base[at] == 0x0D && at + 1 < end && base[at + 1] == 0x0A
  }
}
