/// Addresses that only mean something on this computer or in its own network.
package enum PrivateNetwork {
  /// Whether a numeric address, IPv4 or IPv6, is loopback, private, link-local, shared or unspecified; also when it is no address at all.
  package static func contains(_ address: String) -> Bool {
    let text = address.lowercased().prefix { $0 != "%" }
    if text.contains(":") {
      if text.contains("."), let colon = text.lastIndex(of: ":") {
        return contains(String(text[text.index(after: colon)...]))
      }
      guard let first = text.split(separator: ":", omittingEmptySubsequences: false).first else { return true }
      // An empty first group: ::1, :: and what is written as such.
      guard let group = UInt16(first, radix: 16) else { return true }
      return group == 0 || group & 0xFE00 == 0xFC00 || group & 0xFFC0 == 0xFE80
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
    guard parts.count == 4 else { return true }
    switch (parts[0], parts[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): return true
    default: return false
    }
  }
}
