import Codecs
import Domain
import Parquet
import Rows

/// The state of a table at a version.
struct DeltaSnapshot: Sendable {
  let version: Int64
  let protocolVersions: DeltaProtocol
  let metadata: DeltaMetadata
  /// The data files, in the order in which they were added.
  let files: [DeltaFile]
  let transactions: [String: Int64]
}

struct DeltaLog: Sendable {
  let storage: any TableStorage

  private static let directory = "_delta_log/"
  /// The file that names the last checkpoint.
  static let hint = directory + "_last_checkpoint"
  private static let maximumHint = 1 << 20
  /// The most bytes of an action.
  private static let maximumLine = 16 << 20
  private static let preparedEntries: Int64 = 64

  static func entry(_ version: Int64) -> String { "\(padded(version)).json" }
  static func path(_ version: Int64) -> String { directory + entry(version) }
  static func checkpoint(_ version: Int64) -> String { "\(directory)\(padded(version)).checkpoint.parquet" }
  private static func padded(_ version: Int64) -> String {
    let digits = String(version)
    return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
  }

  /// The entries and complete checkpoints of a log.
  private struct Listing {
    var entries: Set<Int64> = []
    /// The names of the parts, by version.
    var checkpoints: [Int64: [String]] = [:]
    var isEmpty: Bool { entries.isEmpty && checkpoints.isEmpty }

    init(_ names: [String]) throws(Problem) {
      var parts: [String: (version: Int64, count: Int, names: [String])] = [:]
      for name in names {
        let pieces = name.split(at: ".", omittingEmptySubsequences: false).map(String.init)
        guard let version = pieces[0].count == 20 ? Int64(pieces[0]) : nil, version >= 0 else { continue }
        guard version <= JSON.largestCount else {
          throw Problem(.badData, "the log has a version out of range: \(name)")
        }
        if pieces.count == 2, pieces[1] == "json" { entries.insert(version) }
        guard pieces.count >= 3, pieces[1] == "checkpoint", ["parquet", "json"].contains(pieces.last) else { continue }
        if pieces.count == 3, pieces[2] == "parquet" { checkpoints[version] = [name] }
        // Of equal ones with their own names, any.
        if pieces.count == 4, checkpoints[version] == nil { checkpoints[version] = [name] }
        if pieces.count == 5, let count = Int(pieces[3]), count > 0, Int(pieces[2]) != nil {
          let key = "\(version).\(count)"
          parts[key] = (version, count, (parts[key]?.names ?? []) + [name])
        }
      }
      for (version, count, names) in parts.values where names.count == count && checkpoints[version] == nil {
        checkpoints[version] = names
      }
    }
  }

  /// Reads the table.
  /// - Parameters:
  ///   - wanted: the version; nil for the latest.
  ///   - keepsStatistics: whether the statistics of files are kept.
  ///   - reduce: takes from a file what is not needed of its statistics.
  /// - Returns: nil if there is no table.
  /// - Throws: `noInput` for a version that there is not; `badData` for a damaged log; the errors of the storage.
  func snapshot(
    at wanted: Int64? = nil, keepsStatistics: Bool = false, reducing reduce: ((inout DeltaFile) -> Void)? = nil
  ) async throws(Problem) -> DeltaSnapshot? {
    do throws(Problem) {
      var state = DeltaReplay(root: storage.root, keepsStatistics: keepsStatistics || reduce != nil, reduce)
      let version = try await replay(at: wanted, ["protocol", "metaData", "add", "txn"]) { (action) throws(Problem) in
        try state.apply(action)
      }
      return try version.map { (version) throws(Problem) in try state.snapshot(version) }
    } catch {
      throw error.located(at: storage.name)
    }
  }

  /// Reads the actions that lead to a version: those of the last checkpoint before it, and of the entries that follow.
  /// - Parameters:
  ///   - wanted: the version; nil for the latest.
  ///   - kinds: the actions to read of a checkpoint.
  /// - Returns: the version; nil if there is no table.
  func replay(
    at wanted: Int64?, _ kinds: [String], _ body: (JSON) throws(Problem) -> Void
  ) async throws(Problem) -> Int64? {
    let hint = try await checkpointHint().flatMap { hint in wanted.map { hint <= $0 } ?? true ? hint : nil }
    var listing: Listing?
    if let hint, let names = try await storage.logFiles(from: Self.padded(hint)) {
      let found = try Listing(names)
      if found.checkpoints[hint] != nil { listing = found }
    }
    if listing == nil {
      listing = try await storage.logFiles(from: "").map { (names) throws(Problem) in try Listing(names) }
    }
    guard let listing, !listing.isEmpty, let latest = (listing.entries.union(listing.checkpoints.keys)).max() else {
      return nil
    }
    let version = wanted ?? latest
    guard version <= latest else {
      throw Problem(.noInput, "version \(version) not found", hint: "the latest version is \(latest)")
    }
    let start = listing.checkpoints.keys.filter { $0 <= version }.max()
    for name in start.flatMap({ listing.checkpoints[$0] }) ?? [] { try await checkpoint(name, kinds, body) }
    var next = start.map { $0 + 1 } ?? 0, prepared = next
    while next <= version {
      if next == prepared, next < version {
        prepared = min(next + Self.preparedEntries, version + 1)
        try await storage.prepare((next..<prepared).filter(listing.entries.contains).map { (Self.path($0), nil) })
      }
      guard listing.entries.contains(next) else {
        if start == nil, let first = listing.checkpoints.keys.min() {
          throw Problem(.noInput, "version \(version) not found", hint: "the earliest version is \(first)")
        }
        throw Problem(.badData, "the log has no version \(next), but later ones")
      }
      try await actions(of: next, body)
      next += 1
    }
    return version
  }

