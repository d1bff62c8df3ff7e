import Codecs
import Rows
import Testing

@Suite("CSV against the book") struct CSVRandomTests {
  /// Pieces that random texts are made of: all that means something, and their neighbours.
  static let words = [
    "a", "1", ",", ",", "\"", "\"", "\"\"", "\n", "\n", "\r\n", "\r", "é", "\\N", "\",\"", "\"\n\"", "x,y\n", "\u{0}",
    " ",
  ]

  /// The rows as the book has them.
  static func expected(_ table: (header: [CSVReference.Field], rows: [[CSVReference.Field]])) -> [[Value]] {
    table.rows.map { row in
      row.map { !$0.isQuoted && $0.bytes.isEmpty ? .null : .text($0.bytes) }
    }
  }

  /// The rows as the reader has them, all columns as text; nil when it refuses the text.
  static func read(_ bytes: [UInt8]) throws -> [[Value]]? {
    var reading = CSVReading()
    do throws(Problem) {
      let names = try CSVRowStream.inferring(MemoryByteSource(bytes, name: "t"), table: "t").schema.columns.map(\.name)
      for name in names { reading.types[name] = .text }
      let stream = try CSVRowStream.inferring(MemoryByteSource(bytes, name: "t"), table: "t", reading)
      var rows: [[Value]] = []
      while let work = try stream.nextWork() {
        let batch = try work.batch()
        for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
      }
      return rows
    } catch {
      #expect(error.kind == .badData)
      return nil
    }
  }

  @Test("random texts are read, or refused, as the book says", arguments: 0..<8) func random(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var accepted = 0
    for _ in 0..<1500 {
      var text = random.next() % 2 == 0 ? "a,b\n" : "k\n"
      if random.next() % 4 == 0 { text = "" }
      if random.next() % 2 == 0 {
        text += "\"" + String(repeating: "-", count: Int(random.next() % 130)) + "\""
      }
      for _ in 0..<random.next() % 16 { text += Self.words[Int(random.next() % UInt64(Self.words.count))] }
      let bytes = Array(text.utf8)
      let expected = CSVReference.table(bytes).map(Self.expected)
      let rows = try Self.read(bytes)
      #expect(rows == expected, "\(text.debugDescription)")
      if rows != nil { accepted += 1 }
    }
    #expect(accepted > 150, "too few of the texts are tables")
  }

  /// Random numbers that are the same in every run.
  struct SplitMix {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }
}
