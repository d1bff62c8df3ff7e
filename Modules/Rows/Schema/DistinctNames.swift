/// Names that are made different from each other: the second `a` becomes `a_2`. Time grows with the names, not faster.
package struct DistinctNames {
  private var taken: Set<[UInt8]> = [], reserved: Set<[UInt8]> = []
  /// The number to try next, by name.
  private var numbers: [[UInt8]: Int] = [:]
  private let ignoresCase: Bool

  /// - Parameter reserved: names that are only given to those that have them.
  package init(_ taken: [String] = [], reserved: [String] = [], ignoresCase: Bool = false) {
    self.ignoresCase = ignoresCase
    (self.taken, self.reserved) = (Set(taken.map(key)), Set(reserved.map(key)))
  }

  private func key(_ name: String) -> [UInt8] { Array((ignoresCase ? name.lowercased() : name).utf8) }

  package func has(_ name: String) -> Bool { taken.contains(key(name)) }

  /// The name, with a number if it is taken.
  /// - Parameter isNew: whether it was made up, and must not be a reserved name.
  package mutating func add(_ name: String, isNew: Bool = false) -> String {
    let base = key(name)
    var unique = name, own = base, isNew = isNew, number = numbers[base] ?? 2
    while isNew && reserved.contains(own) || !taken.insert(own).inserted {
      unique = "\(name)_\(number)"
      (own, isNew, number) = (key(unique), true, number + 1)
    }
    numbers[base] = number
    return unique
  }
}
