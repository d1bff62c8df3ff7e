/// The files with profiles that programs for AWS share: `~/.aws/credentials` and `~/.aws/config`.
struct AWSProfiles: Sendable {
  /// The settings by section: `default`, `NAME`, `sso-session NAME`, `services NAME`.
  private var sections: [String: [String: String]] = [:]

  init() {}

  /// Reads a file in the form of INI files. Indented lines belong to the line above: `s3.endpoint_url`.
  /// - Parameter isConfiguration: whether profiles other than the default are sections `profile NAME`.
  mutating func read(_ bytes: [UInt8], isConfiguration: Bool) {
    var section: String?, outer = ""
    for line in String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    {
      let text = Self.trimmed(line)
      if text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") { continue }
      if text.hasPrefix("["), let end = text.unicodeScalars.firstIndex(of: "]") {
        section = Self.section(Self.trimmed(text[text.index(after: text.startIndex)..<end]), isConfiguration)
        outer = ""
        continue
      }
      guard let section, let mark = text.unicodeScalars.firstIndex(of: "=") else { continue }
      var key = Self.trimmed(text[..<mark]).lowercased()
      let value = Self.withoutComment(Self.trimmed(text[text.index(after: mark)...]))
      if line.first?.isWhitespace == true, !outer.isEmpty {
        key = "\(outer).\(key)"
      } else {
        outer = value.isEmpty ? key : ""
      }
      sections[section, default: [:]][key] = value
    }
  }

  /// The settings of a profile; nil if there is no such profile.
  subscript(profile name: String) -> [String: String]? { sections[name] }
  /// The settings of a section of another kind.
  subscript(_ kind: String, name: String) -> [String: String]? { sections["\(kind) \(name)"] }

  private static func section(_ title: String, _ isConfiguration: Bool) -> String? {
    guard isConfiguration else { return title }
    if title == "default" { return title }
    let words = title.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard words.count == 2 else { return nil }
    let name = trimmed(words[1])
    return words[0] == "profile" ? name : "\(words[0]) \(name)"
  }

  private static func withoutComment(_ value: String) -> String {
    for mark in [" #", " ;", "\t#", "\t;"] {
      if let start = value.firstRange(of: mark) { return trimmed(value[..<start.lowerBound]) }
    }
    return value
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = Substring(text)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
