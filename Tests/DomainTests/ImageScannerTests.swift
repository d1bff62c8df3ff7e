import Conformance
import Domain
import Fakes
import Rows
import Testing

@Suite("ImageScanner") struct ImageScannerTests {
  static func scan(_ bytes: [UInt8], pieces: Int = .max) throws(Problem) -> ImageKind {
    var scanner = ImageScanner()
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, pieces == .max ? bytes.count : at + pieces)
      let piece = Array(bytes[at..<end])
      unsafe scanner.update(piece.span.bytes)
      at = end
    }
    return try scanner.finish()
  }

  @Test("every kind is known, however its bytes are cut", arguments: SampleImage.all) func kinds(
    _ image: SampleImage
  )
    throws
  {
    for pieces in [1, 2, 3, 7, 16, 17, 64, Int.max] {
      #expect(try Self.scan(image.bytes, pieces: pieces) == image.kind)
    }
  }

  @Test("an image without its end is invalid, wherever it is cut", arguments: SampleImage.all)
  func cut(_ image: SampleImage) {
    for length in 0..<image.bytes.count {
      #expect(throws: Problem.self, "\(length) of \(image.bytes.count) bytes") {
        _ = try Self.scan(Array(image.bytes[..<length]), pieces: 5)
      }
    }
  }

  @Test("bytes after the end of a JPEG, PNG or GIF are ignored") func trailing() throws {
    for image in SampleImage.all where [.jpeg, .png, .gif].contains(image.kind) {
      #expect(try Self.scan(image.bytes + Array(repeating: 7, count: 100)) == image.kind)
    }
  }

  @Test(
    "pages, scripts and texts are not images",
    arguments: [
      "", "<", "<html><body>not here</body></html>", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>",
      "{\"error\": \"not found\"}", "%PDF-1.7 and so on and on", "GIF88a                 ", "RIFF____WAVEfmt         ",
    ]) func others(_ text: String)
  {
    #expect(throws: Problem.self) { _ = try Self.scan(Array(text.utf8)) }
  }

  @Test("damage in the structure is found") func damage() {
    var png = SampleImage.png(width: 3).bytes
    png[8] = 0xFF
    #expect(throws: Problem.self) { _ = try Self.scan(png) }
    var jpeg = SampleImage.jpeg(of: 50).bytes
    jpeg[2] = 0
    #expect(throws: Problem.self) { _ = try Self.scan(jpeg) }
  }

  @Test("a JPEG may contain an end marker in a thumbnail or after a stuffed byte") func thumbnails()
    throws
  {
    let inner = SampleImage.jpeg(of: 30).bytes
    let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(inner.count + 2)] + inner
    let outer = SampleImage.jpeg(of: 60).bytes
    let whole = Array(outer[..<2]) + segment + Array(outer[2...])
    #expect(try Self.scan(whole) == .jpeg)
    #expect(throws: Problem.self) { _ = try Self.scan(Array(whole.dropLast(2))) }
  }
}
