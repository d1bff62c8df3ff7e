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

  private func kind(_ field: [UInt8], before byte: UInt8) -> ValueKinds {
    let arena = Arena(field + [byte, byte, 0]), run = ByteRun(arena, 0, UInt32(field.count))
    return withExtendedLifetime(arena) { ValueKinds(field: run) }
  }
}
