import Codecs
package import Domain
import Rows

/// An external exporter that is installed: an executable `bb-exporter-NAME`.
package struct Plugin: Sendable, Hashable {
  /// The name after `-f`.
  package let name: String
  package let path: String
  /// Why it is not run; nil when it is.
  let refusal: String?
}

package struct PluginDescription: Sendable, Hashable {
  /// The name after `-f`.
  package var name: String
  package var version: String
  package var vendor: String
  package var summary: String
  /// Suffixes of files, without the dot, in small letters.
  package var fileExtensions: [String]
  package var mediaType: String
  package var options: [ExporterDescriptor.Option]

  /// Creates a description from the output of `--describe`.
  /// - Throws: `plugIn` for output that is not a description of a plug-in named `name`.
  init(_ bytes: [UInt8], of name: String, at path: String) throws(Problem) {
    let document: JSON
    do throws(Problem) {
      document = try JSON.parse(bytes, name: "\(path) --describe", duplicateKeys: .kept)
    } catch {
      throw Problem(.plugIn, "invalid JSON from --describe: \(error.message)", at: error.place)
    }
    func text(_ value: JSON?) -> String { value?.stringValue ?? "" }
    guard document["schemaVersion"]?.integerValue == 1 else {
      throw Problem(.plugIn, "--describe must return schemaVersion 1", at: "\(path) --describe")
    }
    guard text(document["name"]) == name else {
      throw Problem(
        .plugIn, "the name in --describe does not match the file name: “\(text(document["name"]))”", at: path)
    }
    self.name = name
    version = text(document["version"])
    vendor = text(document["vendor"])
    summary = text(document["description"])
    fileExtensions = (document["extensions"]?.arrayValue ?? []).map { text($0).lowercased() }
    mediaType = text(document["mediaType"])
    options = []
    for option in document["options"]?.arrayValue ?? [] {
      guard let key = option["key"]?.stringValue, Self.isWord(key) else {
        throw Problem(
          .plugIn, "invalid option key: use lowercase letters, digits and hyphens", at: "\(path) --describe")
      }
      options.append(ExporterDescriptor.Option(key, text(option["values"]), text(option["description"])))
    }
    guard fileExtensions.allSatisfy(Self.isWord) else {
      throw Problem(
        .plugIn, "invalid file extension: use lowercase letters, digits and hyphens", at: "\(path) --describe")
    }
  }

  /// `^[a-z0-9][a-z0-9-]*$`.
  static func isWord(_ text: String) -> Bool {
    text.utf8.first.map { $0 != UInt8(ascii: "-") } ?? false
      && text.utf8.allSatisfy { $0 &- 97 < 26 || $0 &- 48 < 10 || $0 == UInt8(ascii: "-") }
  }
}
