import Codecs
import Domain
import Parquet
import Rows

/// The statistics of a data file, by which readers skip files.
enum DeltaStatistics {
  /// Readers use those of the first columns.
  private static let maximumColumns = 32

  /// The text of an `add`.
  /// - Parameters:
  ///   - columns: those of the file.
  ///   - found: the statistics of each of them.
  static func text(
    rows: Int, _ columns: [DeltaSchema.Field], _ found: [ParquetWriter.ColumnStatistics]
  ) -> [UInt8] {
    var least: [JSON.Member] = [], greatest: [JSON.Member] = [], nulls: [JSON.Member] = []
    for (column, statistics) in zip(columns, found).prefix(maximumColumns) {
      guard let type = column.primitive else { continue }
      let key = Array(column.name.utf8)
      nulls.append(JSON.Member(key, .number(Int64(statistics.nullCount))))
      if let bound = statistics.least.flatMap({ bound($0, of: type, isUpper: false) }) {
        least.append(JSON.Member(key, bound))
      }
      if let bound = statistics.greatest.flatMap({ bound($0, of: type, isUpper: true) }) {
        greatest.append(JSON.Member(key, bound))
      }
    }
    return JSON.object([
      "numRecords": .number(Int64(rows)), "minValues": .object(least), "maxValues": .object(greatest),
      "nullCount": .object(nulls),
    ]).canonicalBytes
  }

  /// Instants are rounded to milliseconds, as other programs do.
  private static func bound(_ value: Value, of type: String, isUpper: Bool) -> JSON? {
    switch (type, value) {
    case ("long", .integer(let number)), ("integer", .integer(let number)), ("short", .integer(let number)),
      ("byte", .integer(let number)):
      return .number(number)
    case ("double", .real(let number)) where number.isFinite, ("float", .real(let number)) where number.isFinite:
      return .number(number.canonicalText)
    case ("string", .text(let text)): return .string(text)
    case ("date", .integer(let days)): return .string(String(Instant(seconds: days * 86_400).timestamp.prefix(10)))
    case ("timestamp", .integer(let micros)):
      var (thousandths, rest) = micros.quotientAndRemainder(dividingBy: 1000)
      if rest < 0 { (thousandths, rest) = (thousandths - 1, rest + 1000) }
      if isUpper, rest > 0 { thousandths += 1 }
      var (seconds, part) = thousandths.quotientAndRemainder(dividingBy: 1000)
      if part < 0 { (seconds, part) = (seconds - 1, part + 1000) }
      return .string("\(Instant(seconds: seconds).timestamp.dropLast()).\(String(1000 + part).dropFirst())Z")
    default: return nil
    }
  }

  /// The number of rows of a file, the deleted ones included; nil if the log does not say that there are some.
  static func rows(of file: DeltaFile) -> Int? {
    let json = file.statistics.flatMap { try? JSON.parse($0, name: "") }
    return json?["numRecords"]?.countValue.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The bounds of the columns of a file; nil for a column of which none are known.
  static func bounds(_ file: DeltaFile, _ schema: DeltaSchema) -> (String) -> ParquetGroupBounds? {
    let json = file.statistics.flatMap { try? JSON.parse($0, name: "") }
    let rows = json?["numRecords"]?.integerValue
    return { name in
      guard let field = schema.field(name), let type = try? field.columnType() else { return nil }
      if file.values.contains(where: { $0.column.utf8.elementsEqual(name.utf8) }) {
        let text = file.value(of: name)
        guard let value = DeltaValue.value(text, type) else { return nil }
        var bound: Value?
        switch (type, value) {
        case (.integer, .integer), (.text, .text): bound = value
        default: break
        }
        return ParquetGroupBounds(least: bound, greatest: bound, hasNull: value == .null, hasValue: value != .null)
      }
      guard let json, field.primitive != nil else { return nil }
      func value(_ key: String) -> Value? {
        guard let found = json[key]?[field.stored] else { return nil }
        switch type {
        case .integer: return found.integerValue.map { .integer($0) }
        case .text where field.primitive == "string": return found.stringBytes.map { .text($0) }
        default: return nil
        }
      }
      let nulls = json["nullCount"]?[field.stored]?.integerValue
      return ParquetGroupBounds(
        least: value("minValues"), greatest: value("maxValues"), hasNull: nulls != 0,
        hasValue: nulls.flatMap { nulls in rows.map { nulls < $0 } } ?? true)
    }
  }
}
