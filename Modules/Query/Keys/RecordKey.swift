public import Rows

/// The key of a record as one text: its values with `/` between them, as in `Breaking Bad/5/14`; a `/` or `%` inside a
/// value is `%2F` or `%25`.
///
/// The key in favourites and on the command line.
public enum RecordKey {
  /// The key of a row, UTF-8; nil when the schema has no key.
  public static func text(of row: Int, in batch: RowBatch, _ schema: Schema) -> [UInt8]? {
    guard !schema.key.isEmpty else { return nil }
    let reader = CellReader(batch)
    var text: [UInt8] = []
    for (place, column) in schema.key.enumerated() {
      if place > 0 { text.append(UInt8(ascii: "/")) }
      let cell = reader.cell(row, column)
      guard let bytes = unsafe reader.bytes(of: cell) else {
        text += cell.plainText.utf8
        continue
      }
      let copied = unsafe Array(bytes)
      for byte in copied { append(byte, to: &text) }
    }
    return text
  }

  /// Adds a byte of a value, spelled out where it would part values.
  package static func append(_ byte: UInt8, to text: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "/"): text += "%2F".utf8
    case UInt8(ascii: "%"): text += "%25".utf8
    default: text.append(byte)
    }
  }
}
