import Codecs
package import CommandLineKit
package import Rows

/// Values of options that are quantities with a suffix.
extension Invocation {
  /// The number of bytes that an option states: `500k`, `64M`, `2G`; nil if it is absent.
  /// - Throws: `usage` for anything else.
  package func size(_ option: Option) throws(Problem) -> Int? {
    guard let text = setting(option) else { return nil }
    guard let size = ByteSize.parse(text) else {
      throw Problem(
        .usage, "invalid size “\(text)” for --\(option.name)", hint: "use bytes or a suffix: 500k, 64M, 2G")
    }
    return size
  }

  /// The number of seconds that an option states: `90m`, `12h`, `7d`; nil if it is absent.
  /// - Throws: `usage` for anything else.
  package func age(_ option: Option) throws(Problem) -> Int64? {
    guard let text = setting(option) else { return nil }
    guard let age = TimeSpan.parse(text), age < 1 << 40 else {
      throw Problem(
        .usage, "invalid age “\(text)” for --\(option.name)", hint: "use seconds or a suffix: 90m, 12h, 7d, 2w")
    }
    return age
  }
}
