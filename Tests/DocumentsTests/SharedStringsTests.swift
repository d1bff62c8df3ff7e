import Rows
import Synchronization
import Testing

@testable import Documents

@Suite("shared strings") struct SharedStringsTests {
  /// Files in memory, which are counted.
  private final class Scratch: ScratchSpace {
    let files = Mutex(0)
    func makeFile() throws(Problem) -> any ScratchFile {
      files.withLock { $0 += 1 }
      return File()
    }
  }
  private final class File: ScratchFile {
    private let bytes = Mutex<[UInt8]>([])
    var count: Int { bytes.withLock { $0.count } }
    func append(_ more: borrowing ByteBuffer) throws(Problem) {
      let more = more.bytes()
      bytes.withLock { $0 += more }
    }
    func read(at offset: Int, length: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
      // A file may give less than is requested.
      let part = bytes.withLock { Array($0.dropFirst(offset).prefix(min(length, 7000))) }
      text.append(part)
      return part.count
    }
  }

  private func strings(_ texts: [String], memoryLimit: Int, _ scratch: Scratch) throws -> SharedStrings {
    var book = WorkbookFixture()
    book.strings = texts.map { "<si><t xml:space=\"preserve\">\($0)</t></si>" }.joined()
    let workbook = try Workbook(MemoryByteSource(try book.bytes(), name: "t.xlsx"))
    return try SharedStrings(workbook, scratch: scratch, maximumField: 16 << 20, memoryLimit: memoryLimit)
  }

  private func text(_ index: Int, of strings: SharedStrings) throws -> String? {
    var out = ByteBuffer()
    guard try strings.append(index, to: &out) else { return nil }
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test("elements of other namespaces are not text") func foreign() throws {
    let text = "a</t></si><si><t>b</t><z:t xmlns:z=\"urn:z\">c</z:t><z:r xmlns:z=\"urn:z\"><t>d</t></z:r><t>e"
    let strings = try strings([text], memoryLimit: 1000, Scratch())
    #expect(try self.text(1, of: strings) == "be")
  }

  @Test("texts that outgrow memory come back in any order", arguments: [0, 1000, 1 << 20])
  func spilling(_ memoryLimit: Int) throws {
    let texts = (0..<3000).map { number in
      number == 1234 ? String(repeating: "é", count: 50_000) : String(repeating: "\(number) ", count: number % 40)
    }
    let scratch = Scratch(), strings = try strings(texts, memoryLimit: memoryLimit, scratch)
    var generator = SystemRandomNumberGenerator()
    for index in [0, 2999, 1234, 1, 0] + (0..<2000).map({ _ in Int.random(in: 0..<3000, using: &generator) }) {
      #expect(try text(index, of: strings) == texts[index], "\(index)")
    }
    #expect(try text(3000, of: strings) == nil && text(-1, of: strings) == nil)
    #expect(scratch.files.withLock { $0 } == (memoryLimit < 1 << 20 ? 2 : 0))
  }

  @Test("more texts than the pages in memory hold are read again from the file") func eviction() throws {
    let texts = (0..<40).map { String(repeating: "\($0 % 10)", count: 500_000 + $0) }
    let strings = try strings(texts, memoryLimit: 1 << 16, Scratch())
    for index in [39, 0, 39, 17, 0] + Array(0..<40) {
      #expect(try text(index, of: strings) == texts[index], "\(index)")
    }
  }
}
