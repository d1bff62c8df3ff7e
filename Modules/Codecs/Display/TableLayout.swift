public import Rows

/// The columns of a table that a terminal shows, and their widths.
///
/// Columns without values, images and bookkeeping are omitted. Of the others as many are shown as fit: the title, the
/// numbers of the key, dates and measures, plain columns, ranks and long text, lists, identifiers. The room that is
/// left goes to the column that lacks most.
public struct TableLayout: Sendable, Hashable {
  /// The positions of the columns shown, in the order of the schema.
  public private(set) var columns: [Int] = []
  /// The width of each of `columns`, in terminal cells.
  private(set) var widths: [Int] = []
  /// The positions of the columns that are not shown although they have values.
  public private(set) var hidden: [Int] = []
  /// The positions of the columns without any value.
  public private(set) var empty: [Int] = []

  /// ` │ `
  static let gap = 3
  /// The width beyond which a column of text does not grow.
  private static let widest = 60

  /// - Parameters:
  ///   - schema: the columns.
  ///   - measured: the widths of their values; empty if nothing was measured.
  ///   - width: the width of the terminal in cells; 0 for no limit.
  ///   - isChosen: whether the user chose the columns, so that none is omitted because of its role.
  public init(_ schema: Schema, _ measured: [ColumnWidths], width: Int, isChosen: Bool) {
    let roles = schema.roles
    let choices = schema.columns.indices.map { position in
      Choice(
        schema, position, roles[position], position < measured.count ? measured[position] : ColumnWidths(),
        isChosen: isChosen)
    }
    // A table without rows shows its columns.
    let hasValues = measured.contains { !$0.isEmpty }
    empty = hasValues && !isChosen ? choices.indices.filter { choices[$0].widths.isEmpty } : []
    var picked: [Int] = [], used = 0
    for position in Self.order(choices, without: empty) {
      let needed = used + (picked.isEmpty ? 0 : Self.gap) + choices[position].least
      guard width == 0 || needed <= width || picked.isEmpty else { continue }
      picked.append(position)
      used = needed
    }
    columns = picked.sorted()
    hidden = choices.indices.filter { !picked.contains($0) && !empty.contains($0) }
    widths = Self.widths(columns.map { choices[$0] }, width)
  }

  /// Whether a shortened value of a type would say something else, or nothing.
  package static func isRigid(_ type: ColumnType) -> Bool { type.isNumeric || type.isTemporal || type == .boolean }

  /// The positions of the columns that may be shown, those that readers look for first.
  package static func order(_ schema: Schema, _ measured: [ColumnWidths]) -> [Int] {
    let roles = schema.roles
    return order(
      schema.columns.indices.map { Choice(schema, $0, roles[$0], measured[$0], isChosen: false) }, without: [])
  }

  private static func order(_ choices: [Choice], without empty: [Int]) -> [Int] {
    let candidates = choices.indices.filter { choices[$0].rank != nil && !empty.contains($0) }
    let all = candidates.isEmpty ? choices.indices.filter { !empty.contains($0) } : candidates
    return all.sorted { (choices[$0].rank ?? 0, $0) < (choices[$1].rank ?? 0, $1) }
  }

  private static func widths(_ choices: [Choice], _ width: Int) -> [Int] {
    if width == 0 { return choices.map(\.full) }
    var widths = choices.map(\.least), room = width - gap * max(choices.count - 1, 0) - widths.reduce(0, +)
    // A single column may be wider than the terminal.
    if room < 0, widths.count == 1 { widths[0] = max(width, 1) }
    while room > 0 {
      let lacks = choices.indices.map { choices[$0].wanted - widths[$0] }
      guard let most = lacks.max(), most > 0, let column = lacks.firstIndex(of: most) else { break }
      widths[column] += 1
      room -= 1
    }
    return widths
  }

  private struct Choice {
    let widths: ColumnWidths
    /// The order in which columns are taken; nil for those that are omitted.
    let rank: Int?
    /// The least useful width, the width of nearly all values, and the width of the widest one.
    let least: Int
    let wanted: Int
    let full: Int

    init(_ schema: Schema, _ position: Int, _ role: ColumnRole?, _ widths: ColumnWidths, isChosen: Bool) {
      let column = schema.columns[position], name = TableWriter.nameWidth(column)
      self.widths = widths
      full = max(name, widths.widest)
      if TableLayout.isRigid(column.type) {
        (least, wanted) = (full, full)
      } else {
        let usual = widths.percentile(95)
        wanted = min(max(usual, name), TableLayout.widest)
        let shortest = role == .title ? (column.type.isNested ? 40 : usual > 40 ? 30 : 14) : 10
        least = min(wanted, max(shortest, isChosen ? 0 : name))
      }
      rank = isChosen ? 0 : Self.rank(schema, position, role, widths)
    }

    private static func rank(_ schema: Schema, _ position: Int, _ role: ColumnRole?, _ widths: ColumnWidths) -> Int? {
      switch role {
      case .title: return 0
      case .image, .thumbnail, .audit: return nil
      case .identifier: return 6
      case nil: break
      }
      let column = schema.columns[position], name = column.name.lowercased(), isKey = schema.key.contains(position)
      // An opaque key, and a name next to another one.
      if isKey && name == "id" || name == "name" || name == "full_name" { return 6 }
      if isKey && TableLayout.isRigid(column.type) || name.hasSuffix("rating") { return 1 }
      if column.type.isNested { return 5 }
      if widths.mean > 40 || name == "rank" || name.hasSuffix("_rank") { return 4 }
      return column.type.isTemporal || column.type == .real || column.type == .decimal ? 2 : 3
    }
  }
}
