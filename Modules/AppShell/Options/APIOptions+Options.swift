package import CommandLineKit
import Domain
package import Rows

/// The options for APIs and for other servers, one binding for each.
extension APIOptions: OptionGroup {
  private static let reading = "Source"

  package static let serverOption = Option.value(
    "api", "URL", setting: .server, in: reading, "base URL of the API server")
  /// The age of responses that are used as they are.
  package static let maxAgeOption = Option.value(
    "max-age", "SECONDS", in: reading, "use cached responses up to this age without revalidating")
  /// The most bytes of all responses.
  package static let maxBytesOption = Option.value(
    "max-bytes", "SIZE", default: "4G", setting: .maximumBytes, in: reading,
    "stop if the responses of the API exceed this total size")
  package static let deadlineOption = Option.value(
    "deadline", "SECONDS", default: "900", setting: .deadline, in: reading,
    "total time for requests to an API, waits included")
  /// Whether a partial response is an error.
  package static let strictOption = Option.flag(
    "strict", in: reading, "fail if the API announces more records than it returned")
  package static let setOption = Option.value(
    "set", "NAME=VALUE", repeatable: true, setting: .sourceVariable, in: reading,
    "set a variable of a source definition; may be repeated")
  package static let refreshOption = Option.flag("refresh", in: reading, "ignore cached responses").excluding("offline")
  /// Whether the network is not used.
  package static let offlineOption = Option.flag("offline", setting: .offline, in: reading, "do not use the network")
  package static let proxyOption = Option.value(
    "proxy", "URL", setting: .proxy, in: reading, "proxy URL, or none to disable proxies")
  package static let certificatesOption = Option.value(
    "cacert", "FILE", values: .file, setting: .certificates, in: reading, "CA certificate bundle (PEM) to trust")
  /// Whether data may lead to private addresses.
  static let privateOption = Option.flag(
    "allow-private", setting: .privateAddresses, in: reading,
    "allow data and redirects to lead to private addresses (loopback, LAN)")

  /// The options that apply to every connection, also to those for files and buckets.
  package static let connecting = [offlineOption, proxyOption, certificatesOption, privateOption]

  /// The options, in the order of the help.
  package static let bindings: [OptionBinding<Self>] = [
    OptionBinding(option: serverOption) { (group, invocation) throws(Problem) in
      // That of the configuration is only for the usual API.
      group.server = invocation[serverOption]
    },
    .number(maxAgeOption, \.maxAge, in: 0...Int(Int32.max)),
    OptionBinding(option: maxBytesOption) { (group, invocation) throws(Problem) in
      group.maximumBytes = try invocation.size(maxBytesOption)
    },
    .number(deadlineOption, \.deadline, in: 1...86_400),
    OptionBinding(option: strictOption) { (group, invocation) throws(Problem) in
      if invocation.isOn(strictOption) { (group.failsOnPartial, group.isComplete) = (true, true) }
    },
    OptionBinding(option: setOption) { (group, invocation) throws(Problem) in
      for text in invocation.all(setOption) {
        let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty else {
          throw Problem(.usage, "invalid value “\(text)” for --\(setOption.name)", hint: "use NAME=VALUE")
        }
        group.variables[String(pair[0])] = String(pair[1])
      }
    },
    .number(
      .value("errors-limit", "N", default: "20", in: reading, "report at most N invalid records of a response"),
      \.errorLimit, in: 1...1000),
    .flag(refreshOption, \.refresh),
    OptionBinding(option: offlineOption) { (group, invocation) throws(Problem) in
      // The command line has precedence over the configuration.
      group.offline = invocation.has(offlineOption) || invocation.isOn(offlineOption) && !group.refresh
    },
    .value(proxyOption, \.proxy) { (text) throws(Problem) in try checkedProxy(text) },
    .value(certificatesOption, \.caFile) { (text) throws(Problem) in text },
    .flag(privateOption, \.allowsPrivate),
  ]

  /// Reads the options, and those for buckets, which apply to every connection of a command.
  /// - Throws: `usage` for an invalid value.
  package init(connecting invocation: Invocation) throws(Problem) {
    try self.init(invocation)
    objects = try ObjectOptions(invocation.all(OutputOptions.formatOption))
  }

  /// The URL of a proxy, or `none`.
  /// - Throws: `usage` for a proxy of another kind.
  package static func checkedProxy(_ text: String) throws(Problem) -> String {
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    if let mark = text.firstRange(of: "://"), !schemes.contains(text[..<mark.lowerBound].lowercased()) {
      throw Problem(
        .usage, "invalid proxy “\(URLText.redacted(text))”", hint: "use http://HOST:PORT, socks5://HOST:PORT, or none")
    }
    return text
  }
}
