import Domain
import Glibc
@testable import Networking
import TestSupport
import Testing

@Suite("Shelves of the cache") struct CacheBundleTests {
  private let path = TemporaryDirectory().path + "/http/x.shelf"

  private func entry(_ number: Int, size: Int = 20) -> CacheEntry {
    CacheEntry(
      seconds: 1_700_000_000, status: 200, headers: [HTTPHeader("ETag", "\"\(number)\"")],
      body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
  }
  private func key(_ number: Int) -> CacheBundle.Key { CacheBundle.Key(Array("question \(number)".utf8)) }
  private func size() -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : -1
  }

  @Test("returns stored responses, also to the next process; the last response counts") func keeps() throws {
    let shelf = CacheBundle(path: path)
    for number in 0..<5 { #expect(shelf.keep(entry(number), key(number))) }
    #expect(shelf.keep(entry(7), key(2)))
    for shelf in [shelf, CacheBundle(path: path)] {
      #expect(shelf.entry(key(1))?.body == entry(1).body && shelf.entry(key(1))?.header("etag") == "\"1\"")
      #expect(shelf.entry(key(2))?.body == entry(7).body)
      #expect(shelf.entry(key(9)) == nil)
    }
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("two processes that store responses concurrently lose none") func shared() throws {
    let shelves = [CacheBundle(path: path), CacheBundle(path: path)]
    #expect(shelves[0].keep(entry(100), key(100)))
    for number in 0..<20 {
      #expect(shelves[number % 2].keep(entry(number), key(number)))
      #expect(shelves[number % 2].entry(key(number))?.body == entry(number).body)
    }
    let next = CacheBundle(path: path)
    for number in 0..<20 { #expect(next.entry(key(number))?.body == entry(number).body) }
  }

  @Test("a truncated file returns the complete entries, and accepts more") func torn() throws {
    let shelf = CacheBundle(path: path)
    var ends: [Int] = []
    for number in 0..<3 {
      #expect(shelf.keep(entry(number), key(number)))
      ends.append(size())
    }
    let original = try #require(contents())
    for length in stride(from: ends[2] - 1, through: 0, by: -1) {
      write(Array(original[..<length]))
      let cut = CacheBundle(path: path)
      for number in 0..<3 { #expect((cut.entry(key(number))?.body == entry(number).body) == (ends[number] <= length)) }
      #expect(cut.keep(entry(8), key(8)))
      let next = CacheBundle(path: path)
      #expect(next.entry(key(8))?.body == entry(8).body)
      #expect((next.entry(key(0)) != nil) == (ends[0] <= length))
    }
  }

  @Test("a changed byte never changes a response") func damaged() throws {
    #expect(CacheBundle(path: path).keep(entry(1), key(1)))
    let original = try #require(contents())
    for place in original.indices {
      var bytes = original
      bytes[place] ^= 0x11
      write(bytes)
      let found = CacheBundle(path: path).entry(key(1))
      #expect(found == nil || found?.body == entry(1).body)
    }
  }

  @Test("an unchanged response appends nothing") func unchanged() {
    let shelf = CacheBundle(path: path)
    for number in 0..<2 { #expect(shelf.keep(entry(number), key(number))) }
    let before = size()
    shelf.noteUnchanged(key(0), at: 1_800_000_000)
    #expect(size() == before)
    #expect(shelf.keep(entry(2), key(2)))
    let next = CacheBundle(path: path)
    #expect((0..<3).map { next.entry(key($0))?.seconds } == [1_800_000_000, 1_700_000_000, 1_700_000_000])
    #expect((0..<3).map { next.entry(key($0))?.body } == (0..<3).map { entry($0).body })
  }

  @Test("what cannot be written is not kept") func fails() {
    let none = CacheBundle(path: "/proc/none/http/x.shelf")
    for number in 0..<2 { #expect(!none.keep(entry(number), key(number))) }
    #expect(none.entry(key(0)) == nil)
  }

  @Test("old responses are removed") func wasteful() {
    let shelf = CacheBundle(path: path)
    #expect(shelf.keep(entry(1), key(1)))
    for number in 0..<400 { #expect(shelf.keep(entry(number, size: 10_000), key(0))) }
    #expect(size() < 1_200_000)
    let next = CacheBundle(path: path)
    #expect(next.entry(key(0))?.body == entry(399, size: 10_000).body && next.entry(key(1))?.body == entry(1).body)
  }

  private func contents() -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: size())
    return unsafe read(file, &bytes, bytes.count) == bytes.count ? bytes : nil
  }
  private func write(_ bytes: [UInt8]) {
    let file = unsafe open(path, O_WRONLY | O_TRUNC)
    defer { close(file) }
    #expect(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
  }
}
