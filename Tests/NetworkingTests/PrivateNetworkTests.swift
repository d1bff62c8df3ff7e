import Networking
import Testing

@Suite("Private networks") struct PrivateNetworkTests {
  @Test(
    "are known by their addresses",
    arguments: [
      "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
      "0.0.0.0",
      "::1", "::", "fe80::1%eth0", "fd00::1", "FC00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "", "host",
      "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001::1", "fec0::1", "ff02::1",
      "224.0.0.1", "239.1.2.3", "255.255.255.255", "240.0.0.1", "192.0.0.1", "198.18.0.1", "127.1", "0x7f000001",
    ])
  func inside(_ address: String) { #expect(PrivateNetwork.contains(address)) }

  @Test(
    "end where they end",
    arguments: [
      "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "169.253.1.1", "100.128.0.1", "11.0.0.1", "2606:4700::1111",
      "::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8", "2002:808:808::", "2001:4860:4860::8888",
      "223.255.255.255",
      "192.0.1.1", "198.20.0.1",
    ])
  func outside(_ address: String) { #expect(!PrivateNetwork.contains(address)) }
}
