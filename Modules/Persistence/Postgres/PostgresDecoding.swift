import Codecs
import Glibc
import Rows
import Synchronization

/// Batches of the rows that `COPY … TO STDOUT (FORMAT binary)` sends.
struct PostgresDecoding: Sendable {
  /// The form of the values of a column of the result.
  enum Form: Sendable, Hashable {
    case integer, real, boolean, text, bytes
    /// The text of a number.
    case literal
    /// Text that is JSON, a list, a date or a timestamp of bb.
    case json, list(ColumnType.Element), date, timestamp, datetime
    /// Days since 2000-01-01.
    case days
    /// Microseconds since 2000-01-01T00:00:00Z.
    case microseconds
    /// Microseconds since 2000-01-01T00:00:00 on a clock without a zone.
    case localMicroseconds
  }

  let forms: [Form]
  let schema: Schema
  /// The name of the table in messages.
  let place: String
  /// Collects the columns of lists with values that are not lists of the elements of their type; nil if these are
  /// errors.
  var widening: PostgresWidening?

  private enum Fault: Error {
    case damaged
    case value(Int, String)
    /// JSON that is not a list of the elements of the column.
    case list(Int)
  }

  /// The rows in `arena`, whose text stays where it is.
  /// - Throws: `badData` for a value that does not fit the column, `unavailable` for invalid rows.
  func batch(_ arena: Arena) throws(Problem) -> RowBatch {
    var cells = CellsBuilder(capacity: max(64, arena.count / 8)), extra: [UInt8] = [], rows = 0
    let end = arena.count
    var at = start(of: arena)
    while at < end {
      do throws(Fault) {
        let count = try integer(arena, &at, 2, end)
        if count == 0xFFFF { break }
        guard count == forms.count else { throw .damaged }
        for column in forms.indices {
          let length = try integer(arena, &at, 4, end)
          if length == 0xFFFF_FFFF {
            cells.append(.null)
            continue
          }
          guard length <= end - at else { throw .damaged }
          cells.append(try cell(arena, UInt32(at), UInt32(length), column, &extra))
          at += length
        }
        rows += 1
      } catch {
        throw problem(error, rows)
      }
    }
    return try finished(cells, rows, arena, extra)
  }

  /// The position after the header, which precedes the first rows.
  private func start(of arena: Arena) -> Int {
    guard arena.count >= 19, arena.bytes(0, 11) == Array(PostgresBinary.header.prefix(11)) else { return 0 }
    let extra = arena.bytes(15, 4).reduce(0) { $0 << 8 | Int($1) }
    return min(arena.count, 19 + extra)
  }

  private func finished(
    _ cells: consuming CellsBuilder, _ rows: Int, _ arena: Arena, _ extra: [UInt8]
  ) throws(Problem) -> RowBatch {
    var all = arena
    if !extra.isEmpty {
      var extended = ArenaBuilder(capacity: max(arena.count + extra.count, Arena.usualCapacity))
      arena.read { extended.append($0) }
      extended.append(extra)
      all = extended.freeze()
    }
    let batch = RowBatch(width: forms.count, count: rows, cells: cells.freeze(), arena: all)
    try checkEncoding(batch)
    return batch
  }

