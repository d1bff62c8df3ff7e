import Codecs
import Rows

/// Reads the cells of a sheet of an OpenDocument spreadsheet (ISO/IEC 26300) row by row.
///
/// Rows and cells may be repeated; repeated rows without values are only counted. The value of a cell is the one that
/// was stored, not the text that shows it, except for texts themselves.
final class OpenDocumentReader: SheetReader {
  /// The most cells with values that repetition may make: a small file exceeds them only if it was made to.
  private static let mostRepeated = 1 << 26

  private var tables = 0, isInTable = false, tableDepth = 0
  /// The repetitions of the current row that are left, and the cells with values that repetition has made.
  private var repeats = 0, repeated = 0

  override func next() throws(Problem) -> Bool {
    if repeats > 0 {
      repeats -= 1
      try advance(1)
      return true
    }
    while true {
      switch try xml.next() {
      case .start:
        if !isInTable {
          guard xml.isNamed("table") else { continue }
          tables += 1
          if tables == tab.position + 1 { (isInTable, tableDepth) = (true, xml.depth) } else { try xml.skip() }
        } else if xml.isNamed("table-row") {
          if try readRow() { return true }
        } else if !xml.isNamed("table-rows"), !xml.isNamed("table-header-rows"), !xml.isNamed("table-row-group") {
          try xml.skip()
        }
      case .end: if xml.depth < tableDepth { isInTable = false }
      case .finished: return false
      case .text: break
      }
    }
  }

  /// The number in an attribute of the current element, 1 without it.
  private func times(_ name: StaticString) throws(Problem) -> Int {
    guard let range = xml.attribute(name) else { return 1 }
    guard let number = Self.number(xml.run(range)), number > 0 else {
      throw xml.problem("invalid number of repetitions")
    }
    return number
  }

  /// Reads the current row; false if it has no values.
  private func readRow() throws(Problem) -> Bool {
    clearRow()
    let count = try times("number-rows-repeated"), outside = xml.depth - 1
    var column = 0
    while xml.depth > outside {
      guard case .start = try xml.next() else { continue }
      guard xml.isNamed("table-cell") || xml.isNamed("covered-table-cell") else {
        try xml.skip()
        continue
      }
      let width = try times("number-columns-repeated")
      // Of merged cells the first has the value.
      if xml.isNamed("covered-table-cell") {
        try xml.skip()
      } else if let value = try readCell(column) {
        guard column + width <= SheetWriter.maximumColumns else {
          throw xml.problem("row \(row + 1) has more than \(SheetWriter.maximumColumns) cells")
        }
        for place in column..<(column + width) { cells.append(SheetCell(column: place, value: value)) }
        try checkSize(column)
      }
      column += width
    }
    guard !cells.isEmpty else {
      skipRows(count)
      return false
    }
    repeated += cells.count * (count - 1)
    guard repeated <= Self.mostRepeated else {
      throw xml.problem("repeated rows have more than \(Self.mostRepeated) cells")
    }
    repeats = count - 1
    try advance(1)
    return true
  }

  /// The value of the current cell, read to its end; nil for an empty one.
  private func readCell(_ column: Int) throws(Problem) -> SheetCell.Value? {
    let type = try xml.value("value-type"), start = bytes.count
    func put(_ name: StaticString) throws(Problem) -> Int? {
      guard let range = xml.attribute(name) else { return nil }
      return try add(range, isRaw: true)
    }
    let stored: Int? =
      switch type {
      case "float", "percentage", "currency": try put("value")
      case "date": try put("date-value")
      case "time": try put("time-value")
      case "boolean": try put("boolean-value")
      case "string": try put("string-value")
      default: nil
      }
    guard let type, let count = stored, type != "string" || count > 0 else {
      let isFormula = xml.attribute("formula") != nil
      let count = try readText()
      if count == 0 {
        if isFormula, type == nil { formulasWithoutResult += 1 }
        return type == "string" ? .text(start, 0) : nil
      }
      guard isFormula, [UInt8(ascii: "#"), UInt8(ascii: "E")].contains(bytes.run(from: start)[0]), stored == 0 else {
        return .text(start, count)
      }
      errors += 1
      return .error(start, count)
    }
    try xml.skip()
    let text = bytes.run(from: start).bytes
    switch type {
    case "float", "percentage", "currency": return try number(start, count, .number, column)
    case "date": return Dates.isDate(text) ? .date(start, count) : moment(start, count)
    case "boolean":
      let isTrue = text.elementsEqual("true".utf8)
      guard isTrue || text.elementsEqual("false".utf8) else { throw problem("invalid Boolean", column) }
      return .boolean(isTrue)
    case "time":
      guard let clock = Self.clock(text) else { return .text(start, count) }
      bytes.truncate(to: start)
      bytes.append(bytes: clock)
      return .time(start, clock.count)
    default: return .text(start, count)
    }
  }

