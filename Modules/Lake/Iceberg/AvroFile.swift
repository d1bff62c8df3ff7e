import Codecs

/// Values in the binary encoding of Avro.
struct AvroValues {
  private(set) var bytes: [UInt8] = []

  /// Appends an `int` or a `long`.
  mutating func append(_ number: Int64) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    while rest > 127 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends `bytes` or a `string`.
  mutating func append(_ value: some Collection<UInt8>) {
    append(Int64(value.count))
    bytes += value
  }

  /// Appends a `string`.
  mutating func append(_ text: String) { append(text.utf8) }

  /// Appends bytes whose number the schema says.
  mutating func append(fixed value: [UInt8]) { bytes += value }

  /// Appends an array of which each item is encoded already.
  mutating func append(array items: [[UInt8]]) {
    if !items.isEmpty {
      append(Int64(items.count))
      for item in items { bytes += item }
    }
    append(0)
  }

  /// The encoding of the values that `body` appends.
  static func encoding(_ body: (inout AvroValues) -> Void) -> [UInt8] {
    var values = AvroValues()
    body(&values)
    return values.bytes
  }

  /// An object container file of one block, which is not compressed.
  /// - Parameters:
  ///   - schema: the schema of the records.
  ///   - metadata: further entries of the header.
  static func file(_ schema: JSON, _ metadata: KeyValuePairs<String, String>, records: [[UInt8]]) -> [UInt8] {
    let mark = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    var file = AvroValues()
    file.append(fixed: Array("Obj".utf8) + [1])
    let entries = [("avro.schema", String(decoding: schema.canonicalBytes, as: UTF8.self)), ("avro.codec", "null")]
    file.append(
      array: (entries + metadata.map { ($0.key, $0.value) }).map { entry in
        encoding {
          $0.append(entry.0)
          $0.append(entry.1)
        }
      })
    file.append(fixed: mark)
    guard !records.isEmpty else { return file.bytes }
    file.append(Int64(records.count))
    file.append(Int64(records.reduce(0) { $0 + $1.count }))
    for record in records { file.append(fixed: record) }
    file.append(fixed: mark)
    return file.bytes
  }
}
