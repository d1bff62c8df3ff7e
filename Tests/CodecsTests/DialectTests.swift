import Codecs
import Conformance
import Dialects
import Rows
import TestSupport
import Testing

/// Finding the dialects of CSV files, and reading them without losing a byte.
@Suite struct DialectTests {
  /// The result of reading a file: the text in the usual dialect, what was rejected, and the warnings.
  struct Reading: Equatable {
    var lines: [String] = []
    var rejects: [String] = []
    var warnings: [String] = []
  }

  static func read(
    _ bytes: [UInt8], _ options: DialectOptions = DialectOptions(), portion: Int = 1 << 16, isTabbed: Bool = false
  ) async throws -> Reading {
    let log = RejectLog(scratch: MemoryScratch())
    let input = try CSVInput(
      Portions(bytes, portion), sample: Array(bytes.prefix(DialectSniffer.sampleSize)).span,
      isWhole: bytes.count < DialectSniffer.sampleSize, options, isTabbed: isTabbed, maximumField: 1 << 20, log: log)
    var reading = CSVReading()
    (reading.delimiter, reading.hasHeader, reading.names) = (input.delimiter, input.hasHeader, input.names)
    for name in try CSVRowStream.names(try input.source.reopened() ?? input.source, reading) {
      reading.types[name] = .text
    }
    let stream = try CSVRowStream.inferring(input.source, table: "t", reading)
    var result = Reading(warnings: input.warnings.map(\.message))
    if input.hasHeader { result.lines.append(stream.schema.columns.map(\.name).joined(separator: "|")) }
    while let task = try stream.nextWork() {
      let batch = try task.batch()
      for row in 0..<batch.count {
        result.lines.append((0..<batch.width).map { shown(batch.value(row, $0)) }.joined(separator: "|"))
      }
    }
    if options.repairs { _ = try log.verify() }
    let rejects = try log.rows()
    while let task = try await rejects.next() {
      let batch = try task.batch()
      for row in 0..<batch.count {
        result.rejects.append([1, 2, 3, 4, 5].map { shown(batch.value(row, $0)) }.joined(separator: ","))
      }
    }
    return result
  }

  static var repairing: DialectOptions {
    var options = DialectOptions()
    options.repairs = true
    return options
  }

  static let body = (0..<30).map { "\($0),name \($0),\($0 * 3).5,2020-01-\(10 + $0 % 19)\n" }.joined()
  static let header = "id,name,amount,day\n"

  @Test(
    "what decides nothing about values is read without an option",
    arguments: [
      ("a;b;c\n1;2;3\n4;5;6\n", "a|b|c", "4|5|6"), ("a\tb\n1\t2\n3\t4\n", "a|b", "3|4"),
      ("sep=;\na;b\n1;2\n", "a|b", "1|2"), ("a,b\r1,2\r3,4\r", "a|b", "3|4"),
      ("\"id\", \"name\"\n\"1\", \"a, b\"\n\"2\", \"c\"\n", "id|name", "2|c"),
      ("a||b||c\n1||x||2\n3||y||4\n", "a|b|c", "3|y|4"), ("a,b\n1,2\n\n3,4\n", "a|b", "3|4"),
      ("a\tb\nx\\y\t-\nz\\y\t-\n", "a|b", "z\\y|-"), ("a\tb\nD, J\tP, F\nE, K\tO, G\n", "a|b", "E, K|O, G"),
    ])
  func automatic(_ text: String, _ first: String, _ last: String) async throws {
    let reading = try await Self.read(Array(text.utf8))
    #expect(reading.lines.first == first)
    #expect(reading.lines.last == last)
    #expect(reading.rejects == [])
  }