  /// The version of the last checkpoint, which need not be true; nil if it is not known.
  private func checkpointHint() async throws(Problem) -> Int64? {
    guard let file = try await storage.open(Self.hint), file.length <= Self.maximumHint,
      let bytes = try file.bytes(at: 0, count: file.length), let hint = try? JSON.parse(bytes, name: ""),
      let version = hint["version"]?.countValue
    else { return nil }
    return Int64(version)
  }

  /// Reads the actions of an entry, in order.
  /// - Throws: `badData` if the entry is missing or damaged.
  func actions(of version: Int64, _ body: (JSON) throws(Problem) -> Void) async throws(Problem) {
    guard let file = try await storage.open(Self.path(version)) else {
      throw Problem(.badData, "the log has no version \(version)")
    }
    try actions(in: file, Self.entry(version), body)
  }

  private func actions(
    in file: any RandomAccessSource, _ name: String, _ body: (JSON) throws(Problem) -> Void
  ) throws(Problem) {
    var offset = 0, line: [UInt8] = [], number = 0
    func take(_ bytes: ArraySlice<UInt8>) throws(Problem) {
      number += 1
      guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
      do throws(Problem) { try body(try JSON.parse(Array(bytes), name: "")) } catch {
        var problem = error
        let line = "\(storage.name)/\(Self.directory)\(name):\(number)"
        // The parser has seen one line.
        if problem.place.hasPrefix(":1:") { problem.place = line + problem.place.dropFirst(2) }
        throw problem.located(at: line)
      }
    }
    while offset < file.length {
      let count = min(1 << 20, file.length - offset)
      guard let chunk = try file.bytes(at: offset, count: count) else {
        throw Problem(.busy, "the log changed while it was read", hint: "run the command again")
      }
      offset += count
      var rest = chunk[...]
      while let end = rest.firstIndex(of: 0x0A) {
        if line.isEmpty {
          try take(rest[..<end])
        } else {
          line += rest[..<end]
          try take(line[...])
          line = []
        }
        rest = rest[(end + 1)...]
      }
      line += rest
      guard line.count <= Self.maximumLine else {
        throw Problem(.badData, "an action of the log is larger than \(Self.maximumLine >> 20) MiB", at: name)
      }
    }
    if !line.isEmpty { try take(line[...]) }
  }

  /// Whether the rows or the columns of the table at a version may differ from those that a transaction wrote.
  /// - Throws: the errors of the storage.
  func isChanged(since transaction: DeltaPlan.Transaction, at version: Int64) async throws(Problem) -> Bool {
    for version in stride(from: version, through: 0, by: -1) {
      var isWritten = false, hasChange = false
      do throws(Problem) {
        try await actions(of: version) { action in
          let own = action["txn"]
          if own?["appId"]?.stringValue == transaction.application,
            own?["version"]?.integerValue == transaction.version
          {
            isWritten = true
          }
          if action["metaData"].map({ !$0.isNull }) ?? false { hasChange = true }
          // Files that are only written in another way have the same rows.
          for file in [action["add"], action["remove"]] where file.map({ !$0.isNull }) ?? false {
            if file?["dataChange"] != .boolean(false) { hasChange = true }
          }
        }
      } catch {
        // An entry before the last checkpoint may have been removed.
        guard error.kind == .badData else { throw error }
        return true
      }
      if isWritten || hasChange { return !isWritten }
    }
    return true
  }

  /// Reads the actions of a part of a checkpoint, and of the files that it names.
  private func checkpoint(
    _ name: String, _ kinds: [String], _ body: (JSON) throws(Problem) -> Void
  ) async throws(Problem) {
    var sidecars: [String] = []
    try await part(name, kinds + ["sidecar"]) { (action) throws(Problem) in
      guard let sidecar = action["sidecar"], !sidecar.isNull else { return try body(action) }
      let path = sidecar["path"]?.stringValue.flatMap { PercentCoding.decoded($0) }
      // They are in one directory.
      guard let file = path?.split(at: "/").last, file != "..", !file.utf8.contains(0) else {
        throw Problem(.badData, "a part of the checkpoint has no path")
      }
      sidecars.append("_sidecars/\(file)")
    }
    for name in sidecars { try await part(name, kinds.filter { ["add", "remove"].contains($0) }, body) }
  }

