public import Rows

extension Schema {
  /// Refuses columns that no SQLite table can have: it takes capital and small letters of ASCII for the same, and ends
  /// a name at a NUL.
  /// - Throws: `badData` with what to do.
  public func checkForSQL() throws(Problem) {
    var seen: [[UInt8]: String] = [:]
    for column in columns {
      let name = column.name
      let hint: Remedy = [.set(.columns, for: "exclude it"), "rename it"]
      guard !name.utf8.contains(0) else {
        throw Problem(.badData, "SQLite column names cannot contain NUL: “\(name)”", hint: hint)
      }
      let folded = name.utf8.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }
      guard let other = seen.updateValue(name, forKey: folded) else { continue }
      throw Problem(.badData, "SQLite treats the column names “\(other)” and “\(name)” as the same", hint: hint)
    }
  }
}