  @Test(
    "a line that names the delimiter belongs to the dialect, unless lines are skipped",
    arguments: [
      (nil, nil, "a|b"), ([0x3B], nil, "a|b"), ([0x2C], nil, "sep=;"), (nil, 1, "a|b"), ([0x3B], 1, "a|b"),
      ([0x3B], 2, "1|2"),
    ] as [([UInt8]?, Int?, String)])
  func separatorLine(_ delimiter: [UInt8]?, _ skipped: Int?, _ first: String) async throws {
    var options = DialectOptions()
    (options.delimiter, options.skippedRows) = (delimiter, skipped)
    #expect(try await Self.read(Array("sep=;\na;b\n1;2\n3;4\n".utf8), options).lines.first == first)
  }

  @Test("binary files are refused, also with repair") func binary() async throws {
    let bytes = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ $0 >> 3) }
    let archive = Array("a.csv".utf8) + Array(repeating: 0, count: 507) + Array("a,b\n".utf8)
    for options in [DialectOptions(), Self.repairing] {
      await #expect(throws: Problem.self) { _ = try await Self.read(bytes, options) }
      await #expect(throws: Problem.self) { _ = try await Self.read(archive, options) }
    }
    #expect(try await Self.read([97, 44, 98, 10, 0xE9, 44, 49, 10], Self.repairing).lines.last == "é|1")
  }

  @Test("rare delimiters in every record are reported, and applied with repair") func carets() async throws {
    let text = Array("id^name^price\n1^a^1.5\n2^b^2.5\n".utf8), plain = try await Self.read(text)
    #expect(plain.lines.last == "2^b^2.5")
    #expect(plain.warnings.first?.hasPrefix("t.csv: one column, but 100%") == true)
    #expect(try await Self.read(text, Self.repairing).lines.last == "2|b|2.5")
  }

  @Test("spaces separate words if the delimiter of the table is among them") func prose() async throws {
    let text = "name,id,version,by\n" + (0..<20).map { "A Person,\($0),0.1,B Person\n" }.joined()
    let reading = try await Self.read(Array("\(text)Michael Forster,self,University of Passau\n".utf8), Self.repairing)
    #expect(reading.lines.last?.hasPrefix("Michael Forster|") == true)
  }

  @Test(
    "what is doubtful is an error without repair, and read with it",
    arguments: [
      ("Report\n\n\(header)\(body)", "1,0,7,preamble,dropped"),
      ("\(header)\(body)\nSource: x\n", "33,806,10,footer,dropped"),
      ("\(header)\(body)7,x\n", "32,805,4,short row,padded"),
      ("\(header)\(body)7,x,1.5,2020-01-01,,\n", "32,805,21,long row,trailing delimiters"),
      ("\(header)\(body)7,\"bad name,1.5,2020-01-01\n\(body)", "32,805,27,stray quote,repaired"),
      ("\(header)\(body)7;x;1.5;2020-01-01\n\(body)", "32,805,19,another delimiter,repaired"),
      ("# made by x\n# on y\n\(header)\(body)", "1,0,12,comment,dropped"),
      ("From:,2020-01-01\nTo:,2020-02-01\n\n\(header)\(body)", "1,0,17,preamble,dropped"),
    ])
  func doubtful(_ text: String, _ reject: String) async throws {
    await #expect(throws: Problem.self) { _ = try await Self.read(Array(text.utf8)) }
    let reading = try await Self.read(Array(text.utf8), Self.repairing)
    #expect(reading.lines.first == "id|name|amount|day")
    #expect(reading.rejects.first == reject)
  }

  @Test("a header that occurs again continues the table") func repeatedHeader() async throws {
    let first = try await Self.read(Array("a,b\n1,\"2\"3\na,b\n4,5\n".utf8), Self.repairing)
    #expect(first.rejects.last == "3,11,4,repeated header,dropped")
    let empty = try await Self.read([0xEF, 0xBB, 0xBF] + Array("\n\"n\\1\n".utf8), Self.repairing)
    #expect(empty.rejects == ["2,4,5,stray quote,repaired"])
    _ = try await Self.read(Array("\r\\\\\"\"".utf8), Self.repairing)
    let text = Array((Self.header + Self.body + Self.header + Self.body).utf8)
    #expect(try await Self.read(text).lines.count == 62)
    #expect(try await Self.read(text).warnings.count == 1)
    let reading = try await Self.read(text, Self.repairing)
    #expect(reading.lines.count == 61)
    #expect(reading.rejects == ["32,805,19,repeated header,dropped"])
  }

  @Test("quotes between tabs are text unless they are needed") func tabs() async throws {
    let titles = (0..<20).map { "tt\($0)\tTitle \($0)\t\(1990 + $0)\n" }.joined()
    let plain = try await Self.read(Array("id\ttitle\tyear\n\(titles)tt99\t\"Giliap\"\t1975\n".utf8))
    #expect(plain.lines.last == "tt99|\"Giliap\"|1975")
    #expect(plain.warnings.count == 2)
    let needed = try await Self.read(Array("id\ttitle\tyear\n\(titles)tt99\t\"a\tb\"\t1975\n".utf8))
    #expect(needed.lines.last == "tt99|a\tb|1975")
  }

  @Test("a second byte order mark is reported") func secondMark() async throws {
    for marks in [0, 1, 2] {
      let reading = try await Self.read(Array((String(repeating: "\u{FEFF}", count: marks) + "a,b\n1,2\n").utf8))
      #expect(reading.warnings.count == (marks == 2 ? 1 : 0))
    }
  }

  @Test("line ends of several carriage returns belong to no field") func doubledReturns() async throws {
    let text = (Self.header + Self.body + "7,\"x\",1.5,\"2020-01-01\"\n").replacing("\n", with: "\r\r\n")
    let exact = try await Self.read(Array(text.utf8))
    #expect(exact.warnings == ["t.csv: lines end in several carriage returns, which are in no field"])
    #expect(exact.lines.last == "7|x|1.5|2020-01-01")
    let reading = try await Self.read(Array(text.utf8), Self.repairing)
    #expect(reading.lines.first == "id|name|amount|day")
    #expect(reading.lines.last == "7|x|1.5|2020-01-01")
    #expect(reading.rejects == [])
  }

  @Test("two delimiters that both part every record are an error that names both") func conflict() async throws {
    let tabs = "A, F\tx, y\n" + (0..<9).map { "D, J\($0)\tP, F\n" }.joined()
    await #expect(throws: Problem.self) { _ = try await Self.read(Array(tabs.utf8)) }
    #expect(try await Self.read(Array(tabs.utf8), Self.repairing).lines.last == "D, J8|P, F")
    let text = "a;b\n" + (0..<50).map { "\($0),5;\($0),25\n" }.joined()
    await #expect(throws: Problem.self) { _ = try await Self.read(Array("a,x;b,y\n\(text.dropFirst(4))".utf8)) }
    let reading = try await Self.read(Array(text.utf8))
    #expect(reading.lines[1] == "0,5|0,25")
  }

  @Test(
    "text in every encoding", arguments: CharacterEncoding.allCases)
  func encodings(_ encoding: CharacterEncoding) async throws {
    let samples: [CharacterEncoding: ([UInt8], String)] = [
      .utf8: ([0xC3, 0xA9], "é"), .utf16le: ([0x3D, 0xD8, 0x00, 0xDE], "😀"),
      .utf16be: ([0xD8, 0x3D, 0xDE, 0x00], "😀"), .windows1252: ([0x80, 0xE9], "€é"), .latin1: ([0xE9], "é"),
      .windows1251: ([0xCF, 0xF0, 0xA8], "ПрЁ"), .shiftJIS: ([0x93, 0xFA, 0x96, 0x7B, 0xB1], "日本ｱ"),
      .utf32le: ([0x00, 0xF6, 0x01, 0x00], "😀"), .utf32be: ([0x00, 0x01, 0xF6, 0x00], "😀"),
      .gb18030: ([0xD6, 0xD0, 0x81, 0x30, 0x81, 0x30], "中\u{80}"),
    ]
    let (bytes, text) = try #require(samples[encoding])
    func plain(_ text: String) -> [UInt8] {
      switch encoding {
      case .utf16le: text.utf8.flatMap { [$0, 0] }
      case .utf16be: text.utf8.flatMap { [0, $0] }
      case .utf32le: text.utf8.flatMap { [$0, 0, 0, 0] }
      case .utf32be: text.utf8.flatMap { [0, 0, 0, $0] }
      default: Array(text.utf8)
      }
    }
    var options = DialectOptions()
    options.encoding = encoding
    for portion in [1, 2, 3, 7, 64] {
      let reading = try await Self.read(
        plain("a,b\n1,") + bytes + plain("\n2,x\n"), options, portion: portion)
      #expect(reading.lines == ["a|b", "1|\(text)", "2|x"])
    }
  }

  @Test("UTF-32 is not read as UTF-16", arguments: [true, false], [true, false])
  func wide(_ isBig: Bool, _ isMarked: Bool) async throws {
    let text = (isMarked ? "\u{FEFF}" : "") + "a,b\n1,é\n2,x\n"
    let bytes = text.unicodeScalars.flatMap { scalar in
      let unit = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
      return isBig ? unit.reversed() : unit
    }
    let reading = try await Self.read(bytes)
    #expect(reading.lines == ["a|b", "1|é", "2|x"] && reading.warnings.count == 1)
    let tail: [UInt8] = isBig ? [0, 0, 0, 0x33, 0, 0, 0, 0x0A] : [0x33, 0, 0, 0, 0x0A, 0, 0, 0]
    #expect(try await Self.read(bytes + tail, Self.repairing).lines.last == "3|~")
  }

  @Test("records are skipped without a header, too", arguments: [false, true], [0, 1, 2])
  func skippedRows(_ repairs: Bool, _ count: Int) async throws {
    var options = DialectOptions()
    (options.hasNoHeader, options.skippedRows, options.repairs) = (true, count, repairs)
    let reading = try await Self.read(Array("1,2\n3,4\n5,6\n".utf8), options)
    #expect(reading.lines == Array(["1|2", "3|4", "5|6"].dropFirst(count)))
  }

  @Test("options that skip all records are named", arguments: [nil, false, true])
  func allSkipped(_ isFooter: Bool?) async throws {
    for hasNoHeader in [false, true] {
      var options = DialectOptions()
      options.hasNoHeader = hasNoHeader
      if let isFooter {
        if isFooter { options.skippedFooter = 9 } else { options.skippedRows = 9 }
      } else {
        (options.skippedRows, options.skippedFooter) = (1, 2)
      }
      let refused = await #expect(throws: Problem.self) {
        _ = try await Self.read(Array("a,b\n1,2\n3,4\n".utf8), options)
      }
      #expect(refused?.message == "all records are skipped")
      #expect(refused?.hint.steps.count == (isFooter == nil ? 2 : 1))
    }
  }

  @Test("a file has fewer records than the header") func headerAlone() async throws {
    var options = DialectOptions()
    options.headerRows = 3
    let refused = await #expect(throws: Problem.self) { _ = try await Self.read(Array("a,b\n1,2\n".utf8), options) }
    #expect(refused?.message == "expected 3 header rows, found 2")
  }

  @Test("titles may be padded to the width of the table", arguments: [";", ",", "\t"], [3, 5])
  func paddedTitles(_ delimiter: String, _ width: Int) async throws {
    let names = ["Date", "Text", "Amount", "Currency", "Balance"].prefix(width)
    func line(_ values: some Sequence<String>) -> String { values.joined(separator: delimiter) + "\n" }
    let titles = [["Account"], width > 3 ? ["IBAN", "DE12 3456"] : ["DE12"], []].map { title in
      line(title + Array(repeating: "", count: width - title.count))
    }
    let rows = (1...9).map { line(["0\($0).03.2025", "Shop \($0)", "-\($0)3.5", "EUR", "1\($0).5"].prefix(width)) }
    let text = (titles + [line(names)] + rows).joined()
    let reading = try await Self.read(Array(text.utf8), Self.repairing)
    #expect(reading.lines.count == 10)
    #expect(reading.lines.first == names.joined(separator: "|"))
    if delimiter == ";" {
      let refused = await #expect(throws: Problem.self) { _ = try await Self.read(Array(text.utf8)) }
      #expect(refused?.message == "3 records before the table")
    }
    // A header may have fewer names than the records have fields.
    let unnamed = try await Self.read(
      Array((line(["a", "b"] + names.dropFirst(2).map { _ in "" }) + rows.joined()).utf8), Self.repairing)
    #expect(unnamed.lines.count == 10)
  }

  static let tables = "a,b\n1,x\n2,y\n\n"

  @Test(
    "a table by its number",
    arguments: [
      (tables + "name,u,v\nn1,1,2\n", 2, ["name|u|v", "n1|1|2"]),
      (tables + "name,u,v\nn1,1,2\n", 1, ["a|b", "1|x", "2|y"]),
      (tables + "c,d\nz,w\n", 2, ["c|d", "z|w"]), (tables + "c,d\nz,w\n\ne,f,g\n1,2,3\n", 3, ["e|f|g", "1|2|3"]),
      (tables + "c,d\nz,w\n\ne,f,g\n1,2,3\n", 2, ["c|d", "z|w"]), (tables + "c,d\nz,w\n", 1, ["a|b", "1|x", "2|y"]),
      (tables + "a,b\n3,z\n", 2, ["a|b", "3|z"]), (tables + "a,b\n3,z\n", 0, ["a|b", "1|x", "2|y", "3|z"]),
      (tables + "3,z\n", 1, ["a|b", "1|x", "2|y", "3|z"]),
    ])
  func tableNumber(_ text: String, _ number: Int, _ lines: [String]) async throws {
    for repairs in [false, true] {
      var options = DialectOptions()
      (options.table, options.repairs) = (number, repairs)
      for portion in [1, 7, 1 << 16] {
        #expect(try await Self.read(Array(text.utf8), options, portion: portion).lines == lines)
      }
    }
  }

  @Test("a table that does not exist, or has other columns", arguments: [2, 0])
  func noTable(_ number: Int) async throws {
    var options = DialectOptions()
    options.table = number
    let text = number == 0 ? Self.tables + "c,d,e\n1,2,3\n" : Self.tables
    await #expect(throws: Problem.self) { _ = try await Self.read(Array(text.utf8), options) }
  }

  @Test("long lines take linear time and bounded memory", .timeLimit(.minutes(1))) func longLines() async throws {
    let line = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
    let reading = try await Self.read([97, 44, 98, 10] + line + [44] + line + [10], Self.repairing, portion: 16)
    #expect(reading.lines.count == 2)
    await #expect(throws: Problem.self) {
      _ = try await Self.read([97, 44, 98, 10] + line + line + line, Self.repairing)
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
    let reading = try await Self.read(text, Self.repairing)
    #expect(reading.rejects.first.map { $0.split(separator: ",").suffix(2).joined(separator: ",") } == reject)
    #expect(try await Self.read(text, Self.repairing, portion: 999) == reading)
    let wide = try await Self.read([0xFF, 0xFE] + text.flatMap { [$0, 0] }, Self.repairing)
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
    let problem = await #expect(throws: Problem.self) { try await Self.read(text, options) }
    #expect(problem?.description.hasPrefix("t.csv:2: invalid \(encoding.rawValue) at byte \(byte)") == true)
    options.repairs = true
    let reading = try await Self.read(text, options, portion: 3)
    #expect(reading.lines.last?.contains("\u{FFFD}") == true)
    #expect(reading.rejects == ["\(place),bad encoding,repaired"])
  }

  @Test("records of very many fields are complete in the rejects") func manyFields() async throws {
    let text = Array((Self.header + Self.body + String(repeating: ",", count: 300_000) + "\n" + Self.body).utf8)
    let reading = try await Self.read(text, Self.repairing)
    #expect(reading.lines.count == 62)
    #expect(reading.rejects.first?.hasPrefix("32,805,300001,long row,") == true)
    await #expect(throws: Problem.self) { _ = try await Self.read(text) }
    let header = Array(((0..<200_000).map { "c\($0)" }.joined(separator: ",") + "\n1,2\n").utf8)
    let refused = await #expect(throws: Problem.self) { _ = try await Self.read(header, Self.repairing) }
    #expect(refused?.message == "the header has more than 10000 columns")
  }

  @Test("a long record takes several rows of the rejects, each of whole characters") func longRejects() async throws {
    let long = String(repeating: "é", count: 400_000), text = Array("a,b\n1,2\n\(long),\(long),x\n3,4\n".utf8)
    let reading = try await Self.read(text, Self.repairing)
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
      "Report\n\n" + Self.header + Self.body + "7,\"bad name,1.5,2020-01-01\n" + Self.body + "8,y\n"
      + Self.body + "\n9,\"two\nlines\",1.5,2020-01-01\r\n" + Self.body + "Source: x\n"
    let whole = try await Self.read(Array(text.utf8), Self.repairing)
    #expect(whole.rejects.count == 5)
    for portion in [1, 2, 3, 61, 100, 1000] {
      #expect(try await Self.read(Array(text.utf8), Self.repairing, portion: portion) == whole)
    }
    // In two bytes a character, offsets are those of the original.
    let wide = try await Self.read([0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }, Self.repairing, portion: 61)
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
      Portions(bytes, portion), sample: bytes.span, isWhole: true, repairing, isTabbed: false, maximumField: 1 << 16,
      log: log)
    var text: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe text += $0 } }
    _ = try log.verify()
    // Either line end ends a record.
    return text.filter { $0 != 0x0D }
  }

  @Test("one damaged byte changes only its record") func damage() async throws {
    let clean = Array((Self.header + Self.body).utf8), rows = try await Self.read(clean, Self.repairing).lines
    #expect(rows.count == 31)
    for place in stride(from: Self.header.utf8.count, to: clean.count, by: 3) where clean[place] != 0x0A {
      for change in 0..<4 {
        var bytes = clean
        switch change {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(0x2C, at: place)
        case 2: bytes[place] = 0xE9
        default: bytes.insert(0x22, at: place)
        }
        let line = clean[..<place].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        let reading = try await Self.read(bytes, Self.repairing)
        #expect(reading.lines.count == rows.count, "byte \(place), change \(change)")
        for index in rows.indices where index != line && index < reading.lines.count {
          #expect(reading.lines[index] == rows[index], "byte \(place), change \(change)")
        }
      }
    }
  }

  @Test(
    "JSON as people write it",
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n", "", nil), ("[{\"a\":1},\n{\"b\":[{}]}]", "", nil),
      ("{\n\"a\":1}\n{\n\"a\":2}\n", "several documents", "[{\n\"a\":1}\n,{\n\"a\":2}\n]"),
      ("[] [{\"a\":1}]\n[]\u{1E}[{\"a\":2},{}]", "several documents", "[    {\"a\":1} \n    ,{\"a\":2},{} ]"),
      ("{\"a\":1,\n\"b\":[]} ", "one object as one record", "[{\"a\":1\n,\"b\":[]} ]"),
      ("// c\n{\"a\":1}", "one object as one record, comments", "[    \n{\"a\":1}]"),
      ("{\"a\":[{}],\"b\":[{}]}", "", nil), ("[]", "", nil), ("1", "", nil), ("{\"a\":[", "", nil),
      ("[{\"a\":1,},\n]", "trailing commas", "[{\"a\":1}\n]"),
      ("{\"n\":[1],\"x\":{\"r\":[{\"a\":[{}]}]}}", "records at /x/r", nil),
      ("{\"a\":1} ", "one object as one record", "[{\"a\":1} ]"),
      ("// c\n[{\"a//\":1 /* [\n */}] # x", "comments", "    \n[{\"a//\":1     \n   }]    "),
    ] as [(String, String, String?)])
  func json(_ text: String, _ found: String, _ wanted: String?) throws {
    for portion in [1, 1000] {
      let bytes = Array(text.utf8)
      let input = try JSONInput(
        Portions(bytes, portion), sample: bytes, isWhole: true, findsRecords: true, repairs: false)
      #expect(input.warnings.map(\.message) == (found.isEmpty ? [] : ["t.csv: read with \(found)"]))
      var result: [UInt8] = []
      try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
      #expect(String(decoding: result, as: UTF8.self) == wanted ?? text)
    }
  }

  @Test("JSON with quotes or constants of other languages needs repair") func jsonRepair() throws {
    let bytes = Array("[\n{'a\"':NaN,b:'it\\'s',\"c\":None,\"d\":True,\"e\":-1.5e3}]".utf8)
    let refused = #expect(throws: Problem.self) {
      try JSONInput(
        MemoryByteSource(bytes, name: "t.json"), sample: bytes, isWhole: true, findsRecords: true, repairs: false)
    }
    #expect(refused?.place == "t.json:2")
    let input = try JSONInput(
      MemoryByteSource(bytes, name: "t.json"), sample: bytes, isWhole: true, findsRecords: true, repairs: true)
    var result: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
    #expect(
      String(decoding: result, as: UTF8.self)
        == "[\n{\"a\\\"\":null,\"b\":\"it's\",\"c\":null,\"d\":true,\"e\":-1.5e3}]")
  }

  @Test("JSON that needs repair after the sample is refused, or reported at the end") func lateJSON() throws {
    let bytes = Array("// c\n[{\"a\":1},\n{\"a\":NaN}]".utf8), head = Array(bytes.prefix(12))
    func text(_ repairs: Bool) throws -> [String] {
      let input = try JSONInput(
        Portions(bytes, 5), sample: head, isWhole: false, findsRecords: true, repairs: repairs)
      try input.source.forEachPiece { _ in }
      return (input.warnings + input.source.notes).map(\.message)
    }
    #expect(throws: Problem.self) { try text(false) }
    #expect(try text(true) == ["t.csv: read with comments", "t.csv: read with constants such as NaN as null"])
  }

  @Test("an object that is longer than the sample is one record") func longObject() throws {
    let bytes = Array("\u{FEFF}{\n\"a\": [\n1,\n2]\n}\n".utf8)
    let input = try JSONInput(
      Portions(bytes, 4), sample: Array(bytes.prefix(14)), isWhole: false, findsRecords: true, repairs: false)
    #expect(input.isJoined)
    #expect(input.warnings.map(\.message) == ["t.csv: read with one object as one record"])
    var result: [UInt8] = []
    try input.source.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe result += $0 } }
    #expect(String(decoding: result, as: UTF8.self) == "[{\n\"a\": [\n1\n,2]\n}\n]")
    // The first of many in lines, perhaps.
    let line = try JSONInput(
      Portions(bytes, 4), sample: Array("\n{\"a\":".utf8), isWhole: false, findsRecords: true, repairs: false)
    #expect(!line.isJoined)
  }

  @Test("a word without an end is not collected") func endlessWord() throws {
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
    let input = try JSONInput(
      Portions(bytes, 4096), sample: Array(bytes.prefix(9)), isWhole: false, findsRecords: true, repairs: true)
    var text = ArenaBuilder()
    #expect(try input.source.read(into: &text, limit: bytes.count) < 200_000)
  }

  /// Texts with all parts of dialects and all faults, of which others are made.
  static let seeds = [
    "a;b\n1;2\n3;x;4\n", "a\tb\n\"x\t1\n'y',2\n", "sep=|\r\nx|y\r\n1|'2\r\n", "a||b\r1||2\r", "# c\nx  y z\n1  2 3\n\n",
    "\u{FEFF}\"n\\\"\",m\n\\,1\n", "\(header)\(body)Total,,\n",
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
      var readings: [Reading?] = []
      for portion in [7, 1 << 16] {
        do { readings.append(try await Self.read(bytes, Self.repairing, portion: portion)) } catch let error as Problem
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
    let whole = try await Self.read(bytes, Self.repairing)
    for portion in [1, 7, 61] {
      #expect(try await Self.read(bytes, Self.repairing, portion: portion) == whole)
      #expect(try Self.text(bytes, portion) == Self.text(bytes, 1000))
    }
  }

  @Test("a word for null is text in quotes, also after a damaged record") func quotedNull() async throws {
    let text = "id,a\n1,\"NA\"\n2,NA\n3,\"NA\",9\n4,\"NA\"\n5,NA\n"
    let input = try CSVInput(
      Portions(Array(text.utf8), 64), sample: Array(text.utf8).span, isWhole: true, Self.repairing, isTabbed: false,
      maximumField: 1 << 20, log: nil)
    var reading = CSVReading()
    reading.nullTexts = [Array("NA".utf8)]
    let stream = try CSVRowStream.inferring(input.source, table: "t", reading), batch = try stream.nextWork()?.batch()
    let values = batch.map { batch in (0..<batch.count).map { batch.value($0, 1) == .null } }
    #expect(values == [false, true, false, false, true])
  }

  @Test("options say what is not guessed") func options() async throws {
    var options = DialectOptions()
    options.positions = [1...4, 5...8, 9...(1 << 30)]
    #expect(try await Self.read(Array("id  näm x\n1   zoé 25\n".utf8), options).lines == ["id|näm|x", "1|zoé|25"])
    options = DialectOptions()
    (options.hasNoHeader, options.names) = (true, ["x", "y"])
    #expect(try await Self.read(Array("1,2\n3,4\n".utf8), options).lines == ["1|2", "3|4"])
    options = DialectOptions()
    (options.ragged, options.skippedRows, options.skippedFooter, options.comment) = (.both, 1, 1, [0x23])
    #expect(
      try await Self.read(Array("title\na,b\n1\n# x\n1,2,3\nend\n".utf8), options).lines == ["a|b", "1|~", "1|2"])
    options = DialectOptions()
    (options.delimiter, options.quote, options.escape) = ([0x3A], .character(0x27), .backslash)
    #expect(try await Self.read(Array("a:b\n'x\\'y':2\n".utf8), options).lines == ["a|b", "x'y|2"])
    options = DialectOptions()
    options.delimiter = CSVDialect.spaces
    #expect(try await Self.read(Array("a   b\n 1 2\n".utf8), options).lines == ["a|b", "1|2"])
    options = DialectOptions()
    options.headerRows = 2
    #expect(try await Self.read(Array("a,b\nx,\n1,2\n".utf8), options).lines == ["a x|b", "1|2"])
    options = DialectOptions()
    options.skippedRows = 2
    #expect(try await Self.read(Array("T\r\ra;b\r1;2\r3;4\r".utf8), options).lines == ["a|b", "1|2", "3|4"])
    options = DialectOptions()
    options.comment = [0x23]
    let comments = String(repeating: "# x;y z\n", count: 20) + "a,b\n1,2\n3,4\n"
    for text in [comments, comments.replacing("\n", with: "\r")] {
      #expect(try await Self.read(Array(text.utf8), options).lines == ["a|b", "1|2", "3|4"])
    }
  }
}

private func shown(_ value: Value) -> String {
  switch value {
  case .null: "~"
  case .integer(let value): String(value)
  case .text(let text): String(decoding: text, as: UTF8.self)
  default: "\(value)"
  }
}

/// Bytes that come in portions of a given size.
private final class Portions: ByteSource {
  let name = "t.csv"
  var size: Int? { nil }
  private let inner: MemoryByteSource, bytes: [UInt8], portion: Int

  init(_ bytes: [UInt8], _ portion: Int) {
    (inner, self.bytes, self.portion) = (MemoryByteSource(bytes, name: "t.csv"), bytes, portion)
  }
  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try inner.read(into: &text, limit: min(limit, portion))
  }
  func reopened() throws(Problem) -> (any ByteSource)? { Portions(bytes, portion) }
}
