import Glibc

package enum ProcessVariables {
  /// All variables by name; of duplicates, the first.
  package static func all() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let line = unsafe entry.pointee.map({ unsafe String(cString: $0) }) {
      unsafe entry += 1
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(line[..<equals])
      if variables[name] == nil { variables[name] = String(line[line.index(after: equals)...]) }
    }
    return variables
  }
}
