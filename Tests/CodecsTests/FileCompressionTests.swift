import Codecs
import Rows
import Synchronization
import Testing

@Suite("Compressed files") struct FileCompressionTests {
  /// Keeps what is written.
  private final class Sink: ByteSink {
    let name = "memory"
    let bytes = Mutex<[UInt8]>([])
    func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
      let added = bytes.bytes()
      self.bytes.withLock { $0 += added }
    }
    func commit() async throws(Problem) {}
    func abandon() async { bytes.withLock { $0 = [] } }
  }

  private func compressed(_ plain: [UInt8], _ compression: FileCompression) async throws -> [UInt8] {
    let sink = Sink()
    let compressing = try CompressingSink(sink, compression, threads: 2)
    for start in stride(from: 0, to: plain.count, by: 700_001) {
      var piece = ByteBuffer(capacity: 16)
      piece.append(bytes: Array(plain[start..<min(start + 700_001, plain.count)]))
      try await compressing.write(piece)
    }
    try await compressing.commit()
    return sink.bytes.withLock { $0 }
  }

  /// All decompressed bytes, read in pieces of `limit`.
  private func plain(_ bytes: [UInt8], _ compression: FileCompression, limit: Int = 65_536) throws -> [UInt8] {
    let source = try DecompressingSource(MemoryByteSource(bytes, name: "x"), compression)
    var all = ArenaBuilder()
    while try source.read(into: &all, limit: limit) > 0 {}
    return all.bytes
  }

  private func text(_ count: Int) -> [UInt8] {
    var state: UInt64 = 7
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return UInt8(truncatingIfNeeded: state >> 60) + 97
    }
  }

  @Test("what is compressed in members is read back", arguments: FileCompression.all, [0, 1, 3_000_000])
  func roundTrip(_ compression: FileCompression, _ count: Int) async throws {
    let text = text(count), bytes = try await compressed(text, compression)
    #expect(FileCompression(beginning: Array(bytes.prefix(4))) == compression)
    for limit in [1000, 65_536] { #expect(try plain(bytes, compression, limit: limit) == text) }
  }

  @Test("a file that ends within its first bytes is known by its name")
  func beginnings() {
    #expect(FileCompression(beginning: [0x1F], of: "a.csv.gz") == .gzip)
    #expect(FileCompression(beginning: [0x28, 0xB5, 0x2F], of: "a.csv.zst") == .zstd)
    #expect(FileCompression(beginning: [0x28], of: "a.csv.gz") == nil)
    #expect(FileCompression(beginning: [0x28], of: "a.csv") == nil)
    #expect(FileCompression(beginning: [], of: "a.csv.gz") == nil)
    #expect(FileCompression(beginning: Array("id,n".utf8), of: "a.csv.gz") == nil)
  }

  @Test("a truncated file is refused at every length", arguments: FileCompression.all)
  func truncated(_ compression: FileCompression) async throws {
    let text = text(500), bytes = try await compressed(text, compression)
    // Before the table of frames, which readers skip, the file is a whole one without it.
    let data = compression == .zstd ? Array(bytes.dropLast(8 + 8 + 9)) : bytes
    for count in 0..<data.count {
      let problem = #expect(throws: Problem.self) { try plain(Array(data.prefix(count)), compression) }
      #expect(problem?.kind == .badData)
      #expect(problem?.message == "truncated \(compression.name) data at byte \(count)")
    }
  }

  @Test("a changed bit is refused, or changes nothing", arguments: FileCompression.all)
  func damaged(_ compression: FileCompression) async throws {
    let text = text(400), bytes = try await compressed(text, compression)
    var refused = 0
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      do {
        #expect(try plain(changed, compression) == text)
      } catch {
        refused += 1
      }
    }
    #expect(refused > text.count)
  }

  @Test("zeros may follow members, other bytes may not") func padding() async throws {
    let text = text(300), bytes = try await compressed(text, .gzip)
    #expect(try plain(bytes + [0, 0, 0], .gzip) == text)
    #expect(try plain(bytes + bytes, .gzip) == text + text)
    #expect(throws: Problem.self) { try plain(bytes + Array("text".utf8), .gzip) }
  }

  @Test(
    "the extension is split off",
    arguments: [("a.csv.gz", "a.csv"), ("a.CSV.ZST", "a.CSV"), ("a.csv", "a.csv"), (".gz", ".gz")])
  func split(_ path: String, _ expected: String) { #expect(FileCompression.split(path).path == expected) }
}
