import Codecs
import Domain
import Rows

/// A data file of a table, as an action of the log describes it.
struct DeltaFile: Sendable, Hashable {
  let path: String
  /// The path as the log has it.
  let url: String
  let size: Int64
  /// The values of the partition columns; an empty text is null.
  var values: [PartitionValue]
  /// JSON; nil if not kept or not known.
  var statistics: [UInt8]?
  /// What identifies the rows of a piece of a stored table, and the size of its pieces; nil for other files.
  var digest: String?, pieceRows: Int?
  /// Where the numbers of the deleted rows are; nil if there are none.
  private(set) var deletions: DeletionVectorPlace?

  init(path: String, size: Int64, values: [PartitionValue], statistics: [UInt8]?) {
    (self.path, self.size, self.values, self.statistics) = (path, size, values, statistics)
    url = DeltaPath.encoded(path)
  }

  /// Reads the members of an `add` or `remove`.
  /// - Parameter root: the table, as `TableStorage.root`.
  /// - Throws: `badData` for a path outside the table.
  init(_ action: JSON, in root: String, keepsStatistics: Bool) throws(Problem) {
    guard let url = action["path"]?.stringValue else { throw Problem(.badData, "a file of the table has no path") }
    let path = try DeltaPath.file(url, in: root)
    // Equal texts share their storage.
    (self.path, self.url) = (path.utf8.elementsEqual(url.utf8) ? url : path, url)
    if let vector = action["deletionVector"], !vector.isNull { deletions = try DeletionVectorPlace(vector) }
    size = Int64(action["size"]?.countValue ?? 0)
    values = (action["partitionValues"]?.objectMembers ?? []).map { member in
      let text = member.value.stringBytes
      return PartitionValue(column: member.name, text: text?.isEmpty == true ? nil : text)
    }
    digest = action["tags"]?[Self.digestTag]?.stringValue
    pieceRows = action["tags"]?[Self.rowsTag]?.stringValue.flatMap { Int($0) }
    statistics = keepsStatistics ? action["stats"]?.stringBytes : nil
  }

  private static let digestTag = "bb.digest", rowsTag = "bb.rows"

  /// What distinguishes the file from others: its path, and the rows that are deleted.
  var key: [UInt8] { Array(path.utf8) + (deletions.map { [0] + Array($0.id.utf8) } ?? []) }

  /// The value of a partition column, as text.
  func value(of column: String) -> [UInt8]? {
    values.first { $0.column.utf8.elementsEqual(column.utf8) }?.text
  }

  private var partition: JSON {
    .object(values.map { JSON.Member(Array($0.column.utf8), $0.text.map { .string($0) } ?? .null) })
  }

  func adding(at time: Int64) -> JSON {
    var members: [JSON.Member] = [
      .init(Array("path".utf8), .string(url)), .init(Array("partitionValues".utf8), partition),
      .init(Array("size".utf8), .number(size)), .init(Array("modificationTime".utf8), .number(time)),
      .init(Array("dataChange".utf8), .boolean(true)),
      .init(Array("stats".utf8), statistics.map { .string($0) } ?? .null),
    ]
    if let digest, let pieceRows {
      let tags = JSON.object([Self.digestTag: .string(digest), Self.rowsTag: .string(String(pieceRows))])
      members.append(.init(Array("tags".utf8), tags))
    }
    return .object(["add": .object(members)])
  }

  func removing(at time: Int64) -> JSON {
    .object([
      "remove": .object([
        "path": .string(url), "deletionTimestamp": .number(time), "dataChange": .boolean(true),
        "extendedFileMetadata": .boolean(true), "partitionValues": partition, "size": .number(size),
      ])
    ])
  }
}

/// The values of partition columns, as the log has them.
enum DeltaValue {
  /// The value of a text; nil if the type has none of that text.
  static func value(_ text: [UInt8]?, _ type: ColumnType, isZoned: Bool = true) -> Value? {
    guard let text, !text.isEmpty else { return .null }
    let string = String(decoding: text, as: UTF8.self)
    switch type {
    case .integer: return Int64(string).map { .integer($0) }
    case .real:
      guard let number = Double(string), number.isFinite || !text.contains(where: { (48...57).contains($0) }) else {
        return nil
      }
      return .real(number)
    case .decimal: return DecimalNumber(text).map { _ in .number(text) }
    case .boolean: return ["true": true, "false": false][string.lowercased()].map { .boolean($0) }
    case .text: return .text(isZoned ? text : instant(text, ""))
    case .timestamp: return .text(instant(text, "Z"))
    case .datetime: return .text(instant(text, ""))
    case .url, .date: return .text(text)
    case .bytes, .list, .json: return nil
    }
  }

  /// `2024-01-31 12:00:00.000000` and `2024-01-31T12:00:00.000000Z` in RFC 3339, the fraction without zeros at its end.
  private static func instant(_ text: [UInt8], _ zone: String) -> [UInt8] {
    var rest = String(decoding: text, as: UTF8.self)
    if rest.hasSuffix("Z") { rest.removeLast() }
    guard rest.utf8.count >= 19, rest.utf8.count < 32 else { return text }
    var bytes = Array(rest.utf8)
    bytes[10] = UInt8(ascii: "T")
    if bytes.count > 19 {
      while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
      if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    }
    return bytes + Array(zone.utf8)
  }
}
