import Codecs
public import Domain
import Parquet
public import Rows

/// The metadata of Iceberg for the data files of a Delta table: each version of the table is a snapshot.
///
/// The log of Delta decides; the metadata follow it, and are never read to find the rows.
public struct IcebergTable: Sendable {
  private let storage: any TableStorage
  private let log: DeltaLog

  /// The setting of a Delta table whose writers write metadata of Iceberg, too.
  static let setting = "bb.iceberg"
  private static let directory = "metadata/", hint = directory + "version-hint.text"
  /// The property that shows that bb wrote the metadata.
  private static let mark = "bb.delta"
  /// The snapshots that are kept.
  private static let snapshots = 10

  /// The table in `storage`.
  public init(_ storage: any TableStorage) { (self.storage, log) = (storage, DeltaLog(storage: storage)) }

  /// The absolute URL of the table.
  private var root: String {
    let scheme = storage.root.prefix { $0 != ":" }, rest = storage.root.dropFirst(scheme.count + 1)
    return scheme == "file" ? "file://\(rest)" : "\(scheme)://\(rest.drop { $0 == "/" })"
  }

  // MARK: - Earlier metadata

  /// Refuses metadata that bb did not write.
  /// - Throws: `cannotCreate`; the errors of the storage.
  func check() async throws(Problem) { _ = try await latest() }

  /// The metadata that the hint names, or the latest if a writer was killed before there was a hint; nil if there are
  /// none.
  private func latest(rebuilds: Bool = false) async throws(Problem) -> JSON? {
    if let hint = try await hint() { return try await own(hint, mayBeMissing: rebuilds) }
    let names = try await storage.dataFiles().map(\.key).filter {
      $0.hasPrefix(Self.directory) && $0.hasSuffix(".metadata.json")
    }
    let versions = names.map { Int64($0.dropFirst(Self.directory.count + 1).prefix { $0 != "." }) }
    guard let last = versions.compactMap(\.self).max() else {
      if !names.isEmpty { throw foreign }
      return nil
    }
    guard names.allSatisfy({ $0.dropFirst(Self.directory.count).hasPrefix("v") }) else { throw foreign }
    return try await own(last)
  }

  /// The version in the hint; nil if there is none.
  private func hint() async throws(Problem) -> Int64? {
    guard let text = try await bytes(Self.hint, limit: 64) else { return nil }
    guard let version = Int64(String(decoding: text, as: UTF8.self).filter { $0 != "\n" }), version > 0 else {
      throw foreign
    }
    return version
  }

  /// The metadata of a version, which bb wrote before it named them.
  private func own(_ version: Int64, mayBeMissing: Bool = false) async throws(Problem) -> JSON? {
    guard let bytes = try await bytes(Self.path(version), limit: 64 << 20) else {
      if mayBeMissing { return nil }
      throw foreign
    }
    guard let metadata = try? JSON.parse(bytes, name: ""), metadata["properties"]?[Self.mark]?.stringValue == "yes"
    else { throw foreign }
    return metadata
  }

  private var foreign: Problem {
    Problem(
      .cannotCreate, "the directory “metadata” is of another Iceberg writer", at: storage.name,
      hint: "write the table to another directory")
  }

  private func bytes(_ path: String, limit: Int) async throws(Problem) -> [UInt8]? {
    guard let file = try await storage.open(path) else { return nil }
    guard file.length <= limit else {
      throw Problem(.badData, "\(path) is larger than \(limit) bytes", at: storage.name)
    }
    return try file.bytes(at: 0, count: file.length)
  }

  private static func path(_ version: Int64) -> String { "\(directory)v\(version).metadata.json" }

  // MARK: - Writing

  /// Writes the metadata of the latest version, unless they are complete.
  /// - Parameters:
  ///   - now: in milliseconds since 1970.
  ///   - rebuilds: whether they are written again for the place of the table, without earlier snapshots.
  /// - Returns: the version of the Delta table, and whether anything was written.
  /// - Throws: `noInput` if there is no table; `badData` for one that Iceberg cannot describe; `cannotCreate` for
  ///   metadata of another program; the errors of the storage.
  public func write(now: Int64, rebuilds: Bool = false) async throws(Problem) -> (version: Int64, isNew: Bool) {
    do throws(Problem) {
      guard let snapshot = try await log.snapshot(keepsStatistics: true) else {
        throw Problem(.noInput, "no Delta table")
      }
      return (snapshot.version, try await write(snapshot, now, rebuilds: rebuilds))
    } catch { throw error.located(at: storage.name) }
  }

