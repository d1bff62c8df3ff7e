/// A plain reader of CSV, byte by byte, with which the fast one is compared.
struct CSVReference {
  struct Refused: Error {}
  /// A field: its text, and whether it was quoted.
  struct Field: Equatable {
    var bytes: [UInt8] = []
    var isQuoted = false
  }
  private let bytes: [UInt8]
  private var at = 0

  /// The header's fields and those of every record; nil if the text is refused.
  static func table(_ bytes: [UInt8]) -> (header: [Field], rows: [[Field]])? {
    var reference = CSVReference(bytes: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    return try? reference.table()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func table() throws(Refused) -> (header: [Field], rows: [[Field]]) {
    var records: [[Field]] = []
    while at < bytes.count {
      let record = try record()
      let isBlank = record == [Field()]
      if isBlank, records.isEmpty || records[0].count > 1 { continue }
      if let header = records.first, header.count != record.count { throw Refused() }
      records.append(record)
    }
    guard let header = records.first else { throw Refused() }
    return (header, Array(records.dropFirst()))
  }

  /// The length of a line end here; 0 for none. The end of the text ends a line as well.
  private var lineEnd: Int? {
    if at == bytes.count { return 0 }
    if bytes[at] == 0x0A { return 1 }
    guard bytes[at] == 0x0D else { return nil }
    if at + 1 == bytes.count { return 1 }
    return bytes[at + 1] == 0x0A ? 2 : nil
  }

  private mutating func record() throws(Refused) -> [Field] {
    var fields: [Field] = []
    while true {
      fields.append(try field())
      if let length = lineEnd {
        at += length
        return fields
      }
      guard bytes[at] == UInt8(ascii: ",") else { throw Refused() }
      at += 1
    }
  }

  private mutating func field() throws(Refused) -> Field {
    let quote = UInt8(ascii: "\"")
    var field = Field()
    guard at < bytes.count, bytes[at] == quote else {
      while lineEnd == nil, bytes[at] != UInt8(ascii: ",") {
        if bytes[at] == 0x0D { throw Refused() }
        field.bytes.append(bytes[at])
        at += 1
      }
      return field
    }
    field.isQuoted = true
    at += 1
    while at < bytes.count {
      if bytes[at] == quote {
        at += 1
        guard at < bytes.count, bytes[at] == quote else { return field }
      }
      field.bytes.append(bytes[at])
      at += 1
    }
    throw Refused()
  }
}
