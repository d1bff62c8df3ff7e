import AppShell
package import CommandLineKit
import Domain
import Files
package import Rows
import Sources

/// Checks of settings before they are stored.
extension ConnectedSources {
  package func checked(_ value: String, of key: ConfigurationKey) throws(Problem) -> String {
    switch key {
    case .api:
      guard URLText.isWeb(value) else {
        throw Problem(
          .usage, "invalid server URL “\(URLText.redacted(value))”", hint: "use a URL: https://host/path")
      }
    case .proxy: return try APIOptions.checkedProxy(value)
    case .cacert:
      _ = try FileByteSource(input: value)
      return AbsolutePath.of(value)
    case .source where value.contains("/") || value.hasSuffix(".json"):
      _ = try definition(value)
      return AbsolutePath.of(value)
    case .source where value != "snapshot": _ = try APIDescription.named(value)
    default: break
    }
    return value
  }
}
