import Domain
import Rows

/// The statements of a document about the requests and records of a draft.
public struct DraftEvidence: Sendable {
  /// A member of the records, and the type of its column.
  typealias Member = (pointer: String, type: ColumnType)
  /// The base URL, and the path with places for variables.
  let base: String, path: String
  var variables: [SourceVariable] = [], members: [Member] = []
  /// The ways of paging that count, and the names of parameters for cursors.
  var paging: [SourcePaging] = [], cursors: [String] = []

  init(base: String, path: String) { (self.base, self.path) = (base, path) }

  /// The ways of paging, with those that the response suggests.
  func guesses(_ known: DraftPaging, _ parameters: [SourceParameter], _ count: Int) -> [DraftPaging.Guess] {
    let suggested = known.guesses.filter { $0.paging.type == .cursor && $0.paging.parameter != nil }
    let size = parameters.first { Int($0.value) ?? 0 > 0 }
    let sent = cursors.flatMap { name in
      suggested.map { guess in
        var guess = guess
        (guess.paging.parameter, guess.reason) = (name, "the document names \(name)")
        return guess
      }
    }
    let counted = paging.map { paging in
      var paging = paging
      (paging.limit, paging.limitParameter) = (size.flatMap { Int($0.value) }, size?.name)
      if paging.type == .offset, paging.limit == nil { paging.limit = max(count, 1) }
      let reason = "the document names \(paging.parameter ?? "")"
      return DraftPaging.Guess(paging: paging, reason: reason, isUncertain: true)
    }
    return sent + counted
  }

  /// Adds the columns that no record had, and gives types to those that had no value.
  func complete(_ columns: inout DraftColumns) {
    var further: [DraftColumns.Column] = []
    for (pointer, type) in members {
      if let place = columns.columns.firstIndex(where: { $0.pointer == pointer }) {
        if columns.columns[place].values.isEmpty { columns.columns[place].type = type }
      } else if !columns.skipped.contains(pointer),
        !columns.columns.contains(where: { $0.pointer.hasPrefix(pointer + "/") })
      {
        var column = DraftColumns.Column(pointer: pointer, source: SourceColumn("", from: pointer))
        (column.type, column.source.isOptional, column.remark) = (type, true, "from the document")
        further.append(column)
      }
    }
    columns.complete(further, order: members.map(\.pointer))
  }
}