  /// Refuses text that is not UTF-8, which a database without an encoding may have.
  private func checkEncoding(_ batch: RowBatch) throws(Problem) {
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        guard case .text(let start, let length) = batch[row, column] else { continue }
        let text = unsafe UnsafeRawBufferPointer(start: batch.arena.base + Int(start), count: Int(length))
        guard let offset = unsafe TextEncoding.firstInvalidByte(text) else { continue }
        throw problem(.value(column, "invalid UTF-8 (byte \(offset))"), row)
      }
    }
  }

  private func problem(_ fault: Fault, _ row: Int) -> Problem {
    switch fault {
    case .damaged: return Problem(.unavailable, "the server sent an invalid row", at: place, record: row)
    case .value(let column, let found): return problem(column, found, row)
    case .list(let column):
      widening?.add(schema.columns[column].name)
      return problem(column, "other JSON", row)
    }
  }

  private func problem(_ column: Int, _ found: String, _ row: Int) -> Problem {
    Problem(
      .badData,
      "invalid value in column “\(schema.columns[column].name)”: expected \(schema.columns[column].type.name), "
        + "found \(found)", at: place, hint: .set(.columnTypes, for: "read it as text"), record: row)
  }

  private func integer(_ arena: Arena, _ at: inout Int, _ size: Int, _ end: Int) throws(Fault) -> Int {
    guard end - at >= size else { throw .damaged }
    defer { at += size }
    let start = unsafe UnsafeRawPointer(arena.base + at)
    return size == 2
      ? Int(UInt16(bigEndian: unsafe start.loadUnaligned(as: UInt16.self)))
      : Int(UInt32(bigEndian: unsafe start.loadUnaligned(as: UInt32.self)))
  }

  private func number(_ arena: Arena, _ start: UInt32, _ length: UInt32) throws(Fault) -> Int64 {
    let place = unsafe UnsafeRawPointer(arena.base + Int(start))
    switch length {
    case 8: return Int64(bigEndian: unsafe place.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: unsafe place.loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: unsafe place.loadUnaligned(as: Int16.self)))
    case 1: return Int64(unsafe place.loadUnaligned(as: UInt8.self))
    default: throw .damaged
    }
  }

  private func cell(
    _ arena: Arena, _ start: UInt32, _ length: UInt32, _ column: Int, _ extra: inout [UInt8]
  ) throws(Fault) -> Cell {
    /// The range of bytes added after the existing ones.
    func added(_ bytes: [UInt8]) -> (UInt32, UInt32) {
      let range = (UInt32(arena.count + extra.count), UInt32(bytes.count))
      extra += bytes
      return range
    }
    switch forms[column] {
    case .text: return .text(start, length)
    case .bytes: return .bytes(start, length)
    case .integer: return .integer(try number(arena, start, length))
    case .boolean: return .boolean(try number(arena, start, length) != 0)
    case .real:
      guard length == 8 else { throw .damaged }
      return .real(Double(bitPattern: UInt64(bitPattern: try number(arena, start, length))))
    case .literal:
      if case .literal = unsafe StoredNumber(arena.base + Int(start), Int(length)) {
        let text = arena.bytes(start, length)
        switch String(decoding: text, as: UTF8.self) {
        case "NaN": return .real(.nan)
        case "Infinity": return .real(.infinity)
        case "-Infinity": return .real(-.infinity)
        default: break
        }
        guard (try? JSON.parse(text, name: ""))?.numberLiteral == text else { throw .value(column, "text") }
      }
      return .number(start, length)
    case .json, .list:
      let text = arena.bytes(start, length)
      guard let value = try? JSON.parse(text, name: "", duplicateKeys: .kept) else {
        throw .value(column, "text that is not JSON")
      }
      if case .list(let element) = forms[column] {
        let fits = value.arrayValue?.allSatisfy {
          element == .integer ? $0.integerValue != nil : $0.stringBytes != nil
        }
        guard fits == true else { throw .list(column) }
      }
      let canonical = value.canonicalBytes
      if canonical == text { return .json(start, length) }
      let range = added(canonical)
      return .json(range.0, range.1)
    case .date, .timestamp, .datetime:
      let text = arena.bytes(start, length)
      let fits =
        switch forms[column] {
        case .date: Dates.isDate(text)
        case .timestamp: Dates.isTimestamp(text)
        default: Dates.isDatetime(text)
        }
      guard fits else { throw .value(column, "other text") }
      return .text(start, length)
    case .days:
      guard let text = PostgresTime.day(try number(arena, start, length)) else {
        throw .value(column, "a date that is infinite or outside the years 1 to 9999")
      }
      let range = added(text)
      return .text(range.0, range.1)
    case .microseconds, .localMicroseconds:
      guard var text = PostgresTime.timestamp(try number(arena, start, length)) else {
        throw .value(column, "a time that is infinite or outside the years 1 to 9999")
      }
      if forms[column] == .localMicroseconds { text.removeLast() }
      let range = added(text)
      return .text(range.0, range.1)
    }
  }
}

/// The columns of arrays whose values are not lists of one type, because an element is null or an array itself. They
/// are read again as JSON.
final class PostgresWidening: Sendable {
  private let columns = Mutex<Set<String>>([])
  private let open: @Sendable (_ columns: Set<String>) async throws(Problem) -> any RowStream

  /// - Parameter open: opens the rows again, with columns of JSON.
  init(_ open: @escaping @Sendable (_ columns: Set<String>) async throws(Problem) -> any RowStream) { self.open = open }

  func add(_ column: String) { _ = columns.withLock { $0.insert(column) } }

  /// The rows with the types of all values so far; nil if none was contradicted.
  func widened() async throws(Problem) -> (any RowStream)? {
    let columns = columns.withLock { $0 }
    return columns.isEmpty ? nil : try await open(columns)
  }
}

/// Dates and times as PostgreSQL sends them.
enum PostgresTime {
  /// A day, counted from 2000-01-01, as ISO 8601; nil outside the years 1 to 9999.
  static func day(_ days: Int64) -> [UInt8]? {
    guard days > -800_000, days < 3_000_000 else { return nil }
    let date = CivilDate(daysSince1970: Int(days) + 10_957)
    guard (1...9999).contains(date.year) else { return nil }
    return digits(Int64(date.year), 4) + [45] + digits(Int64(date.month), 2) + [45] + digits(Int64(date.day), 2)
  }

  /// A time in UTC as RFC 3339, with as many digits of the fraction as it needs; nil outside the years 1 to 9999.
  static func timestamp(_ microseconds: Int64) -> [UInt8]? {
    guard microseconds != .max, microseconds != .min else { return nil }
    let perDay: Int64 = 86_400_000_000
    var (days, rest) = microseconds.quotientAndRemainder(dividingBy: perDay)
    if rest < 0 { (days, rest) = (days - 1, rest + perDay) }
    guard let date = day(days) else { return nil }
    let seconds = rest / 1_000_000, fraction = rest % 1_000_000
    var text = date + [84] + digits(seconds / 3600, 2) + [58] + digits(seconds / 60 % 60, 2)
    text += [58] + digits(seconds % 60, 2)
    if fraction > 0 {
      text += [46] + digits(fraction, 6)
      while text.last == 48 { text.removeLast() }
    }
    return text + [90]
  }

  private static func digits(_ number: Int64, _ count: Int) -> [UInt8] {
    var number = number, text = [UInt8](repeating: 48, count: count)
    for place in text.indices.reversed() {
      text[place] = 48 + UInt8(number % 10)
      number /= 10
    }
    return text
  }
}
