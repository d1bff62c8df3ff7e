import Codecs
import Testing

@Suite("Base64") struct Base64Tests {
  @Test(
    "the examples of RFC 4648",
    arguments: [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"),
    ])
  func examples(text: String, bytes: String) {
    #expect(Base64.decode(Array(text.utf8)) == Array(bytes.utf8))
    #expect(Base64.encoded(Array(bytes.utf8)) == Array(text.utf8))
  }

  @Test(
    "anything else is refused",
    arguments: ["Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v\n", "Zm-v", "====", "=", "Z===", "Zg==Zg==", "Zm 9v"])
  func refused(text: String) { #expect(Base64.decode(Array(text.utf8)) == nil) }

  @Test("all bytes") func allBytes() {
    #expect(Base64.decode(Array("+/8AAQL+".utf8)) == [0xFB, 0xFF, 0x00, 0x01, 0x02, 0xFE])
  }
}
