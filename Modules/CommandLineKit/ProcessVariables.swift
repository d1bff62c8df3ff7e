import Glibc

/// The variables of the process's environment.
public enum ProcessVariables {
  /// All variables by name; of duplicates, the first.
  public static func all() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let pair = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, variables[String(pair[0])] == nil { variables[String(pair[0])] = String(pair[1]) }
      unsafe entry += 1
    }
    return variables
  }
}
