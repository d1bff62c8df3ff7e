import Glibc

/// The variables of the process's environment.
public enum ProcessVariables {
  /// All variables by name; of duplicates, the first.
  public static func all() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe entry += 1
      let line = unsafe String(cString: text)
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(line[..<equals])
      if variables[name] == nil { variables[name] = String(line[line.index(after: equals)...]) }
    }
    return variables
  }
}
