/// The output of a converter: RFC 4180 text, whose records begin in the lines where they were.
struct ConvertedText {
  /// The text that was not taken yet.
  var bytes: [UInt8] = []
  /// The records so far, with the header.
  private(set) var records = 0
  /// The line that the text has reached.
  private var line = 1

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

  /// Adds a record.
  mutating func append(_ fields: [[UInt8]], _ quoted: [Bool], _ delimiter: UInt8, isLong: Bool) {
    if isLong {
      bytes.reserveCapacity(bytes.count + fields.reduce(0) { $0 + $1.count + $1.count(where: { $0 == 0x22 }) + 3 })
    }
    for (column, field) in fields.enumerated() {
      if column > 0 { bytes.append(delimiter) }
      // A field in quotes is text, whatever a field without them would mean.
      var needsQuotes = column < quoted.count && quoted[column]
      for byte in field where byte == delimiter || byte == 0x22 || byte == 0x0A || byte == 0x0D { needsQuotes = true }
      if needsQuotes {
        bytes.append(0x22)
        for byte in field {
          if byte == 0x22 { bytes.append(byte) }
          if byte == 0x0A { line += 1 }
          bytes.append(byte)
        }
        bytes.append(0x22)
      } else {
        bytes += field
      }
    }
    bytes.append(0x0A)
    count(1)
  }
}
