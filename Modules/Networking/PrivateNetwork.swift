import Glibc

/// Addresses that only mean something on this computer or in its own network.
package enum PrivateNetwork {
  /// Whether a numeric address, IPv4 or IPv6, is loopback, private, link-local, shared, multicast, reserved or
  /// unspecified.
  /// - Returns: also true for text that is not an address.
  package static func contains(_ address: String) -> Bool {
    let text = String(address.prefix { $0 != "%" })
    var four = in_addr()
    if unsafe inet_pton(AF_INET, text, &four) == 1 {
      return unsafe contains(four: withUnsafeBytes(of: four) { unsafe Array($0) })
    }
    var six = in6_addr()
    guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return true }
    let bytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
    let group = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    switch group {
    case 0x0064 where bytes[2...11].elementsEqual([0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]):  // NAT64
      return contains(four: Array(bytes[12...]))
    case 0x2002: return contains(four: Array(bytes[2...5]))  // 6to4
    case 0 where bytes[2...9].allSatisfy { $0 == 0 } && bytes[10...11].elementsEqual([0xFF, 0xFF]):  // IPv4-mapped
      return contains(four: Array(bytes[12...]))
    // Teredo hides another address; 0000::/8, unique local, link-local, site-local and multicast are never public.
    case 0x2001 where bytes[2...3].elementsEqual([0, 0]): return true
    default: return bytes[0] == 0 || group & 0xFE00 == 0xFC00 || group & 0xFF80 == 0xFE80 || bytes[0] == 0xFF
    }
  }

  private static func contains(four bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19): true
    case (192, 0): bytes[2] == 0
    case (224...255, _): true
    default: false
    }
  }

  /// Whether a URL's host, as libcurl writes it, is a private address or a name of this computer.
  static func contains(host: String) -> Bool {
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { return contains(String(name.dropFirst().dropLast())) }
    if name.hasSuffix(".") { name.removeLast() }
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    // A last label of digits makes it a number and not a name (WHATWG URL, 3.5).
    let isNumber = name.split(separator: ".").last.map { $0.utf8.allSatisfy { $0 &- 48 < 10 } || $0.hasPrefix("0x") }
    return isNumber ?? true ? contains(name) : false
  }
}
