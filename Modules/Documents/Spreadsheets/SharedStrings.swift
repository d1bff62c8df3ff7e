import Codecs
import Rows

/// The texts that cells refer to by number, read as far as they are needed: in memory up to a limit, then in a private
/// temporary file.
final class SharedStrings {
  /// Bytes of texts and their positions that are kept in memory.
  static let memoryLimit = 32 << 20

  private let xml: XMLStream?
  private let scratch: any ScratchSpace
  private let maximumField: Int
  private let limit: Int
  private var isRead = false
  /// The texts, one after another, and where each ends.
  private var texts = ByteBuffer(capacity: 64 << 10)
  private var ends: [Int] = []
  private var spilled: SpilledStrings?
  private var count = 0

  init(
    _ workbook: Workbook, scratch: any ScratchSpace, maximumField: Int, memoryLimit: Int = SharedStrings.memoryLimit
  ) throws(Problem) {
    self.scratch = scratch
    self.maximumField = maximumField
    limit = memoryLimit
    if let part = workbook.stringsPart, let entry = try workbook.archive.entry(named: part) {
      xml = try XMLStream(try ZipEntryReader(workbook.archive, entry), limit: maximumField)
    } else {
      xml = nil
    }
  }

  /// Appends the text with a number to `out`; false if there is no such text.
  /// - Throws: `badData` for a part that is not well-formed, or a text larger than the limit; `io`.
  func append(_ index: Int, to out: inout ByteBuffer) throws(Problem) -> Bool {
    while index >= count, !isRead { try readNext() }
    guard index >= 0, index < count else { return false }
    if let spilled {
      try spilled.append(index, to: &out)
    } else {
      let start = index == 0 ? 0 : ends[index - 1]
      texts.read { out.append($0.extracting(start..<ends[index])) }
    }
    return true
  }

  /// Reads the next `si`.
  private func readNext() throws(Problem) {
    guard let xml else {
      isRead = true
      return
    }
    while true {
      switch try xml.next() {
      case .start:
        if xml.depth == 1, !xml.isNamed("sst") { throw xml.problem("expected shared strings") }
        guard xml.depth == 2 else { continue }
        guard xml.isNamed("si"), xml.isOfRoot else {
          try xml.skip()
          continue
        }
        try RichText.append(xml, limit: maximumField, to: &texts)
        return try finishText()
      case .finished:
        isRead = true
        return
      default: break
      }
    }
  }

  private func finishText() throws(Problem) {
    count += 1
    if let spilled {
      try spilled.add(texts)
      texts.removeAll()
      return
    }
    ends.append(texts.count)
    guard texts.count + ends.count * 8 > limit else { return }
    let spilled = try SpilledStrings(scratch)
    try spilled.begin(texts, ends: ends)
    self.spilled = spilled
    texts = ByteBuffer(capacity: 64 << 10)
    ends = []
  }
}

/// Shared strings in temporary files: the texts, and for each the position of its end in eight bytes.
private final class SpilledStrings {
  private let texts: any ScratchFile, ends: any ScratchFile
  /// Texts and positions that are not written yet.
  private var newTexts = ByteBuffer(capacity: 1 << 18), newEnds = ByteBuffer(capacity: 1 << 18)
  private var total = 0
  private let textPages: PageCache, endPages: PageCache

  init(_ scratch: any ScratchSpace) throws(Problem) {
    texts = try scratch.makeFile()
    ends = try scratch.makeFile()
    textPages = PageCache(texts)
    endPages = PageCache(ends)
  }

  func begin(_ bytes: borrowing ByteBuffer, ends list: [Int]) throws(Problem) {
    try texts.append(bytes)
    for end in list { put(end) }
    total = bytes.count
    try flush()
  }

  func add(_ text: borrowing ByteBuffer) throws(Problem) {
    text.read { newTexts.append($0) }
    total += text.count
    put(total)
    if newTexts.count + newEnds.count > 1 << 18 { try flush() }
  }

  func append(_ index: Int, to out: inout ByteBuffer) throws(Problem) {
    if newEnds.count > 0 { try flush() }
    let start = index == 0 ? 0 : try end(index - 1)
    try textPages.append(start, try end(index) - start, to: &out)
  }

  private func put(_ end: Int) {
    for shift in stride(from: 0, to: 64, by: 8) { newEnds.append(byte: UInt8(truncatingIfNeeded: end >> shift)) }
  }

  private func end(_ index: Int) throws(Problem) -> Int {
    var bytes = ByteBuffer(capacity: 8)
    try endPages.append(index * 8, 8, to: &bytes)
    return bytes.bytes().reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func flush() throws(Problem) {
    try texts.append(newTexts)
    try ends.append(newEnds)
    newTexts.removeAll()
    newEnds.removeAll()
  }
}

/// Pages of a growing file in memory, at most 16 MiB.
private final class PageCache {
  private static let pageBytes = 32 << 10, slots = 512

  private final class Page {
    var number: Int
    var bytes = ArenaBuilder(capacity: PageCache.pageBytes)
    init(_ number: Int) { self.number = number }
  }

  private let file: any ScratchFile
  private var pages: [Page?] = Array(repeating: nil, count: PageCache.slots)

  init(_ file: any ScratchFile) { self.file = file }

  func append(_ offset: Int, _ length: Int, to out: inout ByteBuffer) throws(Problem) {
    var at = offset
    let end = offset + length
    while at < end {
      let page = try page(at / Self.pageBytes, upTo: end), start = at % Self.pageBytes
      let count = min(end - at, page.bytes.count - start)
      out.append(page.bytes.run(start, count))
      at += count
    }
  }

  /// A page that is filled at least up to the position `end` of the file, or whole.
  private func page(_ number: Int, upTo end: Int) throws(Problem) -> Page {
    let slot = number % Self.slots, wanted = min(end - number * Self.pageBytes, Self.pageBytes)
    let page = pages[slot] ?? Page(number)
    if page.number != number {
      page.number = number
      page.bytes.removeAll()
    }
    pages[slot] = page
    while page.bytes.count < wanted {
      let offset = number * Self.pageBytes + page.bytes.count
      guard try file.read(at: offset, length: Self.pageBytes - page.bytes.count, into: &page.bytes) > 0 else {
        throw Problem(.io, "a temporary file was truncated", at: "temporary file")
      }
    }
    return page
  }
}