  private func write(_ snapshot: DeltaSnapshot, _ now: Int64, rebuilds: Bool) async throws(Problem) -> Bool {
    try snapshot.protocolVersions.checkWriting(snapshot.metadata)
    let latest = try await latest(rebuilds: rebuilds), number = snapshot.version + 1
    let earlier = rebuilds || latest?["location"]?.stringValue != root ? nil : latest
    if let last = earlier?["last-sequence-number"]?.integerValue, last >= number { return try await point(to: last) }
    let columns = try IcebergColumns(snapshot.metadata, after: earlier)
    let identifier = DeltaExporter.identifier()
    var records: [[UInt8]] = [], rows = 0
    for file in snapshot.files {
      guard file.deletions == nil else {
        throw Problem(.badData, "unsupported deletion vector", hint: "compact the table with another program")
      }
      let count = try await self.rows(of: file)
      rows += count
      records.append(try columns.entry(file, "\(root)/\(file.path)", rows: count, number))
    }
    let manifest = Self.directory + "\(identifier)-m0.avro"
    let list = Self.directory + "snap-\(snapshot.version)-\(identifier).avro"
    let bytes = columns.manifest(records)
    _ = try await storage.create(manifest, bytes)
    let entry = AvroValues.encoding { entry in
      entry.append("\(root)/\(manifest)")
      for value in [
        Int64(bytes.count), columns.specification, 0, number, number, number, Int64(records.count), 0, 0, Int64(rows),
        0, 0,
      ] { entry.append(value) }
    }
    let header: KeyValuePairs = [
      "snapshot-id": "\(number)", "sequence-number": "\(number)", "format-version": "2",
    ]
    _ = try await storage.create(
      list, AvroValues.file(IcebergColumns.listSchema, header, records: records.isEmpty ? [] : [entry]))
    let text = metadata(columns, earlier, snapshot, now, list: list, rows: rows).canonicalBytes
    if rebuilds {
      try await storage.replace(Self.path(number), text)
    } else if try await !storage.create(Self.path(number), text) {
      // Another process has completed this version; it may have been killed before it wrote the hint.
      for path in [manifest, list] { try await storage.remove(path) }
      _ = try await own(number)
    }
    let isMoved = try await point(to: number)
    return isMoved || rebuilds
  }

  /// Has the hint name a version, unless it names a later one.
  /// - Returns: whether it was changed.
  private func point(to version: Int64) async throws(Problem) -> Bool {
    if let known = try await hint(), known >= version { return false }
    try await storage.replace(Self.hint, Array("\(version)".utf8))
    return true
  }

  /// The number of rows of a file, which another program may not have noted.
  private func rows(of file: DeltaFile) async throws(Problem) -> Int {
    if let rows = DeltaStatistics.rows(of: file) { return rows }
    guard let source = try await storage.open(file.path) else {
      throw Problem(.badData, "the log names a file that does not exist: \(file.path)")
    }
    return try ParquetFile(source).rowCount
  }

  private func metadata(
    _ columns: IcebergColumns, _ earlier: JSON?, _ snapshot: DeltaSnapshot, _ now: Int64, list: String, rows: Int
  ) -> JSON {
    let number = snapshot.version + 1, time = max(now, earlier?["last-updated-ms"]?.integerValue ?? 0)
    let own = JSON.object([
      "snapshot-id": .number(number), "sequence-number": .number(number), "timestamp-ms": .number(time),
      "manifest-list": .string("\(root)/\(list)"), "schema-id": .number(columns.schemaID),
      "summary": .object([
        "operation": .string("overwrite"), "total-records": .string(String(rows)),
        "total-data-files": .string(String(snapshot.files.count)),
      ]),
    ])
    let snapshots = (earlier?["snapshots"]?.arrayValue ?? []).suffix(Self.snapshots - 1) + [own]
    let history = snapshots.map { snapshot in
      JSON.object(["snapshot-id": snapshot["snapshot-id"] ?? .null, "timestamp-ms": snapshot["timestamp-ms"] ?? .null])
    }
    let identifier = snapshot.metadata.action["id"]?.stringValue ?? DeltaExporter.identifier()
    return .object([
      "format-version": .number(2), "table-uuid": earlier?["table-uuid"] ?? .string(identifier),
      "location": .string(root), "last-sequence-number": .number(number), "last-updated-ms": .number(time),
      "last-column-id": .number(columns.lastID), "current-schema-id": .number(columns.schemaID),
      "schemas": .array(columns.schemas), "default-spec-id": .number(columns.specification),
      "partition-specs": .array(columns.specifications), "last-partition-id": .number(columns.lastPartitionID),
      "default-sort-order-id": .number(0),
      "sort-orders": .array([.object(["order-id": .number(0), "fields": .array([])])]),
      "properties": .object([
        Self.mark: .string("yes"),
        "schema.name-mapping.default": .string(String(decoding: columns.names.canonicalBytes, as: UTF8.self)),
      ]),
      "current-snapshot-id": .number(number), "snapshots": .array(Array(snapshots)),
      "refs": .object(["main": .object(["snapshot-id": .number(number), "type": .string("branch")])]),
      "snapshot-log": .array(history), "metadata-log": .array([]),
    ])
  }

  /// The needs of the snapshots that a reader may choose: files of the table since an instant (milliseconds since
  /// 1970), and metadata files. All metadata that bb did not write is needed.
  func needs() async throws(Problem) -> (since: Int64, metadata: @Sendable (String) -> Bool) {
    let isMetadata: @Sendable (String) -> Bool = { path in
      path.hasPrefix(Self.directory) && [".avro", ".json", ".text"].contains { path.hasSuffix($0) }
    }
    guard let latest = try? await latest(), let snapshots = latest["snapshots"]?.arrayValue else {
      return (.max, isMetadata)
    }
    let identifiers = snapshots.compactMap { $0["manifest-list"]?.stringValue?.dropLast(5).suffix(36) }
    let first = snapshots.first?["snapshot-id"]?.integerValue ?? 0
    return (
      snapshots.first?["timestamp-ms"]?.integerValue ?? .max,
      { path in
        guard isMetadata(path) else { return false }
        let version = Int64(path.dropFirst(Self.directory.count + 1).prefix { $0 != "." })
        return !path.hasSuffix(".avro") && version ?? .max >= first || identifiers.contains { path.contains($0) }
      }
    )
  }
}