  private func part(
    _ name: String, _ kinds: [String], _ body: (JSON) throws(Problem) -> Void
  ) async throws(Problem) {
    guard let file = try await storage.open(Self.directory + name) else {
      throw Problem(.badData, "the log has no checkpoint \(name)")
    }
    if name.hasSuffix(".json") {
      return try actions(in: file, name) { (action) throws(Problem) in
        if kinds.contains(where: { action[$0] != nil }) { try body(action) }
      }
    }
    var reading = ParquetReading()
    reading.columns = kinds
    reading.maximumField = Self.maximumLine
    let rows = try ParquetRowStream(try ParquetFile(file), table: "checkpoint", reading)
    let names = rows.schema.columns.map(\.name)
    while let batch = try await rows.next()?.batch() {
      for row in 0..<batch.count {
        for (column, name) in names.enumerated() {
          guard case .json(let start, let length) = batch[row, column] else { continue }
          let value = try JSON.parse(batch.bytes(start, length), name: name)
          try body(.object([JSON.Member(Array(name.utf8), value)]))
        }
      }
    }
  }
}

/// Applies actions in the order of the log.
struct DeltaReplay {
  private let root: String
  private let keepsStatistics: Bool
  private var protocolVersions: DeltaProtocol?
  private var metadata: DeltaMetadata?
  /// The data files in the order in which they were added, among them those that were removed.
  private var files: [DeltaFile] = []
  /// By the hashes of their keys, the numbers of files from 1 on; 0 in free places.
  private var slots: [UInt32] = []
  private var paths = DeltaFile.Paths()
  /// Equal values share their storage.
  private var partitions: Set<[PartitionValue]> = []
  private var transactions: [String: Int64] = [:]
  private let reduce: ((inout DeltaFile) -> Void)?

  /// - Parameters:
  ///   - root: the table, as `TableStorage.root`.
  ///   - reduce: takes from a file what is not needed of its statistics.
  init(root: String, keepsStatistics: Bool, _ reduce: ((inout DeltaFile) -> Void)? = nil) {
    (self.root, self.keepsStatistics, self.reduce) = (root, keepsStatistics, reduce)
  }

  /// The slot of a key: that of its last file, or a free one.
  private func slot(of key: [UInt8]) -> Int {
    var slot = Int(UInt(bitPattern: key.hashValue) % UInt(slots.count))
    while slots[slot] > 0, files[Int(slots[slot]) - 1].key != key { slot = (slot + 1) % slots.count }
    return slot
  }

  private mutating func add(_ file: DeltaFile) {
    if files.count * 3 / 2 >= slots.count {
      files.removeAll(where: \.isRemoved)
      slots = Array(repeating: 0, count: files.count * 3 + 1024)
      for (place, file) in files.enumerated() { slots[slot(of: file.key)] = UInt32(place + 1) }
    }
    let slot = slot(of: file.key)
    if slots[slot] > 0 { files[Int(slots[slot]) - 1].isRemoved = true }
    files.append(file)
    slots[slot] = UInt32(files.count)
  }

  mutating func apply(_ action: JSON) throws(Problem) {
    if let value = action["add"], !value.isNull {
      var file = try DeltaFile(value, in: root, keepsStatistics: keepsStatistics)
      reduce?(&file)
      file.values = partitions.insert(file.values).memberAfterInsert
      file.share(&paths)
      add(file)
    } else if let remove = action["remove"], !remove.isNull {
      guard let url = remove["path"]?.stringValue else { throw Problem(.badData, "a removed file has no path") }
      // A file outside the table was never added.
      guard !slots.isEmpty, (try? DeltaPath.file(url, in: root)) != nil else { return }
      let slot = slot(of: try DeltaFile(remove, in: root, keepsStatistics: false).key)
      if slots[slot] > 0 { files[Int(slots[slot]) - 1].isRemoved = true }
    } else if let value = action["metaData"], !value.isNull {
      metadata = try DeltaMetadata(value)
    } else if let value = action["protocol"], !value.isNull {
      protocolVersions = try DeltaProtocol(value)
    } else if let value = action["txn"], let id = value["appId"]?.stringValue {
      transactions[id] = value["version"]?.integerValue
    }
  }

  mutating func snapshot(_ version: Int64) throws(Problem) -> DeltaSnapshot {
    guard let metadata, let protocolVersions else {
      throw Problem(.badData, "the log has no metadata or no protocol")
    }
    try protocolVersions.checkReading(metadata)
    (slots, partitions) = ([], [])
    files.removeAll(where: \.isRemoved)
    if metadata.schema.hasStoredNames {
      for place in files.indices { files[place].values = metadata.schema.named(files[place].values) }
    }
    return DeltaSnapshot(
      version: version, protocolVersions: protocolVersions, metadata: metadata, files: files,
      transactions: transactions)
  }
}
