import Codecs
import Rows

/// Values without nulls, of a page or a dictionary. The ranges of cells are those of `arena`, in ascending order.
struct ParquetDecoded {
  var cells: [Cell]
  let arena: Arena

  static let none = ParquetDecoded(cells: [], arena: Arena([]))
}

/// Decodes the stored values of a leaf into cells.
struct ParquetDecoder {
  let node: ParquetNode
  let kind: ParquetValueKind
  /// The type of the column, if the file has been written by bb and says more than Parquet's types.
  let columnType: ColumnType?
  /// The digits after the point of Doubles that are decimals.
  var scale: Int?
  /// The most bytes of a value.
  let maximumField: Int

  /// The error of a value with too many bytes.
  var tooLarge: ParquetFailure { .damage("a value is larger than \(maximumField >> 20) MiB") }

  /// Whether the cells of byte strings refer to the page itself.
  private var keepsBytes: Bool {
    switch kind {
    case .text: columnType != .json
    case .bytes: true
    default: false
    }
  }

  /// The values that the encoding `PLAIN` has at the cursor, which is at a position of `page`.
  func plain(_ cursor: inout ParquetCursor, count: Int, _ page: Arena) throws(ParquetFailure) -> ParquetDecoded {
    var cells: [Cell] = [], texts = ArenaBuilder(capacity: 256)
    cells.reserveCapacity(min(count, cursor.left * 8 + 1))
    switch node.physicalType {
    case 0:
      let bits = try cursor.take((count + 7) / 8)
      for place in 0..<count { cells.append(.boolean(bits[place >> 3] >> UInt8(place & 7) & 1 == 1)) }
    case 1:
      let values = try cursor.take(try size(count, 4))
      for place in 0..<count {
        let value = values.slice(from: place * 4, atMost: 4).littleEndian
        cells.append(try cell(Int64(Int32(truncatingIfNeeded: value)), &texts))
      }
    case 2:
      let values = try cursor.take(try size(count, 8))
      for place in 0..<count {
        let value = unsafe UnsafeRawPointer(values.start + place * 8).loadUnaligned(as: Int64.self)
        cells.append(kind == .signed ? .integer(value.littleEndian) : try cell(value.littleEndian, &texts))
      }
    case 4:
      let values = try cursor.take(try size(count, 4))
      for place in 0..<count {
        let bits = UInt32(values.slice(from: place * 4, atMost: 4).littleEndian)
        cells.append(.real(Double(Float(bitPattern: bits))))
      }
    case 5:
      let values = try cursor.take(try size(count, 8))
      for place in 0..<count {
        let bits = unsafe UnsafeRawPointer(values.start + place * 8).loadUnaligned(as: UInt64.self)
        let value = Double(bitPattern: bits.littleEndian)
        let start = UInt32(texts.count)
        if let scale, let length = DecimalShape.append(value, scale: scale, to: &texts) {
          cells.append(.number(start, UInt32(length)))
        } else {
          cells.append(.real(value))
        }
      }
    case 3, 7:
      let length = node.physicalType == 3 ? 12 : node.typeLength
      for _ in 0..<count {
        let start = cursor.at
        cells.append(try cell(try cursor.take(length), at: start, &texts))
      }
    default:
      for _ in 0..<count {
        let length = Int(try cursor.littleEndian(4)), start = cursor.at
        cells.append(try cell(try cursor.take(length), at: start, &texts))
      }
    }
    return ParquetDecoded(cells: cells, arena: keepsBytes ? page : texts.freeze())
  }

  private func size(_ count: Int, _ width: Int) throws(ParquetFailure) -> Int {
    let (size, isTooLarge) = count.multipliedReportingOverflow(by: width)
    if isTooLarge { throw .short }
    return size
  }

  /// Integers, of physical types of 32 or 64 bits.
  func integers(_ values: ArraySlice<Int64>) throws(ParquetFailure) -> ParquetDecoded {
    var texts = ArenaBuilder(capacity: 256), cells: [Cell] = []
    cells.reserveCapacity(values.count)
    guard node.physicalType == 1 || node.physicalType == 2 else { throw .damage("an encoding that is not of its type") }
    for value in values {
      cells.append(try cell(node.physicalType == 1 ? Int64(Int32(truncatingIfNeeded: value)) : value, &texts))
    }
    return ParquetDecoded(cells: cells, arena: texts.freeze())
  }

