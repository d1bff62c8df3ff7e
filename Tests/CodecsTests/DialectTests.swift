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

  @Test("text in every encoding", arguments: CharacterEncoding.allCases)
  func encodings(_ encoding: CharacterEncoding) async throws {
    let samples: [CharacterEncoding: ([UInt8], String)] = [
      .utf8: ([0xC3, 0xA9], "é"), .utf16le: ([0x3D, 0xD8, 0x00, 0xDE], "😀"),
      .utf16be: ([0xD8, 0x3D, 0xDE, 0x00], "😀"), .windows1252: ([0x80, 0xE9], "€é"), .latin1: ([0xE9], "é"),
      .windows1251: ([0xCF, 0xF0, 0xA8], "ПрЁ"), .shiftJIS: ([0x93, 0xFA, 0x96, 0x7B, 0xB1], "日本ｱ"),
      .utf32le: ([0x00, 0xF6, 0x01, 0x00], "😀"), .utf32be: ([0x00, 0x01, 0xF6, 0x00], "😀"),
      .gb18030: ([0xD6, 0xD0, 0x81, 0x30, 0x81, 0x30], "中\u{80}"), .windows1250: ([0xB9, 0xE8], "ąč"),
      .windows1253: ([0xE1, 0xF9], "αω"), .windows1254: ([0xFD, 0xFE], "ış"), .windows1256: ([0xC7], "ا"),
      .windows1257: ([0xE0, 0xF0], "ąš"), .latin2: ([0xB1, 0xE8], "ąč"), .latin9: ([0xA4], "€"),
      .koi8r: ([0xF0, 0xD2], "Пр"), .big5: ([0xA4, 0xA4], "中"), .eucKR: ([0xC7, 0xD1], "한"),
      .eucJP: ([0xC6, 0xFC], "日"), .macintosh: ([0x8E], "é"), .cp437: ([0x82, 0x9B], "é¢"),
      .cp850: ([0x82, 0x9B], "éø"),
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
      ("a,b,\n1,x,\n\nc,d,\nz,w,\n", 2, ["c|d|column3", "z|w|~"]),
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
final class Portions: ByteSource {
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
