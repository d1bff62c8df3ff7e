import Codecs
import Testing

@Suite("SHA-256") struct SHA256Tests {
  @Test(
    "the examples of FIPS 180-4, and the lengths around a block",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    ])
  func examples(text: String, digest: String) { #expect(SHA256.hex(Array(text.utf8)) == digest) }

  @Test("pieces give the digest of the whole") func pieces() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for size in [1, 63, 64, 65, 200] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.update(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(hash.hexDigest() == SHA256.hex(bytes))
    }
  }

  @Test("with and without the processor's instructions") func instructions() {
    for count in [0, 1, 55, 56, 63, 64, 65, 127, 128, 1000, 4096] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
      var plain = SHA256(usesInstructions: false)
      plain.update(bytes)
      #expect(plain.hexDigest() == SHA256.hex(bytes))
    }
  }
}
