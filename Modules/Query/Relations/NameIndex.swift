public import Rows

/// Finds the character a name means: by name, by full name, by the known other names, by nickname and aliases.
///
/// Case, marks, punctuation and blanks do not count. The first way that knows the name decides; when it knows several
/// characters of that name, other columns may decide it.
public struct NameIndex: Sendable {
  /// Ways to know a name, the surest first: from a name to the positions of the characters.
  private let ways: [[Name: [Int]]]
  private let batches: [RowBatch]
  let schema: Schema
  /// The number of each batch's first row.
  private let starts: [Int]

  /// A name as it is compared: its folded words.
  typealias Name = [UInt8]

  /// A resolver for the records in `batches`, rows of `schema`. Columns that the schema does not have are done without.
  public init(_ matching: NameMatching, _ batches: [RowBatch], schema: Schema) {
    others = Self.others(matching.synonyms)
    var ways: [[Name: [Int]]] = [[:], [:], [:]]
    var starts: [Int] = []
    let columns = matching.columns
    let found = columns.compactMap { column in schema.position(of: column.name).map { ($0, column.way) } }
    var position = 0
    for batch in batches {
      starts.append(position)
      let reader = CellReader(batch)
      for row in 0..<batch.count {
        for (column, way) in found {
          reader.forEachText(of: reader.cell(row, column)) { text in
            Self.note(Self.comparable(text), position, in: &ways[way])
          }
        }
        position += 1
      }
    }
    self.ways = ways
    (self.batches, self.schema, self.starts) = (batches, schema, starts)
  }

  /// The position of the character that `name` (UTF-8) refers to, counted from 0 over all rows; nil if no character or
  /// several characters match.
  public func position(of name: [UInt8]) -> Int? {
    let found = positions(of: name)
    return found.count == 1 ? found[0] : nil
  }

  /// The positions of the characters that `name` may refer to.
  public func positions(of name: [UInt8]) -> [Int] {
    let wanted = Self.comparable(name)
    if wanted.isEmpty { return [] }
    let others = self.others[wanted] ?? []
    for way in ways[..<2] { if let found = way[wanted] { return found } }
    for way in ways[..<2] {
      for other in others { if let found = way[other] { return found } }
    }
    for name in [wanted] + others { if let found = ways[2][name] { return found } }
    return []
  }

  func value(_ position: Int, _ column: Int) -> Value {
    var low = 0, high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return batches[low].value(position - starts[low], column)
  }

  private static func note(_ name: Name, _ position: Int, in way: inout [Name: [Int]]) {
    guard !name.isEmpty, way[name]?.last != position else { return }
    way[name, default: []].append(position)
  }

  /// The words of a name, folded, with one blank between them.
  private static func comparable(_ name: [UInt8]) -> Name {
    let folded = Fold.folded(name)
    return Name(Words.ranges(of: folded).map { folded[$0] }.joined(separator: [UInt8(ascii: " ")]))
  }

  /// From each known name to the others of the same record.
  private let others: [Name: [Name]]

  private static func others(_ synonyms: [[String]]) -> [Name: [Name]] {
    var others: [Name: [Name]] = [:]
    for group in synonyms {
      let names = group.map { comparable(Array($0.utf8)) }
      for name in names { others[name, default: []] += names.filter { $0 != name } }
    }
    return others
  }
}

/// How records of a dataset are found by name: the table, its columns in decreasing order of confidence, and synonyms.
public struct NameMatching: Sendable, Hashable {
  /// The dataset whose records the names mean.
  let dataset: String
  /// The columns that hold names; `confidence` 0 is the surest, 2 the least.
  let columns: [Column]
  /// Groups of names that mean the same record.
  let synonyms: [[String]]

  struct Column: Sendable, Hashable { let name: String, way: Int }

  /// Names of the records of `dataset`.
  public init(of dataset: String, names: [String], fullNames: [String], aliases: [String], synonyms: [[String]]) {
    self.dataset = dataset
    columns = [names, fullNames, aliases].enumerated().flatMap { way, names in names.map { Column(name: $0, way: way) }
    }
    self.synonyms = synonyms
  }
}
