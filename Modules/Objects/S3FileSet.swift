import Codecs
public import Domain
public import Rows
import Synchronization

/// Objects in partitions that appear together: all are sent; then a list of the uploads is written, and they are
/// completed. The next export to the same place completes those of a process that was killed in between.
public final class S3FileSet: OutputFileSet {
  /// The list of uploads, below the prefix before the first placeholder.
  static let pending = ".bb-pending.json"
  /// Uploads that are completed at a time.
  private static let atATime = 8

  private let storage: S3Storage
  private let pattern: PathPattern
  private let existing: ExistingFiles
  /// The prefix before the first placeholder; empty, or with a slash at its end.
  private let root: String
  private let state = Mutex(State())

  private struct State {
    var uploads: [S3Upload] = []
    /// The keys of this export, and those that are kept.
    var known: Set<[UInt8]> = []
    var isPrepared = false
    var isOpen = true
  }

  /// - Parameters:
  ///   - storage: the bucket.
  ///   - pattern: the pattern of the URLs of the objects.
  ///   - existing: the earlier objects that are kept.
  public init(_ storage: S3Storage, _ pattern: PathPattern, existing: ExistingFiles) throws(Problem) {
    (self.storage, self.pattern, self.existing) = (storage, pattern, existing)
    let key = try S3Location(pattern.root).key
    root = key.isEmpty || key.hasSuffix("/") ? key : key + "/"
  }

  private var list: String { root + Self.pending }

  /// Completes an earlier export to the same place, and looks for earlier objects, once.
  private func prepare() async throws(Problem) {
    let isFirst = state.withLock { state in
      defer { state.isPrepared = true }
      return !state.isPrepared
    }
    guard isFirst else { return }
    try await completeEarlier()
    guard existing == .refuse || existing == .append else { return }
    let keys = try await earlier().map { Array($0.key.utf8) }
    try refuse(keys)
    state.withLock { $0.known.formUnion(keys) }
  }

  private func refuse(_ keys: [[UInt8]]) throws(Problem) {
    guard existing == .refuse, let key = keys.first else { return }
    throw Problem(
      .cannotCreate, "already exists", at: storage.place(of: String(decoding: key, as: UTF8.self)),
      hint: .set(.existingOutput, to: "append", "replace", "replace-partitions"))
  }

  /// The keys that an export with these values may have written.
  private func keys(_ pattern: PathPattern, _ values: [PartitionValue]? = nil) -> KeyPattern {
    KeyPattern(String(Substring(pattern.glob(values).utf8.dropFirst(storage.place(of: "").utf8.count))))
  }

  /// The objects that an export with these values may have written; with any values if there are none.
  private func earlier(_ values: [PartitionValue]? = nil) async throws(Problem) -> [StoredObject] {
    let glob = keys(pattern, values)
    return try await storage.objects(withPrefix: glob.prefix).filter { glob.matches($0.key) }
  }

  /// Whether an object can be written.
  public func isFree(_ path: String) async throws(Problem) -> Bool {
    try await prepare()
    let key = Array(try S3Location(path).key.utf8)
    return !state.withLock { $0.known.contains(key) }
  }

  /// Whether the pattern matches an object.
  public func hasEarlier() async throws(Problem) -> Bool { try await !earlier().isEmpty }

  /// Opens an object, which appears when all do.
  public func sink(_ path: String) throws(Problem) -> any ByteSink {
    let key = try S3Location(path).key, upload = storage.staged(key, replaces: existing != .append)
    state.withLock {
      $0.known.insert(Array(key.utf8))
      $0.uploads.append(upload)
    }
    return upload
  }

  // MARK: - Publishing

  /// Makes all objects visible, and removes those that they replace.
  ///
  /// An object that another process has added since is `busy`: the name of an upload is fixed.
  public func publish(
    _ files: [PartitionFile], of schema: Schema,
    numbered: (_ file: PartitionFile, _ number: Int) throws(Problem) -> String?
  ) async throws(Problem) -> [PartitionFile] {
    try await prepare()
    let uploads = state.withLock { $0.uploads }
    if existing == .refuse { try refuse(try await earlier().map { Array($0.key.utf8) }) }
    let obsolete = try await obsolete(files)
    guard !uploads.isEmpty || !obsolete.isEmpty else { return files }
    if uploads.count == 1, obsolete.isEmpty {
      try await uploads[0].publish()
      state.withLock { $0.isOpen = false }
      return files
    }
    let completions = uploads.compactMap(\.completion)
    guard completions.count == uploads.count else {
      throw Problem(.cancelled, "interrupted", at: pattern.root)
    }
    guard try await storage.put(text(completions, obsolete), at: list, replaces: false) else {
      throw Problem(.busy, "another process is writing there", at: pattern.root, hint: "run the command again later")
    }
    if existing == .append {
      let keys = Set(completions.map { Array($0.key.utf8) })
      if let other = try await earlier().first(where: { keys.contains(Array($0.key.utf8)) }) {
        try await storage.remove(list)
        throw Problem(
          .busy, "another process has written it since", at: storage.place(of: other.key), hint: "run the command again"
        )
      }
    }
    state.withLock { $0.isOpen = false }
    for upload in uploads { upload.detach() }
    do throws(Problem) { try await finish(completions, obsolete) } catch {
      var problem = error
      problem.hint = "run the export again: it completes this one first"
      throw problem
    }
    return files
  }