  /// Byte strings, one after the other in `bytes`.
  func strings(_ lengths: [Int], _ bytes: Arena) throws(ParquetFailure) -> ParquetDecoded {
    guard node.physicalType == 6 || node.physicalType == 7 else { throw .damage("an encoding that is not of its type") }
    var texts = ArenaBuilder(capacity: 256), cells: [Cell] = []
    cells.reserveCapacity(lengths.count)
    var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(bytes.count)))
    for length in lengths {
      if node.physicalType == 7, length != node.typeLength { throw .damage("a value has a wrong length") }
      let start = cursor.at
      cells.append(try cell(try cursor.take(length), at: start, &texts))
    }
    return ParquetDecoded(cells: cells, arena: keepsBytes ? bytes : texts.freeze())
  }

  // MARK: - Values

  private func put(_ text: String, _ texts: inout ArenaBuilder) -> (UInt32, UInt32) {
    put(Array(text.utf8), &texts)
  }
  private func put(_ text: [UInt8], _ texts: inout ArenaBuilder) -> (UInt32, UInt32) {
    let start = UInt32(texts.count)
    texts.append(text)
    return (start, UInt32(text.count))
  }
  private func text(_ text: String, _ texts: inout ArenaBuilder) -> Cell {
    let (start, length) = put(text, &texts)
    return .text(start, length)
  }
  private func number(_ text: String, _ texts: inout ArenaBuilder) -> Cell {
    let (start, length) = put(text, &texts)
    return .number(start, length)
  }

  private func cell(_ value: Int64, _ texts: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    switch kind {
    case .unsigned32:
      return .integer(node.physicalType == 1 ? Int64(UInt32(truncatingIfNeeded: value)) : value)
    case .unsigned64: return number(String(UInt64(bitPattern: value)), &texts)
    case .decimal(let scale):
      return number(Self.decimal(String(value.magnitude), isNegative: value < 0, scale), &texts)
    case .date:
      return text(Self.day(value), &texts)
    case .time(let unit, _):
      guard value >= 0, value < 86_400 * unit else { throw .damage("a time of day is out of range") }
      return text(Self.time(value, unit, isExact: false), &texts)
    case .timestamp(let unit, let isUTC):
      let (seconds, part) = Int(value).quotientAndRemainderRoundingDown(dividingBy: Int(unit))
      return text(Self.timestamp(Int64(seconds), Int64(part), unit, isUTC: isUTC), &texts)
    default: return .integer(value)
    }
  }

  /// A day as ISO 8601: outside the years 0000 to 9999, with a sign and six digits or more for the year.
  private static func day(_ days: Int64) -> String {
    let date = CivilDate(daysSince1970: Int(days))
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = String(number.magnitude)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let isUsual = (0...9999).contains(date.year)
    let year = isUsual ? padded(date.year, 4) : (date.year < 0 ? "-" : "+") + padded(date.year, 6)
    return "\(year)-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }

  /// A date whose year has a sign and six digits or more, as `day` writes it, with 2000 as its year; or the text.
  private static func usual(_ text: [UInt8]) -> [UInt8] {
    guard text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") else { return text }
    let rest = text.dropFirst().drop { $0 &- 48 < 10 }
    return text.count - rest.count > 6 && rest.count > 5 ? Array("2000".utf8) + rest : text
  }

  private static func timestamp(
    _ seconds: Int64, _ part: Int64, _ unit: Int64, isUTC: Bool
  ) -> String {
    let (days, second) = Int(seconds).quotientAndRemainderRoundingDown(dividingBy: 86_400)
    let time = time(Int64(second) * unit + part, unit, isExact: unit == 1000)
    return day(Int64(days)) + "T" + time + (isUTC ? "Z" : "")
  }

  /// `hh:mm:ss` with a fraction: of all digits if `isExact`, else of as many as needed.
  private static func time(_ value: Int64, _ unit: Int64, isExact: Bool) -> String {
    let seconds = value / unit
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let whole = "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    var fraction = Substring(String(unit + value % unit).dropFirst())
    if !isExact { while fraction.last == "0" { fraction.removeLast() } }
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }

  private static func decimal(_ magnitude: String, isNegative: Bool, _ scale: Int) -> String {
    var digits = magnitude
    if scale > 0 {
      digits = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -scale))
    }
    return isNegative ? "-" + digits : digits
  }

  private func cell(_ bytes: ByteRun, at start: Int, _ texts: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    guard bytes.count <= maximumField else { throw tooLarge }
    switch kind {
    case .text:
      guard bytes.isUTF8 else {
        throw .damage(
          "invalid UTF-8 in the text “\(bytes.escaped)”",
          hint: [.set(.columns, for: "exclude the column"), "declare it as binary in the program that wrote the file"])
      }
      let range = (UInt32(start), UInt32(bytes.count))
      switch columnType {
      case .json: return try json(bytes, &texts)
      case .decimal:
        guard case .number? = try? JSON.parse(bytes.bytes, name: "") else { throw .damage("a text is not a number") }
        return .number(range.0, range.1)
      case .date: guard Dates.isDate(Self.usual(bytes.bytes)) else { throw .damage("a text is not a date") }
      case .timestamp:
        guard Dates.isTimestamp(Self.usual(bytes.bytes)) else { throw .damage("a text is not a timestamp") }
      case .datetime: guard Dates.isDatetime(Self.usual(bytes.bytes)) else { throw .damage("a text is not a datetime") }
      default: break
      }
      return .text(range.0, range.1)
    case .json: return try json(bytes, &texts)
    case .decimal(let scale):
      let (digits, isNegative) = Self.digits(bytes)
      return number(Self.decimal(digits, isNegative: isNegative, scale), &texts)
    case .half:
      return .real(Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bytes.littleEndian))))
    case .int96:
      let nanoseconds = Int64(bitPattern: bytes.slice(from: 0, atMost: 8).littleEndian)
      let day = Int64(bytes.slice(from: 8, atMost: 4).littleEndian) - 2_440_588
      let (seconds, part) = Int(nanoseconds).quotientAndRemainderRoundingDown(dividingBy: 1_000_000_000)
      return text(Self.timestamp(day * 86_400 + Int64(seconds), Int64(part), 1_000_000_000, isUTC: true), &texts)
    case .uuid:
      let digits = bytes.bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
      return text(
        [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-"), &texts)
    case .interval:
      let parts = (0..<3).map { bytes.slice(from: $0 * 4, atMost: 4).littleEndian }
      return text("P\(parts[0])M\(parts[1])DT\(Self.seconds(parts[2]))S", &texts)
    default: return .bytes(UInt32(start), UInt32(bytes.count))
    }
  }

  private func json(_ bytes: ByteRun, _ texts: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    guard let value = try? JSON.parse(bytes.bytes, name: "") else { throw .damage("a value is not valid JSON") }
    let (start, length) = put(value.canonicalBytes, &texts)
    return .json(start, length)
  }

  private static func seconds(_ milliseconds: UInt64) -> String {
    "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
  }

  /// The decimal digits of a signed number of any size, the highest byte first.
  private static func digits(_ bytes: ByteRun) -> (String, isNegative: Bool) {
    let isNegative = bytes.count > 0 && bytes[0] >= 0x80
    var magnitude = bytes.bytes
    if isNegative {
      var carry = true
      for place in magnitude.indices.reversed() {
        magnitude[place] = ~magnitude[place]
        if carry { (magnitude[place], carry) = magnitude[place].addingReportingOverflow(1) }
      }
    }
    var groups: [String] = []
    var rest = magnitude.drop { $0 == 0 }
    while !rest.isEmpty {
      var remainder: UInt64 = 0
      for place in rest.indices {
        let part = remainder << 8 | UInt64(rest[place])
        rest[place] = UInt8(truncatingIfNeeded: part / 1_000_000_000)
        remainder = part % 1_000_000_000
      }
      rest = rest.drop { $0 == 0 }
      groups.append(rest.isEmpty ? String(remainder) : String(String(1_000_000_000 + remainder).dropFirst()))
    }
    return (groups.isEmpty ? "0" : groups.reversed().joined(), isNegative && !groups.isEmpty)
  }
}

extension ByteRun {
  /// The first bytes as text, in which bytes that are not printable ASCII are escaped: `caf\xE9`.
  var escaped: String {
    var text = ""
    for place in 0..<min(count, 40) {
      let byte = self[place], digits = String(byte, radix: 16, uppercase: true)
      let isPlain = byte >= 0x20 && byte < 0x7F
      text += isPlain ? String(UnicodeScalar(byte)) : "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
    return count > 40 ? text + "…" : text
  }

  /// Whether the bytes are UTF-8.
  var isUTF8: Bool {
    unsafe TextEncoding.firstInvalidByte(UnsafeRawBufferPointer(start: start, count: count)) == nil
  }
}
