import Codecs
import Glibc
import Rows
import Synchronization

/// The zones that were read so far.
private let known = Mutex<[String: TimeZoneRules]>([:])

extension TimeZoneRules {
  /// The zone called `name`: `UTC`, `+02:00`, or a name of the time zone data.
  /// - Throws: `configuration` for an unknown name, and for a system without time zone data.
  static func named(_ name: String) throws(Problem) -> TimeZoneRules {
    if name == "UTC" || name == "Z" { return TimeZoneRules(offset: 0) }
    if name.hasPrefix("+") || name.hasPrefix("-") {
      guard let offset = DatePattern.offset(name) else {
        throw Problem(
          .configuration, "invalid time zone “\(name)”", hint: "use UTC, +02:00, or a name such as Europe/Vienna")
      }
      return TimeZoneRules(offset: offset)
    }
    if let rules = known.withLock({ $0[name] }) { return rules }
    let rules = try read(name)
    known.withLock { $0[name] = rules }
    return rules
  }

  private static func read(_ name: String) throws(Problem) -> TimeZoneRules {
    let directory = "/usr/share/zoneinfo"
    let isName = name.utf8.allSatisfy { byte in
      (byte | 32) &- 97 < 26 || byte &- 48 < 10 || "_+-/".utf8.contains(byte)
    }
    guard isName, !name.hasPrefix("/"), !name.isEmpty else {
      throw Problem(
        .configuration, "unknown time zone “\(name)”", hint: "use UTC, +02:00, or a name such as Europe/Vienna")
    }
    guard let bytes = bytes("\(directory)/\(name)"), let rules = TimeZoneRules(bytes) else {
      guard bytes("\(directory)/UTC") != nil else {
        throw Problem(
          .configuration, "unknown time zone “\(name)”: this system has no time zone data",
          hint: "install tzdata, or use an offset such as +02:00")
      }
      throw Problem(
        .configuration, "unknown time zone “\(name)”", hint: "use UTC, +02:00, or a name such as Europe/Vienna")
    }
    return rules
  }

  /// The bytes of a file of the system, up to 1 MiB; nil if there is none.
  private static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes[..<count])
  }
}
