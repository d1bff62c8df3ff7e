/// The kinds of fields in each column of a sample: they decide between readings of a damaged record.
struct ColumnProfile {
  static let rows = 200

  private struct Column {
    var kinds: CellKind = []
    /// The shapes of fields; nil if there are many.
    var shapes: Set<[UInt8]>?
    var shortest = 0, longest = 0
  }
  private var columns: [Column] = []
  private let count: Int

  init(_ rows: [[[UInt8]]], width: Int) {
    count = rows.count
    for position in 0..<width {
      var kinds: [CellKind: Int] = [:], shapes: Set<[UInt8]> = [], column = Column(), filled = 0
      var lengths: (least: Int, most: Int)?
      for row in rows {
        let field = row[position], kind = CellKind.of(field)
        kinds[kind, default: 0] += 1
        guard kind != .empty else { continue }
        filled += 1
        if shapes.count <= rows.count / 10 + 1 { shapes.insert(CellKind.shape(of: field)) }
        lengths = (min(lengths?.least ?? field.count, field.count), max(lengths?.most ?? 0, field.count))
      }
      for (kind, found) in kinds where Double(found) >= max(1, 0.05 * Double(rows.count)) { column.kinds.insert(kind) }
      if filled >= 5, Double(shapes.count) <= max(1, 0.1 * Double(filled)) { column.shapes = shapes }
      (column.shortest, column.longest) = lengths ?? (0, 0)
      columns.append(column)
    }
  }

  /// Whether a column has only values of known types.
  func isTyped(_ column: Int) -> Bool {
    let kinds = columns[column].kinds.subtracting([.empty, .null])
    return !kinds.isEmpty && kinds.isSubset(of: .typed)
  }
  private func isDecisive(_ column: Int) -> Bool { isTyped(column) || columns[column].shapes != nil }
  func hasShapes(_ column: Int) -> Bool { columns[column].shapes != nil }
  /// Whether a field has one of the few shapes of its column.
  func hasShape(_ column: Int, _ field: [UInt8]) -> Bool {
    columns[column].shapes?.contains(CellKind.shape(of: field)) ?? false
  }

  /// Whether the profile can decide anything.
  var isUseful: Bool { count >= 5 && columns.indices.contains(where: isDecisive) }

  /// 2 for a field that fits a typed column, about 1 for a plausible one, 0 for one that does not fit.
  func fit(_ position: Int, _ field: [UInt8]) -> Double {
    let column = columns[position], kind = CellKind.of(field)
    if kind == .empty { return column.kinds == .empty ? 2 : column.kinds.contains(.empty) ? 1 : 0.25 }
    if let shapes = column.shapes { return shapes.contains(CellKind.shape(of: field)) ? 2 : 0 }
    if isTyped(position) { return column.kinds.contains(kind) ? 2 : 0 }
    if column.kinds.isSubset(of: .empty) { return 0 }
    let texts: CellKind = [.word, .other]
    if column.kinds.contains(kind) || texts.contains(kind) && !column.kinds.isDisjoint(with: texts) {
      let length = Double(field.count)
      return Double(column.shortest) * 0.4 <= length && field.count <= column.longest * 2 + 8 ? 1.1 : 0.8
    }
    return 0.5
  }

  func total(_ row: [[UInt8]]) -> Double {
    row.prefix(columns.count).enumerated().reduce(0) { $0 + fit($1.offset, $1.element) }
  }
}
