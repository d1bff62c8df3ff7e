public import Rows

/// The program's settings: `NAME = VALUE`, a line each; empty lines and those that begin with `#` say nothing.
public enum SettingsFile {
  /// What the file at `path` says; nothing when there is none.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - names: the settings there are.
  /// - Throws: `configuration` with the line of a setting there is not, or that is said twice or wrongly.
  public static func read(_ path: String, names: [String]) throws(Problem) -> [String: String] {
    let bytes: [UInt8]
    do throws(Problem) {
      bytes = try content(path)
    } catch {
      if error.kind == .noInput { return [:] }
      throw error
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.configuration, "is not UTF-8", at: path)
    }
    var settings: [String: String] = [:]
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let place = "\(path):\(number + 1)"
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let mark = line.firstIndex(of: "=") else {
        throw Problem(.configuration, "“\(line)” sets nothing", at: place, hint: "write NAME = VALUE")
      }
      let name = trimmed(line[..<mark]), value = trimmed(line[line.index(after: mark)...])
      guard names.contains(name) else {
        let near = Nearest.word(to: name, among: names).map { "did you mean \($0)?" }
        throw Problem(
          .configuration, "there is no setting “\(name)”", at: place,
          hint: near ?? "there are: \(names.joined(separator: ", "))")
      }
      guard settings[name] == nil else { throw Problem(.configuration, "\(name) is set twice", at: place) }
      guard !value.isEmpty else { throw Problem(.configuration, "\(name) has no value", at: place) }
      settings[name] = value
    }
    return settings
  }

  private static func content(_ path: String) throws(Problem) -> [UInt8] {
    do throws(Problem) { return try FileByteSource(path: path).bytes(limit: FileLimit.configuration) } catch {
      throw error.kind == .badData ? Problem(.configuration, error.message, at: path, hint: error.hint) : error
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.unicodeScalars.first, first.properties.isWhitespace { text.unicodeScalars.removeFirst() }
    while let last = text.unicodeScalars.last, last.properties.isWhitespace { text.unicodeScalars.removeLast() }
    return String(text)
  }
}
