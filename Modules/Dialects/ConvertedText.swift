/// The output of a converter: RFC 4180 text, whose records begin in the lines where they were.
struct ConvertedText {
  /// The text that was not taken yet.
  var bytes: [UInt8] = []
  /// The records so far, with the header.
  private(set) var records = 0
  /// The line that the text has reached.
  private var line = 1
  /// The record whose fields are added, the field and its byte that come next, and whether it is in quotes.
  private var rest: (fields: [[UInt8]], quoted: [Bool])?
  private var column = 0, next = 0, isQuoted = false

  /// Bytes of a record that are added at once.
  private static let portion = 1 << 16

  /// Adds empty lines up to a line.
  mutating func advance(to next: Int) {
    while line < next {
      bytes.append(0x0A)
      line += 1
    }
  }

  /// Counts records that were added to `bytes`, each in one line.
  mutating func count(_ more: Int) {
    records += more
    line += more
  }

  /// Adds a record; of a long one only the beginning, so that it is not in memory twice.
  mutating func append(_ fields: [[UInt8]], _ quoted: [Bool], _ delimiter: UInt8) {
    rest = (fields, quoted)
    _ = appendRest(delimiter)
  }

  /// Adds more of the record; false if it is complete.
  mutating func appendRest(_ delimiter: UInt8) -> Bool {
    guard let (fields, quoted) = rest else { return false }
    let most = bytes.count + Self.portion
    while column < fields.count {
      let field = fields[column]
      if next == 0 {
        if column > 0 { bytes.append(delimiter) }
        // A field in quotes is text, whatever a field without them would mean.
        isQuoted = column < quoted.count && quoted[column]
        for byte in field where byte == delimiter || byte == 0x22 || byte == 0x0A || byte == 0x0D { isQuoted = true }
        if isQuoted { bytes.append(0x22) }
      }
      let end = min(next + max(most - bytes.count, 1), field.count)
      if isQuoted {
        for byte in field[next..<end] {
          if byte == 0x22 { bytes.append(byte) }
          if byte == 0x0A { line += 1 }
          bytes.append(byte)
        }
      } else {
        bytes += field[next..<end]
      }
      next = end
      if end < field.count { return true }
      if isQuoted { bytes.append(0x22) }
      (column, next) = (column + 1, 0)
    }
    bytes.append(0x0A)
    count(1)
    (rest, column) = (nil, 0)
    return true
  }
}
