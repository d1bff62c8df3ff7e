import Codecs
import Conformance
import Dialects
import Rows
import TestSupport
import Testing

/// Repair of damaged files loses nothing, in bounded time and memory.
@Suite struct RepairTests {
  @Test("long lines take linear time and bounded memory", .timeLimit(.minutes(1))) func longLines() async throws {
    let line = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
    let reading = try await DialectTests.read(
      [97, 44, 98, 10] + line + [44] + line + [10], DialectTests.repairing, portion: 16)
    #expect(reading.lines.count == 2)
    await #expect(throws: Problem.self) {
      _ = try await DialectTests.read([97, 44, 98, 10] + line + line + line, DialectTests.repairing)
    }
  }

  @Test(
    "long damaged records lose nothing, and take linear time", .timeLimit(.minutes(1)),
    arguments: [
      ([], 0x78, [], nil), ([0x22], 0x78, [0x22, 0x79], "text after a closing quote,guessed"),
      ([0x22], 0x0A, [0x22], nil), ([], 0xE9, [], "bad encoding,repaired"),
      ([], 0x78, [0x2C, 0x78], "long row,surplus cut"),
      ([0x22], 0x22, [0x22, 0x79], "text after a closing quote,guessed"),
    ] as [([UInt8], UInt8, [UInt8], String?)])
  func longDamage(_ start: [UInt8], _ middle: UInt8, _ end: [UInt8], _ reject: String?) async throws {
    let plain = Array(repeating: UInt8(ascii: "x"), count: 500_000)
    let field = start + plain[..<300_000] + Array(repeating: middle, count: 300_000) + end
    let text = Array("id,a,b\n1,x,y\n0,".utf8) + field + [0x2C] + plain + Array("\n2,x,y\n".utf8)
    let reading = try await DialectTests.read(text, DialectTests.repairing)
    #expect(reading.rejects.first.map { $0.split(separator: ",").suffix(2).joined(separator: ",") } == reject)
    #expect(try await DialectTests.read(text, DialectTests.repairing, portion: 999) == reading)
    let wide = try await DialectTests.read([0xFF, 0xFE] + text.flatMap { [$0, 0] }, DialectTests.repairing)
    let isText = middle == 0xE9
    let records = [wide, reading].map { $0.rejects.count { !$0.hasSuffix(",continued") } }
    #expect(records[0] == (isText ? 0 : records[1]))
    if !isText { #expect(wide.lines == reading.lines) }
  }

  @Test(
    "bytes that an encoding does not have are refused, or reported by --repair",
    arguments: [
      (.utf16le, [0x31, 0, 0x2C, 0, 0, 0xD8, 0x78, 0, 0x0A, 0], 12, "2,8,10"),
      (.shiftJIS, [0x31, 0x2C, 0xFF, 0x78, 0x0A], 6, "2,4,5"), (.gb18030, [0x31, 0x2C, 0x82, 0x0A], 6, "2,4,4"),
    ] as [(CharacterEncoding, [UInt8], Int, String)])
  func invalidUnits(_ encoding: CharacterEncoding, _ row: [UInt8], _ byte: Int, _ place: String) async throws {
    var options = DialectOptions()
    options.encoding = encoding
    let text = Array("a,b\n".utf8).flatMap { encoding == .utf16le ? [$0, 0] : [$0] } + row
    let problem = await #expect(throws: Problem.self) { try await DialectTests.read(text, options) }
    #expect(problem?.description.hasPrefix("t.csv:2: invalid \(encoding.rawValue) at byte \(byte)") == true)
    options.repairs = true
    let reading = try await DialectTests.read(text, options, portion: 3)
    #expect(reading.lines.last?.contains("\u{FFFD}") == true)
    #expect(reading.rejects == ["\(place),bad encoding,repaired"])
  }

  @Test(
    "a header without a name for the first column, as R writes it, or for an empty last one", arguments: ["\t", " "])
  func shortHeader(_ delimiter: String) async throws {
    let rows = (1...9).map { ["\"gene \($0)\"", "\($0).5", "\($0).25"].joined(separator: delimiter) }
    for (end, names) in [("", "column1|ctrl|treat"), (delimiter, "name|ctrl|treat|column4")] {
      let header = (end.isEmpty ? [] : ["name"]) + ["ctrl", "treat"]
      let text = ([header.joined(separator: delimiter)] + rows.map { $0 + end }).joined(separator: "\n") + "\n"
      let reading = try await DialectTests.read(Array(text.utf8), DialectTests.repairing)
      #expect(reading.lines.prefix(2) == [names, "gene 1|1.5|1.25" + (end.isEmpty ? "" : "|~")])
    }
  }

  @Test("records of very many fields are complete in the rejects") func manyFields() async throws {
    let text = Array(
      (DialectTests.header + DialectTests.body + String(repeating: ",", count: 300_000) + "\n" + DialectTests.body).utf8
    )
    let reading = try await DialectTests.read(text, DialectTests.repairing)
    #expect(reading.lines.count == 62)
    #expect(reading.rejects.first?.hasPrefix("32,805,300001,long row,") == true)
    await #expect(throws: Problem.self) { _ = try await DialectTests.read(text) }
    let header = Array(((0..<200_000).map { "c\($0)" }.joined(separator: ",") + "\n1,2\n").utf8)
    let refused = await #expect(throws: Problem.self) {
      _ = try await DialectTests.read(header, DialectTests.repairing)
    }
    #expect(refused?.message == "the header has more than 10000 columns")
  }

  @Test("a long record takes several rows of the rejects, each of whole characters") func longRejects() async throws {
    let long = String(repeating: "é", count: 400_000), text = Array("a,b\n1,2\n\(long),\(long),x\n3,4\n".utf8)
    let reading = try await DialectTests.read(text, DialectTests.repairing)
    #expect(reading.lines.count == 4)
    #expect(reading.rejects.first?.hasSuffix("long row,surplus cut") == true)
    #expect(reading.rejects.count == 7)
    #expect(reading.rejects.dropFirst().allSatisfy { $0.hasPrefix("3,") && $0.hasSuffix("long row,continued") })
    var next = 8
    for reject in reading.rejects {
      let parts = reject.split(separator: ",")
      #expect(Int(parts[1]) == next)
      #expect(text[next] & 0xC0 != 0x80)
      next += Int(parts[2]) ?? 0
    }
    #expect(next == text.count - 4)
  }

  @Test("the same rows and rejects in portions of any size") func portions() async throws {
    let text =
      "Report\n\n" + DialectTests.header + DialectTests.body + "7,\"bad name,1.5,2020-01-01\n" + DialectTests.body
      + "8,y\n"
      + DialectTests.body + "\n9,\"two\nlines\",1.5,2020-01-01\r\n" + DialectTests.body + "Source: x\n"
    let whole = try await DialectTests.read(Array(text.utf8), DialectTests.repairing)
    #expect(whole.rejects.count == 5)
    for portion in [1, 2, 3, 61, 100, 1000] {
      #expect(try await DialectTests.read(Array(text.utf8), DialectTests.repairing, portion: portion) == whole)
    }
    // In two bytes a character, offsets are those of the original.
    let wide = try await DialectTests.read(
      [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }, DialectTests.repairing, portion: 61)
    #expect(wide.lines == whole.lines)
    #expect(wide.rejects.count == whole.rejects.count)
    for (left, right) in zip(wide.rejects, whole.rejects) {
      let left = left.split(separator: ","), right = right.split(separator: ",")
      #expect(Int(left[1]) == (Int(right[1]) ?? 0) * 2 + 2)
      #expect(Int(left[2]) == (Int(right[2]) ?? 0) * 2)
    }
  }

  @Test(
    "damage of other line ends and encodings is complete in the rejects, and lines keep their places",
    arguments: [
      Array("é||b.\r;x;4\n1||2\r||b\r1||2\r|2\ra||b\r11||2\r".utf8),
      [0xBB] + Array("||b.\r;x;4\n1||2\r||b\r1||2\r|2\ra||b\r11||2\r".utf8),
      Array("a\tb\"x\t1\n'y',2\r\n\n4,5,6\n".utf8), Array("x,y,z\n1,2\n\n\n4,5,6\n7,8\n\n9,0,1\n".utf8),
    ])
  func places(_ bytes: [UInt8]) throws {
    let whole = try Self.text(bytes, 1000)
    for portion in 1...9 { #expect(try Self.text(bytes, portion) == whole) }
  }

  /// The text in the usual dialect, with lines where they were in the file.
  private static func text(_ bytes: [UInt8], _ portion: Int) throws -> [UInt8] {
    let log = RejectLog(scratch: MemoryScratch())
    let input = try CSVInput(
      Portions(bytes, portion), sample: bytes.span, isWhole: true, DialectTests.repairing, isTabbed: false,
      maximumField: 1 << 16,
      log: log)
    var text: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe text += $0 } }
    _ = try log.verify()
    // Either line end ends a record.
    return text.filter { $0 != 0x0D }
  }

  @Test("one damaged byte changes only its record") func damage() async throws {
    let clean = Array((DialectTests.header + DialectTests.body).utf8),
      rows = try await DialectTests.read(clean, DialectTests.repairing).lines
    #expect(rows.count == 31)
    for place in stride(from: DialectTests.header.utf8.count, to: clean.count, by: 3) where clean[place] != 0x0A {
      for change in 0..<4 {
        var bytes = clean
        switch change {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(0x2C, at: place)
        case 2: bytes[place] = 0xE9
        default: bytes.insert(0x22, at: place)
        }
        let line = clean[..<place].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        let reading = try await DialectTests.read(bytes, DialectTests.repairing)
        #expect(reading.lines.count == rows.count, "byte \(place), change \(change)")
        for index in rows.indices where index != line && index < reading.lines.count {
          #expect(reading.lines[index] == rows[index], "byte \(place), change \(change)")
        }
      }
    }
  }

  /// Texts with all parts of dialects and all faults, of which others are made.
  static let seeds = [
    "a;b\n1;2\n3;x;4\n", "a\tb\n\"x\t1\n'y',2\n", "sep=|\r\nx|y\r\n1|'2\r\n", "a||b\r1||2\r", "# c\nx  y z\n1  2 3\n\n",
    "\u{FEFF}\"n\\\"\",m\n\\,1\n", "\(DialectTests.header)\(DialectTests.body)Total,,\n",
    "T\n\nid,name,day\n1,\"a \"\"b\"\",2024-01-02\n2,\"c,2024-01-03\n3,d\n4,e,2024-01-04,\n\nTotal,,\n",
    "a,b\n1,2\na,b\n3,4\nc,d,e\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n4,5,6\n",
  ].map { Array($0.utf8) }

  /// A text with some bytes changed, removed, repeated, or put from another text.
  static func mutated(_ random: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes = seeds.randomElement(using: &random) ?? []
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      let at = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, at + Int.random(in: 0..<12, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.insert(Array("\"'\\,;\t|\n\r #=\u{A6}".utf8).randomElement(using: &random) ?? 0, at: at)
      case 1: bytes.removeSubrange(at..<end)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
      default:
        let other = seeds.randomElement(using: &random) ?? []
        bytes.insert(contentsOf: other[Int.random(in: 0..<other.count, using: &random)...].prefix(40), at: at)
      }
    }
    return bytes
  }

  @Test("any text is read the same in portions of any size and without losing a byte, or refused")
  func anything() async throws {
    var random = SplitMix64(seed: 28)
    for _ in 0..<1000 {
      let bytes = Self.mutated(&random)
      var readings: [DialectTests.Reading?] = []
      for portion in [7, 1 << 16] {
        do { readings.append(try await DialectTests.read(bytes, DialectTests.repairing, portion: portion)) } catch let
          error as Problem
        {
          #expect(error.kind == .badData, "\(error): \(bytes)")
          readings.append(nil)
        }
      }
      #expect(readings[0] == readings[1], "\(bytes)")
    }
  }

  @Test(
    "texts that were once read differently in other portions, or lost a byte",
    arguments: [
      "IAkLCiIiTgo=", "CwpUkpKSkpKSkpKSku+7", "IAplAMOJDcTExMTExMQ=", "YQkKCu+7vwsieGIJCyJ4YgkwCl4gMiAgMmAgeQ==",
      "YSxiCgphLEIKLGUKMgphLDFiCixlMwphLAAAAPgK7lIidGUgLD8K",
      "YVQKLGEsYgoxLDIKYSxiCixlMwoKYSxiCixlUmP09GEsYmdicwo0LDUsMIcK/zQsCmlkMSwyLDMKNCw1LDYxLDIKYSxiCixlMwosCicsOCwsOQ==",
      "CcYJCiIJIgkJImEr/gkKCQoiCQoKIgoJCQAAVabPFo9QCcImCmkiCv//MQ==",
      "Js8nMDI0LQphbCwsCiJ5CgogIiwKICIsLAoyNC0sCgpUYWwsLAoiChANVGFsLCwKIgoQDXSR",
      "CiAKIA0NDQ0qCmENDWNjIg0NDQ0qCmENDWNjIg==",
      "VFtuYW1lCnnNYWRhLGIKCnkJYWRiYWQgZW5jb2RpbmdhLCIwMjQtMDUiLGJiMAosIjAyNC0wNSIsYgoAAA==",
      "77u/IkAAAABxdW90ZSBpbiBhbiAiAAAAAAAAAEdSMjIscD00zMzMqgkBEQAACgppGyxlU3RyaW58DQrvu79h+HzieQ0KIiI=",
      "CgoiIgkJCiIKIgodCiI=",
      "IiIJCgo4CiJZIgozWVlZ2XlZIgpkZGRkCl/ZWVkKWf9ZYlMAIwoiDQ==",
      "CgoiIgkJCgkJCiIiCiIiCQkKCiIiIsAJCQAKMjAyMDAKMSUxOgouMGVSkB0NzwowOS6JliIiLDIpMjQKLTC5JSIKYXkKMSwi",
    ])
  func once(_ text: String) async throws {
    let bytes = try #require(Base64.decode(Array(text.utf8)))
    let whole = try await DialectTests.read(bytes, DialectTests.repairing)
    for portion in [1, 7, 61] {
      #expect(try await DialectTests.read(bytes, DialectTests.repairing, portion: portion) == whole)
      #expect(try Self.text(bytes, portion) == Self.text(bytes, 1000))
    }
  }

  @Test("a word for null is text in quotes, also after a damaged record") func quotedNull() async throws {
    let text = "id,a\n1,\"NA\"\n2,NA\n3,\"NA\",9\n4,\"NA\"\n5,NA\n"
    let input = try CSVInput(
      Portions(Array(text.utf8), 64), sample: Array(text.utf8).span, isWhole: true, DialectTests.repairing,
      isTabbed: false,
      maximumField: 1 << 20, log: nil)
    var reading = CSVReading()
    reading.nullTexts = [Array("NA".utf8)]
    let stream = try CSVRowStream.inferring(input.source, table: "t", reading), batch = try stream.nextWork()?.batch()
    let values = batch.map { batch in (0..<batch.count).map { batch.value($0, 1) == .null } }
    #expect(values == [false, true, false, false, true])
  }
}
