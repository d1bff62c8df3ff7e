/// The kinds of fields in each column of a sample: they decide between readings of a damaged record.
struct ColumnProfile {
  /// Records that make a profile.
  static let rows = 200
  /// Columns up to which records are realigned.
  private static let mostAligned = 256

  private struct Column {
    var kinds: CellKind = []
    /// The shapes of fields; nil if there are many.
    var shapes: Set<[UInt8]>?
    var shortest = 0, longest = 0
  }
  private var columns: [Column] = []
  private let count: Int

  /// - Parameter rows: of one width.
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
  /// Whether a column has few shapes.
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

  /// The fit of a record.
  func total(_ row: [[UInt8]]) -> Double {
    row.prefix(columns.count).enumerated().reduce(0) { $0 + fit($1.offset, $1.element) }
  }

  // MARK: - Records of another width

  /// A record that lacks one field, with the only field cut that can be cut in only one way, so that all fit.
  func cuttingCell(_ row: [[UInt8]]) -> [[UInt8]]? {
    let width = columns.count
    guard row.count == width - 1, width <= Self.mostAligned, isUseful, count >= 8 else { return nil }
    func suits(_ column: Int, _ field: [UInt8]) -> Bool {
      fit(column, field) >= 1
        && (field.isEmpty || columns[column].shortest...columns[column].longest ~= field.count)
    }
    // How far the fields fit from the left, and from which they fit to the right.
    var left = 0, right = row.count
    while left < row.count, fit(left, row[left]) >= 1 { left += 1 }
    while right > 0, fit(right, row[right - 1]) >= 1 { right -= 1 }
    var found: [(fit: Double, isEdge: Bool, column: Int, at: Int)] = []
    for column in 0..<row.count where column <= left && column + 1 >= right {
      guard isDecisive(column) || isDecisive(column + 1), row[column].count > 1, row[column].count < 1024 else {
        continue
      }
      let field = row[column]
      for at in 1..<field.count where field[at] & 0xC0 != 0x80 {
        let first = Array(field[..<at]), second = Array(field[at...])
        guard suits(column, first), suits(column + 1, second) else { continue }
        let (last, next) = (field[at - 1], field[at])
        let isEdge =
          CellKind.isDigit(last) != CellKind.isDigit(next)
          || (CellKind.isLetter(last) || last >= 0x80) != (CellKind.isLetter(next) || next >= 0x80)
        found.append((fit(column, first) + fit(column + 1, second), isEdge, column, at))
      }
    }
    guard let best = found.map(\.fit).max() else { return nil }
    found = found.filter { $0.fit > best - 0.5 }
    if found.count > 1 { found = found.filter(\.isEdge) }
    guard found.count == 1, let cut = found.first else { return nil }
    var whole = row
    whole[cut.column] = Array(row[cut.column][..<cut.at])
    whole.insert(Array(row[cut.column][cut.at...]), at: cut.column + 1)
    return whole
  }

  /// A short or long record in its columns: empty fields are added or removed where the types say so. Nil if they do
  /// not decide.
  func realigning(_ row: [[UInt8]]) -> [[UInt8]]? {
    let width = columns.count, have = row.count
    guard width <= Self.mostAligned, isUseful, abs(width - have) <= 3, have >= 2, have != width else { return nil }
    let blanks = row.map { $0.allSatisfy(CellKind.isSpace) }
    if have > width, blanks.reduce(0, { $0 + ($1 ? 1 : 0) }) < have - width { return nil }
    // Where an empty field is added or removed: next to equal fields the first place stands for all of them.
    var places = [0]
    for field in 1...have {
      let isSame = have < width ? row[field - 1].isEmpty : field < have && row[field] == row[field - 1]
      places.append(isSame ? places[field - 1] : field)
    }
    // The best value of the first fields in the first columns, and the ways there as places of empty fields.
    let stride = width + 1
    var states = [(value: Double, ways: Set<[Int]>)](repeating: (-1e9, []), count: (have + 1) * stride)
    states[0] = (0, [[]])
    func reach(_ to: Int, from: Int, _ gain: Double, _ place: Int?) {
      let value = states[from].value + gain
      guard value > states[to].value - 1e-9 else { return }
      let ways = Set(states[from].ways.map { way in place.map { way + [$0] } ?? way })
      if value > states[to].value + 1e-9 {
        states[to] = (value, ways)
      } else if states[to].ways.count < 3 {
        states[to].ways.formUnion(ways)
      }
    }
    for field in 0...have {
      for column in max(0, field - 3)...max(0, min(width, field + 3)) {
        let here = field * stride + column
        guard states[here].value > -1e9 else { continue }
        if field < have, column < width { reach(here + stride + 1, from: here, fit(column, row[field]), nil) }
        if have < width, column < width, column - field < width - have {
          reach(here + 1, from: here, fit(column, []), places[field])
        }
        if have > width, field < have, field - column < have - width, blanks[field] {
          reach(here + stride, from: here, 0, places[field])
        }
      }
    }
    let last = states[have * stride + width]
    guard last.ways.count == 1, let way = last.ways.first else { return nil }
    var result = row
    for place in way.sorted(by: >) {
      if have < width { result.insert([], at: place) } else { result.remove(at: place) }
    }
    let left = Array((row + Array(repeating: [], count: width)).prefix(width))
    return result != left && last.value >= total(left) + 0.9 ? result : nil
  }

  /// A record split at spaces with words joined again, if the types allow only one way.
  func joiningWords(_ row: [[UInt8]], quoted: [Bool]) -> [[UInt8]]? {
    let width = columns.count
    guard isUseful, row.count <= 4 * width, row.count > width else { return nil }
    var best: [[Int]: (value: Double, rows: [[[UInt8]]])] = [[0, 0]: (0, [[]])]
    for column in 0..<width {
      for from in 0..<row.count {
        guard let known = best[[from, column]] else { continue }
        for to in from + 1...min(row.count, from + 12) {
          if to - from > 1 {
            if quoted[from..<to].contains(true) || row[from..<to].contains([]) || isDecisive(column) { break }
          }
          let field = Array(row[from..<to].joined(separator: [0x20])), gain = fit(column, field)
          guard gain >= 0.25 else { continue }
          let value = known.value + gain, key = [to, column + 1]
          let rows = known.rows.map { $0 + [field] }
          if let other = best[key], other.value > value - 1e-9 {
            if abs(other.value - value) <= 1e-9, other.rows.count < 3 { best[key] = (value, other.rows + rows) }
          } else {
            best[key] = (value, rows)
          }
        }
      }
    }
    guard let found = best[[row.count, width]], found.rows.count == 1, found.value >= 0.9 * Double(width) else {
      return nil
    }
    return found.rows[0]
  }
}
