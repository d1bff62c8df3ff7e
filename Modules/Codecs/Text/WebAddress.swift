/// Which texts are addresses on the web: what may become a link. Nothing but `http` and `https` ever does.
package enum WebAddress {
  /// Whether the text as a whole is an address: `http://` or `https://`, then anything but blanks and control bytes.
  package static func isOne(_ text: ByteRun) -> Bool {
    func begins(_ prefix: StaticString) -> Bool {
      let count = prefix.utf8CodeUnitCount
      guard text.count > count else { return false }
      for i in 0..<count {
        let wanted = unsafe prefix.utf8Start[i], byte = text[i]
        if byte != wanted, byte | 0x20 != wanted || !(0x61...0x7A).contains(wanted) { return false }
      }
      return true
    }
    guard begins("http://") || begins("https://") else { return false }
    for position in 0..<text.count where text[position] <= 0x20 || text[position] == 0x7F { return false }
    return true
  }

  /// Whether the text is an email address with its scheme: `mailto:a@b.c`.
  package static func isMail(_ text: ByteRun) -> Bool {
    let scheme: StaticString = "mailto:"
    guard text.count > scheme.utf8CodeUnitCount else { return false }
    for i in 0..<scheme.utf8CodeUnitCount where unsafe text[i] != scheme.utf8Start[i] { return false }
    for i in 0..<text.count where text[i] <= 0x20 || text[i] == 0x7F { return false }
    return true
  }

  package static func begins(_ text: ByteRun) -> Bool {
    for scheme: StaticString in ["http://", "https://", "mailto:"] {
      let count = scheme.utf8CodeUnitCount
      guard text.count > count else { continue }
      if (0..<count).allSatisfy({ unsafe text[$0] | 0x20 == scheme.utf8Start[$0] | 0x20 }) { return true }
    }
    return false
  }
}
