import Rows

/// Finds the narrowest type of each column that gives every value back as it is spelled.
struct CSVInference {
  private var evidence: [TypeEvidence]
  /// Whether each column is text if its values are ISO dates and times.
  private let readsDatesAsText: [Bool]

  /// No values of columns with these names.
  /// - Parameter inferred: the columns whose types are to be found; nil for all.
  /// - Parameter keepsSpellings: whether times may each have a spelling of their own.
  init(_ names: [String], _ inferred: NeededTypes?, keepsSpellings: Bool) {
    let wanted = inferred.map { Set($0.columns.map { Array($0.utf8) }) }
    let others = names.map { !(wanted?.contains(Array($0.utf8)) ?? true) }
    evidence = others.map {
      TypeEvidence(kinds: $0 && inferred?.others == .text ? .text : [], keepsSpellings: keepsSpellings && !$0)
    }
    readsDatesAsText = others
  }

  /// Whether all columns are text, whatever follows.
  var isDecided: Bool { evidence.allSatisfy(\.isDecided) }

  /// Adds the cells of `rows` rows, all of them texts in `bytes`.
  mutating func read(
    _ cells: borrowing CellsBuilder, rows: Int, in bytes: UnsafePointer<UInt8>, _ numbers: NumberPattern?
  ) {
    let width = evidence.count
    for row in 0..<rows {
      for column in 0..<width where !evidence[column].isDecided {
        guard case .text(let start, let length) = cells[row &* width &+ column] else { continue }
        let field = unsafe ByteRun(start: bytes + Int(start), count: Int(length))
        if let numbers { evidence[column].add(field, writtenAs: numbers) } else { evidence[column].add(field: field) }
      }
    }
  }

  /// The types and spellings, column by column.
  var types: [InferredType] {
    zip(evidence, readsDatesAsText).map { evidence, readsDatesAsText in
      let found = evidence.inferred
      return readsDatesAsText && found.type.isTemporal && found.spelling == .usual
        ? InferredType(type: .text, spelling: .usual) : found
    }
  }
}

/// A type that the values of a column show, and how all of them are spelled.
struct InferredType: Sendable, Hashable {
  let type: ColumnType
  let spelling: ValueSpelling
}
