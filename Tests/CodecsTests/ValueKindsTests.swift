import Codecs
import Rows
import Testing

@Suite("kinds of values") struct ValueKindsTests {
  @Test("what follows a value does not change its kind") func following() {
    for field in [
      "0", "-1", "12", "2024", "1.5", "-0.25", ".5", "1e5", "1.5e-3", "1.", "1e", "x", "2024-01-02", "true",
    ] {
      let bytes = Array(field.utf8), alone = kind(bytes, before: 0)
      for byte in UInt8.min...UInt8.max {
        #expect(kind(bytes, before: byte) == alone, "\(field), then \(byte)")
      }
    }
  }

  @Test("what follows a text does not change whether it is UTF-8") func encoding() {
    for text: [UInt8] in [
      [0x41], [0xC3], [0xC3, 0xA9], [0x41, 0xE2, 0x82], [0xE2], [0xF0, 0x9F], [0x41, 0xF0], [0xF0, 0x9F, 0x98, 0x80],
      Array(repeating: 0x41, count: 63) + [0xC3],
    ] {
      let alone = firstInvalid(text, before: 0)
      for byte in UInt8.min...UInt8.max {
        #expect(firstInvalid(text, before: byte) == alone, "\(text), then \(byte)")
      }
    }
  }

  private func firstInvalid(_ text: [UInt8], before byte: UInt8) -> Int? {
    let all = text + [byte, byte, byte, 0]
    return unsafe all.withUnsafeBytes { unsafe TextEncoding.firstInvalidByte(.init(rebasing: $0[..<text.count])) }
  }

  private func kind(_ field: [UInt8], before byte: UInt8) -> ValueKinds {
    let arena = Arena(field + [byte, byte, 0]), run = ByteRun(arena, 0, UInt32(field.count))
    return withExtendedLifetime(arena) { ValueKinds(field: run) }
  }
}
