import Codecs
import Domain
import Parquet
import Rows

/// The state of a table at a version as a Parquet file, from which readers start instead of from the first entry.
struct DeltaCheckpoint {
  /// Whether a version has a checkpoint: every tenth, unless the table has another interval.
  static func isDue(_ version: Int64, _ metadata: DeltaMetadata) -> Bool {
    let interval = metadata.setting("delta.checkpointInterval").flatMap { Int64($0) } ?? 10
    return version > 0 && interval > 0 && version % interval == 0
  }

  /// Writes the checkpoint of a version, and names it in `_last_checkpoint`.
  /// - Parameter now: in milliseconds since 1970. Files that were removed long before are not named any more.
  /// - Throws: the errors of reading the log, and of the storage.
  static func write(_ version: Int64, _ log: DeltaLog, now: Int64) async throws(Problem) {
    var state = State(log.storage.root)
    guard try await log.replay(at: version, State.kinds, { (action) throws(Problem) in try state.apply(action) }) != nil
    else { return }
    let actions = state.actions(now)
    var writer = try ParquetRecordWriter(schema)
    for action in actions { try writer.append(action) }
    let bytes = try writer.finish()
    // Another process may have written the same.
    _ = try await log.storage.create(DeltaLog.checkpoint(version), bytes)
    let hint = JSON.object([
      "version": .number(version), "size": .number(Int64(actions.count)), "sizeInBytes": .number(Int64(bytes.count)),
      "numOfAddFiles": .number(Int64(state.fileCount)),
    ])
    try await log.storage.replace(DeltaLog.hint, hint.canonicalBytes)
  }

  private static let schema: [ParquetElement.Field] = [
    .init("txn", .structure([.init("appId", .text), .init("version", .integer), .init("lastUpdated", .integer)])),
    .init(
      "add",
      .structure([
        .init("path", .text), .init("partitionValues", .map), .init("size", .integer),
        .init("modificationTime", .integer), .init("dataChange", .boolean), .init("tags", .map), .init("stats", .text),
      ])),
    .init(
      "remove",
      .structure([
        .init("path", .text), .init("deletionTimestamp", .integer), .init("dataChange", .boolean),
        .init("extendedFileMetadata", .boolean), .init("partitionValues", .map), .init("size", .integer),
        .init("tags", .map),
      ])),
    .init(
      "metaData",
      .structure([
        .init("id", .text), .init("name", .text), .init("description", .text),
        .init("format", .structure([.init("provider", .text), .init("options", .map)])), .init("schemaString", .text),
        .init("partitionColumns", .texts), .init("configuration", .map), .init("createdTime", .integer),
      ])),
    .init(
      "protocol",
      .structure([
        .init("minReaderVersion", .shortInteger), .init("minWriterVersion", .shortInteger),
        .init("readerFeatures", .texts), .init("writerFeatures", .texts),
      ])),
  ]

  /// The actions that are still in force.
  private struct State {
    static let kinds = ["protocol", "metaData", "txn", "add", "remove"]
    private let root: String

    init(_ root: String) { self.root = root }

    private var single: [String: JSON] = [:]
    private var transactions: [String: JSON] = [:]
    private var added: [[UInt8]: (order: Int, action: JSON)] = [:]
    private var removed: [[UInt8]: JSON] = [:]
    private var order = 0

    var fileCount: Int { added.count }

    mutating func apply(_ action: JSON) throws(Problem) {
      guard let kind = Self.kinds.first(where: { action[$0].map { !$0.isNull } ?? false }), let body = action[kind]
      else {
        return
      }
      switch kind {
      case "add":
        let key = try DeltaFile(body, in: root, keepsStatistics: false).key
        (added[key], removed[key]) = ((order, Self.withoutChange(body)), nil)
        order += 1
      case "remove":
        guard let url = body["path"]?.stringValue else { throw Problem(.badData, "a removed file has no path") }
        let key = Array(((try? DeltaPath.file(url, in: root)) ?? url).utf8)
        (added[key], removed[key]) = (nil, Self.withoutChange(body))
      case "txn": transactions[body["appId"]?.stringValue ?? ""] = body
      default: single[kind] = body
      }
    }

    private static func withoutChange(_ body: JSON) -> JSON {
      let key = Array("dataChange".utf8)
      return .object((body.objectMembers ?? []).filter { $0.key != key } + [JSON.Member(key, .boolean(false))])
    }

    /// The protocol and the metadata, transactions, files, and recently removed files.
    func actions(_ now: Int64) -> [JSON] {
      let limit = retention.map { now - $0 }
      let kept = removed.values.filter { body in
        limit.map { (body["deletionTimestamp"]?.integerValue ?? 0) > $0 } ?? true
      }
      let first = ["protocol", "metaData"].compactMap { kind in single[kind].map { (kind, $0) } }
      let all =
        first + transactions.values.map { ("txn", $0) }
        + added.values.sorted { $0.order < $1.order }.map { ("add", $0.action) } + kept.map { ("remove", $0) }
      return all.map { JSON.object([JSON.Member(Array($0.utf8), $1)]) }
    }

    /// The milliseconds for which removed files are named: a week, or what the table says; nil for ever.
    private var retention: Int64? {
      let key = "delta.deletedFileRetentionDuration"
      guard let text = single["metaData"]?["configuration"]?[key]?.stringValue else { return 7 * 86_400_000 }
      let words = text.lowercased().split(at: " ").drop { $0 == "interval" }
      let units: [String: Int64] = ["week": 604_800_000, "day": 86_400_000, "hour": 3_600_000, "minute": 60_000]
      guard words.count == 2, let number = words.first.flatMap({ Int64($0) }), (0...100_000).contains(number),
        let unit = words.last.flatMap({ units[$0.hasSuffix("s") ? String($0.dropLast()) : String($0)] })
      else { return nil }
      return number * unit
    }
  }
}
