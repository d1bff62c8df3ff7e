import CAssets
import Domain
package import Query
package import Rows

/// Facts built into the program: characters, episodes and deaths, for when there is neither network nor cache.
package struct SnapshotSource: RecordSource {
  package init() {}

  /// `built-in snapshot`.
  package let name = "built-in snapshot"

  package func tables() async throws(Problem) -> [Schema] { Self.facts.map(\.schema) }

  /// The rows of a dataset. Columns that are not included (images, prose) are null.
  /// - Throws: `unavailable` for a dataset that is not included.
  package func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    guard let (schema, text) = Self.facts.first(where: { $0.schema.name == table }) else {
      let names = Self.facts.map(\.schema.name)
      throw Problem(
        .unavailable, "the built-in snapshot has no \(table), only \(names.joined(separator: ", "))",
        hint: "run the command once with a network connection")
    }
    let wanted = schema.columns.indices.filter { request.someColumns?.contains(schema.columns[$0].name) ?? true }
    return BufferedRows(schema: schema.projected(to: wanted), batches: [Self.batch(schema, wanted, text)])
  }

  private static let facts: [(schema: Schema, text: bb_asset_number)] = [
    (Catalog.characters, bb_characters_tsv), (Catalog.episodes, bb_episodes_tsv), (Catalog.deaths, bb_deaths_tsv),
  ]

  /// Fields are separated by tabs, elements of a list (which starts with `[`) by bars; `~` is null.
  private static func batch(_ schema: Schema, _ wanted: [Int], _ text: bb_asset_number) -> RowBatch {
    var builder = RowBatchBuilder(width: wanted.count)
    var count = 0
    let bytes = unsafe Array(UnsafeBufferPointer(start: bb_asset(text, &count), count: count))
    let isWanted = schema.columns.indices.map(wanted.contains)
    var start = 0, column = 0
    for at in 0...bytes.count where at == bytes.count || bytes[at] < 32 {
      let isLineEnd = at == bytes.count || bytes[at] == UInt8(ascii: "\n")
      guard isLineEnd || bytes[at] == UInt8(ascii: "\t") else { continue }
      // The text has no empty line but after the last.
      if column > 0 || at > start, column < isWanted.count, isWanted[column] {
        append(Array(bytes[start..<at]), schema.columns[column].type, to: &builder)
      }
      start = at + 1
      column = isLineEnd ? 0 : column + 1
    }
    return builder.finish()
  }

  private static func append(_ field: [UInt8], _ type: ColumnType, to builder: inout RowBatchBuilder) {
    if field == [UInt8(ascii: "~")] { return builder.appendNull() }
    switch type {
    case .integer:
      let number = field.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
      builder.append(integer: number)
    case .boolean: builder.append(boolean: field.first == UInt8(ascii: "t"))
    case .list(let element):
      let quote = element == .integer ? [] : Array("\"".utf8), between = quote + Array(",".utf8) + quote
      var json = Array("[".utf8)
      if field.count > 1 { json += quote }
      for byte in field.dropFirst() {
        switch byte {
        case UInt8(ascii: "|"): json += between
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
        default: json.append(byte)
        }
      }
      if field.count > 1 { json += quote }
      builder.append(json: json + Array("]".utf8))
    case .real, .decimal, .text, .bytes, .date, .timestamp, .datetime, .url, .json: builder.append(text: field)
    }
  }
}
