import Synchronization

/// The names of a join that match no record, or several.
final class JoinTally: Sendable {
  private struct Names {
    var unmatched: Set<[UInt8]> = []
    var ambiguous: Set<[UInt8]> = []
  }
  private let columns = Mutex<[String: Names]>([:])
  /// Names that are kept for each column.
  private static let most = 10_000

  func noteUnmatched(_ name: [UInt8], in column: String) {
    columns.withLock { columns in
      guard columns[column, default: Names()].unmatched.count < Self.most else { return }
      columns[column, default: Names()].unmatched.insert(name)
    }
  }
  func noteAmbiguous(_ name: [UInt8], in column: String) {
    columns.withLock { columns in
      guard columns[column, default: Names()].ambiguous.count < Self.most else { return }
      columns[column, default: Names()].ambiguous.insert(name)
    }
  }

  var lines: [String] {
    columns.withLock { $0 }.sorted { $0.key < $1.key }.map { column, names in
      func list(_ names: Set<[UInt8]>) -> String {
        let sorted = names.map { String(decoding: $0, as: UTF8.self) }.sorted()
        let more = sorted.count > 3 ? " and \(sorted.count - 3) more" : ""
        return sorted.prefix(3).map { "“\($0)”" }.joined(separator: ", ") + more
      }
      var parts: [String] = []
      if !names.unmatched.isEmpty { parts.append("no record matches \(list(names.unmatched))") }
      if !names.ambiguous.isEmpty { parts.append("several records match \(list(names.ambiguous))") }
      return "\(column): \(parts.joined(separator: "; "))"
    }
  }
}
