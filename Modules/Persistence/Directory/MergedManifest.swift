import Codecs
import Rows

/// Repairs a `bb.json` to which two sides of a merge added tables. Git keeps the lines of both sides, as
/// `.gitattributes` tells it to: a line may be there twice, and a comma may be missing or left over.
enum MergedManifest {
  /// What version control needs to know of the store, and where it looks for that.
  static let attributesName = ".gitattributes"
  static let attributes = """
    # Written by bb. Both sides of a merge may add tables: bb reads the lines of both.
    bb.json merge=union

    """
  /// The lines for tables that the merge driver `bb` merges by key and field.
  static let tables = """
    *.csv merge=bb
    *.json merge=bb
    *-metadata.json merge=text
    bb.json merge=union

    """

  /// The document with each table once; nil if the bytes are not lines as bb writes them.
  /// - Throws: `badData` if a table is described in two ways.
  static func repaired(_ bytes: [UInt8], at place: String) throws(Problem) -> JSON? {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > 2, lines.last == Array("}}".utf8),
      let head = try? JSON.parse(lines[0] + Array("}}".utf8), name: place), let members = head.objectMembers,
      head["datasets"]?.objectMembers?.isEmpty == true
    else { return nil }
    var tables: [(table: JSON.Member, line: Int)] = [], places: [[UInt8]: Int] = [:]
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let text = line.last == 0x2C ? line.dropLast() : line[...]
      guard let table = try? JSON.parse([0x7B] + text + [0x7D], name: place).objectMembers, table.count == 1 else {
        return nil
      }
      if let known = places[table[0].key].map({ tables[$0] }) {
        if known.table == table[0] { continue }
        throw Problem(
          .badData, "lines \(known.line) and \(index + 1) describe the same table, “\(table[0].name)”",
          at: "\(place):\(index + 1)", hint: "remove one of the lines")
      }
      places[table[0].key] = tables.count
      tables.append((table[0], index + 1))
    }
    let datasets = JSON.object(tables.map(\.table))
    return .object(members.map { $0.name == "datasets" ? JSON.Member($0.key, datasets) : $0 })
  }
}
