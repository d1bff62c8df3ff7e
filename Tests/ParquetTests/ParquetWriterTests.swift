import Testing

@testable import Codecs
@testable import Parquet

@Suite("Parquet: parts of the writer") struct ParquetWriterTests {
  @Test(
    "a dictionary is kept while it pays, and every value is that which was appended",
    arguments: [
      (values: 10_000, distinct: 7, hasDictionary: true), (4096, 4096, true), (4097, 4097, false),
      (200_000, 3000, true), (200_000, 70_000, false),
    ])
  func dictionary(_ values: Int, _ distinct: Int, _ hasDictionary: Bool) {
    var entries = ParquetEntries<Int64>(dictionary: true, capacity: values)
    let all = (0..<values).map { Int64($0 % distinct) &* 0x1_0000_0001 }
    for value in all { entries.append(value) }
    #expect(entries.isDictionary == hasDictionary)
    #expect(entries.entries.count == (hasDictionary ? distinct : values))
    #expect((0..<values).allSatisfy { entries[$0] == all[$0] })
  }

  @Test(
    "a column without values has no dictionary",
    arguments: [ParquetColumn.Kind.text, .real, .integer])
  func noDictionary(_ kind: ParquetColumn.Kind) throws {
    let column = ParquetColumn(position: 0, name: "a", kind: kind, isList: false)
    var values = ParquetValues(column, rows: 10, dictionary: true)
    values.finish()
    #expect(!values.isDictionary)
  }

  /// Texts at whose length or last character a bound is cut or raised.
  private static let texts: [String] = [
    "", "a", String(repeating: "z", count: 64), String(repeating: "z", count: 65), String(repeating: "é", count: 33),
    String(repeating: "\u{10FFFF}", count: 17), "x" + String(repeating: "\u{10FFFF}", count: 20),
    String(repeating: "\u{D7FF}", count: 22), String(repeating: "\u{7F}", count: 70), "\u{0}", "日本",
  ]

  @Test("every value is between the bounds, and a shorter upper bound does not exclude it") func bounds() throws {
    for (low, high) in Self.texts.flatMap({ low in Self.texts.map { (low, $0) } }) {
      let low = Array(low.utf8), high = Array(high.utf8)
      guard !high.lexicographicallyPrecedes(low) else { continue }
      for isText in [true, false] {
        let bounds = unsafe low.withUnsafeBufferPointer { low in
          unsafe high.withUnsafeBufferPointer { unsafe ParquetBounds(low, $0, isText: isText) }
        }
        guard case .bytes(let least, _)? = bounds.least else { throw Unbounded() }
        #expect(!low.lexicographicallyPrecedes(least))
        guard case .bytes(let greatest, let isExact)? = bounds.greatest else {
          #expect(bounds.isUnbounded)
          continue
        }
        #expect(!greatest.lexicographicallyPrecedes(high))
        #expect(isExact == (greatest == high))
        if isText { #expect(String(validating: greatest, as: UTF8.self) != nil) }
      }
    }
  }
  private struct Unbounded: Error {}

  @Test("bounds of zeros include both signs") func zeros() {
    let bounds = ParquetBounds(0.0, -0.0)
    #expect(bounds.least?.encoded(for: .real) == [0, 0, 0, 0, 0, 0, 0, 0x80])
    #expect(bounds.greatest?.encoded(for: .real) == [0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test(
    "xxHash64 gives the values of its reference",
    arguments: [("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B)])
  func hash(_ text: String, _ expected: UInt64) {
    let hash = unsafe Array(text.utf8).withUnsafeBytes { unsafe XXHash64.hash($0) }
    #expect(hash == expected)
  }

  @Test("a timestamp is stored only if a reader writes the same text") func timestamps() {
    func micros(_ text: String) -> Int64? {
      unsafe Array(text.utf8).withUnsafeBufferPointer { bytes in
        unsafe bytes.baseAddress.flatMap {
          unsafe EpochTime.value(of: ByteRun(start: $0, count: bytes.count), in: .microseconds, isExact: true)
        }
      }
    }
    #expect(micros("1970-01-01T00:00:00Z") == 0)
    #expect(micros("1969-12-31T23:59:59.5Z") == -500_000)
    #expect(micros("2024-02-29T12:34:56.000001Z") == 1_709_210_096_000_001)
    for text in [
      "2024-02-30T00:00:00Z", "2024-02-29T12:34:60Z", "2024-02-29T12:34:56.50Z",
      "0000-01-01T00:00:00Z", "2024-02-29T12:34:56.1234567Z",
    ] {
      #expect(micros(text) == nil, "\(text)")
    }
  }
}