  /// Appends the paragraphs of the current cell and reads it to its end; the number of bytes.
  private func readText() throws(Problem) -> Int {
    let start = bytes.count, outside = xml.depth - 1
    var paragraphs = 0
    /// Whether white space at this place counts: after another character of the paragraph.
    var isAfterText = false
    while xml.depth > outside {
      switch try xml.next() {
      case .start:
        if xml.depth == outside + 2 {
          guard xml.isNamed("p") else {
            try xml.skip()
            continue
          }
          if paragraphs > 0 { bytes.append(byte: 0x0A) }
          (paragraphs, isAfterText) = (paragraphs + 1, false)
        } else if xml.isNamed("s") {
          let count = try xml.attribute("c") == nil ? 1 : times("c")
          bytes.append(bytes: Array(repeating: 0x20, count: min(count, maximumField + 1)))
        } else if xml.isNamed("tab") {
          bytes.append(byte: 0x09)
        } else if xml.isNamed("line-break") {
          bytes.append(byte: 0x0A)
        } else if xml.isNamed("annotation") || xml.isNamed("note") || xml.isNamed("ruby-text") {
          try xml.skip()
        }
      case .text:
        guard xml.depth > outside + 1 else { continue }
        let before = bytes.count
        _ = try add(xml.text, isRaw: xml.isRaw)
        // Runs of white space are one space (part 3, 6.1.2).
        let text = bytes.run(from: before).bytes
        var kept: [UInt8] = []
        for byte in text {
          let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
          if !isSpace { kept.append(byte) } else if isAfterText { kept.append(0x20) }
          isAfterText = !isSpace
        }
        bytes.truncate(to: before)
        bytes.append(bytes: kept)
      case .end: break
      case .finished: return bytes.count - start
      }
      guard bytes.count - start <= maximumField else { throw RichText.tooLarge(xml, maximumField) }
    }
    return bytes.count - start
  }

  /// A duration such as `PT10H30M00S` as a time of day; nil for another text.
  private static func clock(_ duration: [UInt8]) -> [UInt8]? {
    guard duration.starts(with: "PT".utf8) else { return nil }
    var parts: [UInt8: [UInt8]] = [:], digits: [UInt8] = []
    for byte in duration.dropFirst(2) {
      if byte &- 48 < 10 || byte == UInt8(ascii: ".") {
        digits.append(byte)
      } else {
        guard "HMS".utf8.contains(byte), !digits.isEmpty, parts.updateValue(digits, forKey: byte) == nil else {
          return nil
        }
        digits = []
      }
    }
    guard digits.isEmpty, !parts.isEmpty else { return nil }
    func padded(_ unit: Unicode.Scalar) -> [UInt8] {
      let digits = parts[UInt8(ascii: unit)] ?? []
      return Array(repeating: 48, count: max(0, 2 - digits.prefix { $0 != UInt8(ascii: ".") }.count)) + digits
    }
    var seconds = padded("S")
    if seconds.contains(UInt8(ascii: ".")) {
      while seconds.last == 48 { seconds.removeLast() }
      if seconds.last == UInt8(ascii: ".") { seconds.removeLast() }
    }
    return padded("H") + [UInt8(ascii: ":")] + padded("M") + [UInt8(ascii: ":")] + seconds
  }
}
