internal import Domain

/// The names of a file's columns, made different from each other and never empty.
struct CSVHeader {
  /// The names, in order.
  let names: [String]
  /// What was changed, a sentence each.
  let warnings: [String]

  /// The names of `found`: an empty one becomes `column3`, the second `a` becomes `a_2`.
  init(_ found: [String]) {
    var names: [String] = [], warnings: [String] = [], seen: Set<[UInt8]> = []
    let originals = Set(found.map { Array($0.utf8) })
    for (index, original) in found.enumerated() {
      var name = original.isEmpty ? "column\(index + 1)" : original
      var number = 2
      while seen.contains(Array(name.utf8)) || (name != original && originals.contains(Array(name.utf8))) {
        name = "\(original.isEmpty ? "column\(index + 1)" : original)_\(number)"
        number += 1
      }
      if name != original {
        warnings.append(
          original.isEmpty
            ? "column \(index + 1) has no name and is called “\(name)”"
            : "a second column “\(original)” is called “\(name)”")
      }
      seen.insert(Array(name.utf8))
      names.append(name)
    }
    self.names = names
    self.warnings = warnings
  }
}
