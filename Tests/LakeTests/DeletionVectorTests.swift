import Codecs
import Exporters
import Query
import Rows
import Synchronization
import Testing

@testable import Domain
@testable import Lake

/// A deletion vector, written as the format describes it.
private struct WrittenVector {
  private(set) var bytes = number(1_681_511_377, 4)

  static func number(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// - Parameter runs: whether rows that follow each other are stored as runs.
  init(_ rows: Set<Int>, runs: Bool) {
    let maps = Dictionary(grouping: rows) { $0 >> 32 }
    bytes += Self.number(maps.count, 8)
    for (key, rows) in maps.sorted(by: { $0.key < $1.key }) {
      let parts = Dictionary(grouping: rows) { $0 >> 16 & 0xFFFF }.sorted { $0.key < $1.key }
      bytes += Self.number(key, 4)
      bytes +=
        runs ? Self.number(12347 | (parts.count - 1) << 16, 4) : Self.number(12346, 4) + Self.number(parts.count, 4)
      if runs { bytes += [UInt8](repeating: 0xFF, count: (parts.count + 7) / 8) }
      for (key, rows) in parts { bytes += Self.number(key, 2) + Self.number(rows.count - 1, 2) }
      if !runs || parts.count >= 4 { bytes += [UInt8](repeating: 0, count: parts.count * 4) }
      for (_, rows) in parts {
        let values = rows.map { $0 & 0xFFFF }.sorted()
        if runs {
          var found: [(start: Int, end: Int)] = []
          for value in values {
            if found.last?.end == value - 1 { found[found.count - 1].end = value } else { found.append((value, value)) }
          }
          bytes += Self.number(found.count, 2)
          for run in found { bytes += Self.number(run.start, 2) + Self.number(run.end - run.start, 2) }
        } else if values.count <= 4096 {
          for value in values { bytes += Self.number(value, 2) }
        } else {
          var bits = [UInt8](repeating: 0, count: 8192)
          for value in values { bits[value / 8] |= 1 << UInt8(value % 8) }
          bytes += bits
        }
      }
    }
  }

  /// The text in Z85, filled up with zeros.
  static func z85(_ bytes: [UInt8]) -> String {
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")
    let whole = bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    var text = ""
    for start in stride(from: 0, to: whole.count, by: 4) {
      var value = whole[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }, digits: [Character] = []
      for _ in 0..<5 {
        digits.append(letters[value % 85])
        value /= 85
      }
      text += String(digits.reversed())
    }
    return text
  }

  /// The file of a vector at offset 1.
  var file: [UInt8] {
    get throws {
      try [1] + Self.number(bytes.count, 4).reversed() + bytes
        + Self.number(Int(Zlib.crc32(unsafe bytes.span.bytes)), 4).reversed()
    }
  }
}

/// Numbers that are the same in each run.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 32 ^ state) &* 0x9E37_79B9_7F4A_7C15
  }
}

