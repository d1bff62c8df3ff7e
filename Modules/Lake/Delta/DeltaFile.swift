import Codecs
import Domain
import Rows

/// A data file of a table, as an action of the log describes it. Tables have many: it is small.
struct DeltaFile: Sendable {
  /// Where its path is.
  private var paths: Paths, start = 0, length: Int
  let size: Int64
  /// The values of the partition columns; an empty text is null.
  var values: [PartitionValue]
  /// JSON; nil if not kept or not known.
  var statistics: [UInt8]?
  /// What few files have; at most one.
  private var more: [More] = []
  /// Whether it was removed later, and whether it may have rows that are needed.
  var isRemoved = false, isNeeded = true

  private struct More {
    var url: String?, digest: String?, pieceRows: Int?
    var deletions: DeletionVectorPlace?
  }

  /// The paths of many files, one after the other.
  final class Paths: @unchecked Sendable {
    fileprivate var bytes: [UInt8]
    init(_ bytes: [UInt8] = []) { self.bytes = bytes }
  }

  init(path: String, size: Int64, values: [PartitionValue], statistics: [UInt8]?, url: String? = nil) {
    (paths, length) = (Paths(Array(path.utf8)), path.utf8.count)
    (self.size, self.values, self.statistics) = (size, values, statistics)
    let url = url ?? DeltaPath.encoded(path)
    if !path.utf8.elementsEqual(url.utf8) { more = [More(url: url)] }
  }

  /// Reads the members of an `add` or `remove`.
  /// - Parameter root: the table, as `TableStorage.root`.
  /// - Throws: `badData` for a path outside the table.
  init(_ action: JSON, in root: String, keepsStatistics: Bool) throws(Problem) {
    guard let url = action["path"]?.stringValue else { throw Problem(.badData, "a file of the table has no path") }
    let values = (action["partitionValues"]?.objectMembers ?? []).map { member in
      let text = member.value.stringBytes
      return PartitionValue(column: member.name, text: text?.isEmpty == true ? nil : text)
    }
    self.init(
      path: try DeltaPath.file(url, in: root), size: Int64(action["size"]?.countValue ?? 0), values: values,
      statistics: keepsStatistics ? action["stats"]?.stringBytes : nil, url: url)
    if let digest = action["tags"]?[Self.digestTag]?.stringValue { self.digest = digest }
    if let rows = action["tags"]?[Self.rowsTag]?.stringValue.flatMap({ Int($0) }) { pieceRows = rows }
    if let vector = action["deletionVector"], !vector.isNull {
      more = [More(url: self.url, digest: digest, pieceRows: pieceRows, deletions: try DeletionVectorPlace(vector))]
    }
  }

  private var pathBytes: ArraySlice<UInt8> { paths.bytes[start..<start + length] }
  var path: String { String(decoding: pathBytes, as: UTF8.self) }
  /// The path as the log has it.
  var url: String { more.first?.url ?? path }
  /// Where the numbers of the deleted rows are; nil if there are none.
  var deletions: DeletionVectorPlace? { more.first?.deletions }
  /// What identifies the rows of a piece of a stored table; nil for other files.
  var digest: String? {
    get { more.first?.digest }
    set { more = [More(url: more.first?.url, digest: newValue, pieceRows: pieceRows, deletions: deletions)] }
  }
  /// The size of the pieces of a stored table; nil for other files.
  var pieceRows: Int? {
    get { more.first?.pieceRows }
    set { more = [More(url: more.first?.url, digest: digest, pieceRows: newValue, deletions: deletions)] }
  }

  /// Moves the path to a list of many paths.
  mutating func share(_ all: inout Paths) {
    if all.bytes.count > 1 << 18 { all = Paths() }
    let place = all.bytes.count
    all.bytes += pathBytes
    (paths, start) = (all, place)
  }

  private static let digestTag = "bb.digest", rowsTag = "bb.rows"

  /// What distinguishes the file from others: its path, and the rows that are deleted.
  var key: [UInt8] { Array(pathBytes) + (deletions.map { [0] + Array($0.id.utf8) } ?? []) }

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
