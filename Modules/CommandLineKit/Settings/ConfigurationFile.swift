import Files
import Glibc
package import Rows

/// The configuration file: lines `KEY = VALUE`; empty lines and lines that begin with `#` are comments.
package enum ConfigurationFile {
  /// Reads the settings of a file.
  /// - Parameter path: the path of the file; it may be absent.
  /// - Throws: `configuration` with the line of an unknown key, a duplicate key or an invalid value.
  package static func read(_ path: String) throws(Problem) -> [ConfigurationKey: String] {
    var settings: [ConfigurationKey: String] = [:]
    for (number, line) in try lines(of: path).enumerated() {
      let place = "\(path):\(number + 1)"
      guard let (name, value) = try assignment(line, at: place) else { continue }
      guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else { throw unknown(name, at: place) }
      guard settings[key] == nil else { throw Problem(.configuration, "duplicate key: \(name)", at: place) }
      guard !value.isEmpty else { throw Problem(.configuration, "missing value for \(name)", at: place) }
      try refuseMarks(value, for: key, at: place)
      settings[key] = try Configuration.value(value, for: key, at: place)
    }
    return settings
  }

  /// Sets or removes a key; the other lines stay as they are. The change is atomic, and the file is private.
  /// - Parameters:
  ///   - key: the key.
  ///   - value: the new value; nil to remove the key.
  ///   - path: the path of the file; it and its directory are created if necessary.
  /// - Throws: `configuration` for a file with an error, `usage` for an invalid value, `permission`, `io`.
  package static func set(_ key: ConfigurationKey, to value: String?, in path: String) async throws(Problem) {
    var value = value
    if let text = value {
      guard !text.isEmpty, trimmed(text[...]) == text, !text.unicodeScalars.contains(where: { $0.value < 32 })
      else {
        throw Problem(.usage, "invalid value “\(text)” for \(key.name)", hint: "expected text on one line")
      }
      do throws(Problem) {
        try refuseMarks(text, for: key, at: "")
        value = try Configuration.value(text, for: key)
      } catch { throw Problem(.usage, error.message, hint: error.hint) }
    }
    let directory = Temporaries.split(path).directory
    try DirectoryListing.make(directory)
    // Held until the new file is in place: concurrent changes follow each other.
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Problem.posix(errno, "open", directory) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Problem.posix(errno, "lock", directory) }
    }
    _ = try read(path)
    var lines = try lines(of: path).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let line = value.map { "\(key.name) = \($0)" }
    var position: Int?
    for (number, line) in lines.enumerated() where try assignment(line[...], at: path)?.name == key.name {
      position = number
    }
    switch (position, line) {
    case (let position?, let line?): lines[position] = line
    case (let position?, nil): lines.remove(at: position)
    case (nil, let line?): lines.append(line)
    case (nil, nil): return
    }
    // A file that the user made may be readable by others, and a proxy has a password; the new file keeps the mode.
    guard unsafe chmod(path, 0o600) == 0 || errno == ENOENT else { throw Problem.posix(errno, "make private", path) }
    let sink = try FileSink(path: path, mode: 0o600, follows: true)
    do throws(Problem) {
      try sink.append(Array(lines.map { $0 + "\n" }.joined().utf8))
      try await sink.commit()
    } catch {
      await sink.abandon()
      throw error
    }
  }

  /// Refuses quotes around a value and a comment after it: both would be part of the value.
  private static func refuseMarks(_ value: String, for key: ConfigurationKey, at place: String) throws(Problem) {
    if key.isFreeText { return }
    if value.contains(" # ") {
      throw Problem(
        .configuration, "a comment must be on a line of its own: “\(value)”", at: place,
        hint: "move the comment to the line above")
    }
    guard let first = value.first, "\"'".contains(first), value.count > 1, value.last == first else { return }
    throw Problem(
      .configuration, "values are written without quotes: \(value)", at: place,
      hint: "write \(key.name) = \(value.dropFirst().dropLast())")
  }

  /// The problem of a key that does not exist.
  static func unknown(_ name: String, at place: String = "") -> Problem {
    let names = ConfigurationKey.all.map(\.name)
    return Problem(
      .configuration, "unknown key “\(name)”", at: place,
      hint: .choose(name, from: names, "available keys"))
  }

  /// The name and the value of a line; nil for a comment.
  private static func assignment(_ line: Substring, at place: String) throws(Problem) -> (name: String, value: String)?
  {
    let line = trimmed(line)
    if line.isEmpty || line.hasPrefix("#") { return nil }
    guard let mark = line.unicodeScalars.firstIndex(of: "=") else {
      throw Problem(.configuration, "expected KEY = VALUE, found “\(line)”", at: place)
    }
    return (trimmed(line[..<mark]), trimmed(line[line.index(after: mark)...]))
  }

  private static func lines(of path: String) throws(Problem) -> [Substring] {
    let bytes: [UInt8]
    do throws(Problem) {
      bytes = try content(path)
    } catch {
      if error.kind == .noInput { return [] }
      throw error
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.configuration, "invalid UTF-8", at: path)
    }
    return text.split(at: "\n", omittingEmptySubsequences: false)
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