@Suite("deletion vectors") struct DeletionVectorTests {
  @Test("rows come back, in lists, bits and runs, in every range", arguments: 0..<24) func rows(seed: Int) throws {
    var random = Numbers(state: UInt64(seed))
    var rows: Set<Int> = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let start = [0, 65_530, 3 << 16, 1 << 32, (1 << 32) + 70_000].randomElement(using: &random) ?? 0
      let step = [1, 1, 3, 17].randomElement(using: &random) ?? 1
      for place in 0..<Int.random(in: 1...9000, using: &random) { rows.insert(start + place * step) }
    }
    let vector = try DeletionVector(WrittenVector(rows, runs: seed % 2 == 0).bytes), sorted = rows.sorted()
    #expect(vector.count == rows.count && vector.last == sorted.last)
    #expect(vector.rows(in: 0..<Int.max) == sorted)
    for _ in 0..<40 {
      let start = max(0, (sorted.randomElement(using: &random) ?? 0) - Int.random(in: 0...9, using: &random))
      let end = start + Int.random(in: 0...70_000, using: &random)
      #expect(vector.rows(in: start..<end) == sorted.filter { (start..<end).contains($0) }, "\(start)..<\(end)")
    }
  }

  @Test("a vector of which a part is missing or changed is refused, or gives numbers") func damaged() throws {
    let whole = WrittenVector(Set((0..<200).map { $0 * 700 }), runs: false).bytes
    for count in 0..<whole.count {
      #expect(throws: Problem.self) { try DeletionVector(Array(whole.prefix(count))) }
      var changed = whole
      changed[count] ^= 0x41
      if let vector = try? DeletionVector(changed) {
        #expect(vector.rows(in: 0..<Int.max).count == vector.count)
      }
    }
    #expect(throws: Problem.self) { try DeletionVector(whole + [0]) }
  }

  // MARK: - Tables

  private let table = MemoryTable()

  /// A table of the numbers from 0, of which the log describes one file, with a deletion vector.
  private func write(_ count: Int, _ vector: String) async throws {
    table.files.withLock { $0 = [:] }
    var builder = RowBatchBuilder(width: 1)
    for row in 0..<count { builder.append(integer: Int64(row)) }
    let rows = BufferedRows(
      schema: Schema("rows", columns: [ColumnDescription("id", .integer)]), batches: [builder.finish()])
    let exporter = DeltaExporter(try DeltaLocation("delta:memory"), in: table, format: ParquetExporter(), threads: 1) {
      0
    }
    let export = Export(to: [.init(exporter, ExportOptions()) { Nowhere() }], threads: 1, scratch: NoScratch())
    _ = try await export.run(rows) { $0 }
    let path = try #require(try table.actions(0).compactMap { $0["add"]?["path"]?.stringValue }.first)
    table.write(
      #"{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}"#,
      #"{"remove":{"path":"\#(path)"}}"#, #"{"add":{"path":"\#(path)","size":1,"deletionVector":\#(vector)}}"#, as: 1)
  }

  private func rows(where condition: String? = nil) async throws(Problem) -> [Int64] {
    let source = try DeltaSource(try DeltaLocation("delta:memory"), in: table, FileInputOptions())
    var request = RowRequest()
    if let condition {
      var selection = Selection()
      try selection.filter(by: condition)
      request.selection = selection
    }
    let stream = try await source.rows(of: "memory", request)
    var found: [Int64] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count { if case .integer(let number) = batch.value(row, 0) { found.append(number) } }
    }
    return found
  }

  private static func inline(_ vector: WrittenVector, cardinality: Int) -> String {
    let text = WrittenVector.z85(vector.bytes)
    return
      #"{"storageType":"i","pathOrInlineDv":"\#(text)","sizeInBytes":\#(vector.bytes.count),"cardinality":\#(cardinality)}"#
  }

  @Test("deleted rows are omitted, in the log and in files, and from parts of a file") func deleted() async throws {
    let deleted = Set((0..<9000).map { $0 * 3 }), kept = (0..<Int64(30_000)).filter { !deleted.contains(Int($0)) }
    let vector = WrittenVector(deleted, runs: false)
    try await write(30_000, Self.inline(vector, cardinality: 9000))
    #expect(try await rows() == kept)
    #expect(try await rows(where: "id > 29000").suffix(500) == kept.suffix(500))
    // As in a directory `ab`: 16 bytes of zeros in Z85 are 20 zeros.
    let place = #"{"storageType":"u","pathOrInlineDv":"ab00000000000000000000","offset":1,"#
    try await write(30_000, place + #""sizeInBytes":\#(vector.bytes.count),"cardinality":9000}"#)
    #expect(await problem { _ = try await rows() }?.message.contains("does not exist") == true)
    let file = "ab/deletion_vector_00000000-0000-0000-0000-000000000000.bin", bytes = try vector.file
    table.replace(file, bytes)
    #expect(try await rows() == kept)
    for place in [0, 1, 4, 5, 20, bytes.count - 1] {
      var changed = bytes
      changed[place] ^= 0x10
      table.replace(file, changed)
      // The version of the file is not a claim about the vector.
      #expect(await problem { _ = try await rows() }?.kind == (place == 0 ? nil : .badData), "byte \(place)")
    }
    try await write(30_000, #"{"storageType":"p","pathOrInlineDv":"a%20b","sizeInBytes":9,"cardinality":1}"#)
    table.replace("a b", bytes)
    #expect(await problem { _ = try await rows() }?.kind == .badData)
  }

  @Test("claims of the log about a vector are checked") func claims() async throws {
    let vector = WrittenVector([1, 5, 99], runs: true), end = WrittenVector([100], runs: false)
    for place in [
      Self.inline(vector, cardinality: 2), Self.inline(end, cardinality: 1),
      #"{"storageType":"i","pathOrInlineDv":"abc","sizeInBytes":3,"cardinality":1}"#,
      #"{"storageType":"u","pathOrInlineDv":"short","sizeInBytes":3,"cardinality":1}"#,
      #"{"storageType":"p","pathOrInlineDv":"../x","sizeInBytes":3,"cardinality":1}"#,
      #"{"storageType":"x","pathOrInlineDv":"x","sizeInBytes":3,"cardinality":1}"#, #"{"storageType":"i"}"#,
      #"{"storageType":"p","pathOrInlineDv":"x","sizeInBytes":3000000000,"cardinality":1}"#,
    ] {
      try await write(100, place)
      #expect(await problem { _ = try await rows() }?.kind == .badData, "\(place)")
    }
    try await write(100, Self.inline(vector, cardinality: 3))
    #expect(try await rows().count == 97)
    let vacuum = await problem { _ = try await DeltaVacuum(table).unusedFiles(before: Instant(seconds: 1)) }
    #expect(vacuum?.message.contains("deletionVectors") == true)
  }

  private func problem(_ body: () async throws -> Void) async -> Problem? {
    do { try await body() } catch { return error as? Problem }
    return nil
  }
}
