/// Names that are made different from each other: the second `a` becomes `a_2`. Time grows with the names, not faster.
package struct DistinctNames {
  private var taken: Set<[UInt8]> = []
  /// The number to try next, by name.
  private var numbers: [[UInt8]: Int] = [:]
  private let ignoresCase: Bool

  package init(_ taken: [String] = [], ignoresCase: Bool = false) {
    self.ignoresCase = ignoresCase
    self.taken = Set(taken.map(key))
  }

  private func key(_ name: String) -> [UInt8] { Array((ignoresCase ? name.lowercased() : name).utf8) }

  package func has(_ name: String) -> Bool { taken.contains(key(name)) }

  /// The name, with a number if it is taken.
  package mutating func add(_ name: String) -> String {
    let base = key(name)
    var unique = name, number = numbers[base] ?? 2
    while !taken.insert(key(unique)).inserted {
      unique = "\(name)_\(number)"
      number += 1
    }
    numbers[base] = number
    return unique
  }
}