  /// Completes the uploads of a list, removes the objects that they replace, and removes the list.
  private func finish(_ completions: [S3Completion], _ removals: [StoredObject]) async throws(Problem) {
    let storage = self.storage
    try await Self.each(completions) { (plan) throws(Problem) in
      _ = try await S3Upload.complete(plan, replaces: true, storage)
    }
    try await Self.each(removals) { (object) throws(Problem) in try await storage.remove(object.key) }
    try await storage.remove(list)
  }

  /// Calls `body` for each item, several at a time.
  private static func each<Item: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) async throws(Problem) -> Void
  ) async throws(Problem) {
    var start = 0
    while start < items.count {
      let part = items[start..<min(start + atATime, items.count)]
      let problem = await withTaskGroup(of: Problem?.self) { group in
        for item in part {
          group.addTask {
            do throws(Problem) {
              try await body(item)
              return nil
            } catch { return error }
          }
        }
        var first: Problem?
        for await problem in group { first = first ?? problem }
        return first
      }
      if let problem { throw problem }
      start += part.count
    }
  }

  private func obsolete(_ files: [PartitionFile]) async throws(Problem) -> [StoredObject] {
    var found: [[UInt8]: StoredObject] = [:]
    switch existing {
    case .refuse, .append: return []
    case .replace: for object in try await earlier() { found[Array(object.key.utf8)] = object }
    case .replacePartitions:
      var partitions: Set<[PartitionValue]> = []
      for file in files where partitions.insert(file.values).inserted {
        for object in try await earlier(file.values) { found[Array(object.key.utf8)] = object }
      }
    }
    for file in files { found[Array(try S3Location(file.path).key.utf8)] = nil }
    // Some servers list no tags.
    for (key, object) in found where object.tag == nil { found[key] = try await storage.object(object.key) }
    return found.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Aborts what was sent.
  public func abandon() async {
    let uploads = state.withLock { state in
      defer { state.uploads = [] }
      return state.isOpen ? state.uploads : []
    }
    for upload in uploads { await upload.abandon() }
  }

  // MARK: - Completing an earlier export

  private static let version: Int64 = 2

  private func text(_ completions: [S3Completion], _ removals: [StoredObject]) -> [UInt8] {
    JSON.object([
      "bb": .number(Self.version), "pattern": .string(pattern.text),
      "uploads": .array(
        completions.map { plan in
          .array([
            .string(plan.key), .string(plan.id), .string(plan.mark),
            .array(
              plan.parts.map { .array([.number(Int64($0.number)), .string($0.tag), .string($0.checksum)]) }),
          ])
        }),
      "removals": .array(removals.map { .array([.string($0.key), .string($0.tag ?? "")]) }),
    ]).canonicalBytes
  }

  private func completeEarlier() async throws(Problem) {
    guard try await storage.object(list) != nil else { return }
    let bytes = try await storage.bytes(of: list, in: nil), place = storage.place(of: list)
    func invalid(_ message: String) -> Problem { Problem(.badData, message, at: place, hint: "remove the list") }
    guard let object = try? JSON.parse(bytes, name: place) else { throw invalid("not a list of uploads") }
    if object["bb"]?.integerValue == 1 {
      throw Problem(
        .badData, "a list of uploads of an earlier version", at: place,
        hint: "run the earlier version of bb once, or remove the list")
    }
    guard object["bb"]?.integerValue == Self.version, let text = object["pattern"]?.stringValue,
      text == pattern.text
    else { throw invalid("the list is not one of uploads of this export") }
    let pattern = keys(pattern)
    func check(_ key: String?) throws(Problem) {
      guard let key, pattern.matches(key) else {
        throw invalid("the list names an object that is not of the export: “\(key ?? "")”")
      }
    }
    var completions: [S3Completion] = []
    for item in object["uploads"]?.arrayValue ?? [] {
      let values = item.arrayValue ?? [], names = values.prefix(3).compactMap(\.stringValue)
      try check(names.first)
      guard names.count == 3, let parts = values.last?.arrayValue else { throw invalid("not a list of uploads") }
      var read: [S3Upload.Part] = []
      for part in parts {
        guard let fields = part.arrayValue, fields.count == 3, let number = fields[0].integerValue,
          let tag = fields[1].stringValue, let checksum = fields[2].stringValue
        else { throw invalid("not a list of uploads") }
        read.append(S3Upload.Part(number: Int(number), tag: tag, checksum: checksum))
      }
      completions.append(S3Completion(key: names[0], id: names[1], mark: names[2], parts: read))
    }
    var removals: [StoredObject] = []
    for item in object["removals"]?.arrayValue ?? [] {
      let values = (item.arrayValue ?? []).compactMap(\.stringValue)
      try check(values.first)
      guard let now = try await storage.object(values[0]) else { continue }
      guard let tag = now.tag, values.last == tag else {
        throw invalid("an object is not the one in the list: “\(values[0])”")
      }
      removals.append(now)
    }
    do throws(Problem) { try await finish(completions, removals) } catch {
      guard error.kind == .io else { throw error }
      var problem = error
      problem.hint = "an earlier export was interrupted and cannot be completed; remove \(place) to begin again"
      throw problem
    }
  }
}
