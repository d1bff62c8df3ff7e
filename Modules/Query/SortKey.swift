import Codecs
public import Rows

extension Selection {
  /// A column to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The column's name.
    public let column: String
    /// Whether the largest comes first. Null comes last both ways.
    let isDescending: Bool

    /// Sorts by `column`.
    public init(_ column: String, descending: Bool = false) {
      self.column = column
      isDescending = descending
    }
    /// Parses a list element: `COLUMN`, `COLUMN:asc` or `COLUMN:desc`.
    /// - Throws: `usage` for another word after the colon.
    public init(_ listed: NameListParser) throws(Problem) {
      column = listed.name
      let direction = listed.value ?? "asc"
      guard direction == "asc" || direction == "desc" else {
        throw Problem(
          .usage, "invalid sort direction “\(direction)” for \(column)", hint: "use \(column):asc or \(column):desc")
      }
      isDescending = direction == "desc"
    }

    /// The problem of a column that is written as in other programs: `age desc`, `-age`, `age,desc`.
    /// - Parameter keys: all keys.
    func problem(_ problem: Problem, after keys: [Self], in schema: Schema) -> Problem {
      let name = self.column, words = name.split(at: " ").map(String.init)
      var column = name, direction: String?
      if words.count > 1, let last = words.last?.lowercased(), ["asc", "desc"].contains(last) {
        column = words.dropLast().joined(separator: " ")
        direction = last
      } else if let sign = name.first, sign == "-" || sign == "+" {
        column = String(name.dropFirst())
        direction = sign == "-" ? "desc" : "asc"
      } else if ["asc", "desc"].contains(name.lowercased()), let place = keys.firstIndex(of: self),
        place > 0
      {
        (column, direction) = (keys[place - 1].column, name.lowercased())
      }
      guard let direction, schema.position(of: column) != nil else { return problem }
      var result = problem
      result.hint = .set(.order, to: "\(NameListParser.written(column)):\(direction)")
      return result
    }
  }
}
