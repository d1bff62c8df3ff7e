public import Domain
import Files
import Glibc
public import Rows

/// A kind of storage, as a value.
public struct StoreFactory: Sendable {
  /// The word before the colon of a location: `sqlite`.
  public let scheme: String
  /// One sentence without a full stop.
  let summary: String
  /// Suffixes of paths that mean it, without the dot.
  let suffixes: [String]
  /// The kind of location.
  public let kind: Kind
  /// Whether what it keeps outlives the process; those that do not are for tests, and not in the help.
  public let isDurable: Bool
  /// The storage at a path. Nothing is opened yet.
  public let open: @Sendable (_ path: String, _ scratch: any ScratchSpace) -> any RecordStore

  /// A kind of store that is opened by its scheme, and by paths that end in one of `suffixes`.
  public init(
    scheme: String, summary: String, suffixes: [String] = [], kind: Kind, isDurable: Bool = true,
    open: @escaping @Sendable (_ path: String, _ scratch: any ScratchSpace) -> any RecordStore
  ) {
    (self.scheme, self.summary, self.suffixes, self.kind) = (scheme, summary, suffixes, kind)
    (self.isDurable, self.open) = (isDurable, open)
  }

  /// The kinds of locations.
  public enum Kind: Sendable, Hashable {
    case file
    case directory
    case server
    /// Nothing outside the process.
    case memory
  }
}

/// The location of a store: a kind and a path, as in `csv:DIR`, or a server, as in `postgres://HOST/DATABASE`.
public struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
  /// The kind's word.
  public let scheme: String
  /// The file or directory; of a server all that follows the colon, which may have a password.
  public let path: String
  /// The storage of kind `scheme` at `path`.
  public init(scheme: String, path: String) {
    self.scheme = scheme
    self.path = path
  }
  /// `csv:directory`; a server without secrets.
  public var description: String { server?.name ?? "\(scheme):\(path)" }

  /// The server; nil for files and directories.
  var server: PostgresLocation? { scheme == "postgres" ? try? PostgresLocation("postgres:\(path)") : nil }
}

/// The kinds of storage there are; each passes the same laws.
public struct StoreRegistry: Sendable {
  /// The kinds, in the order of the help.
  public let factories: [StoreFactory]
  private let scratch: any ScratchSpace
  /// The directory of the images of stores on servers.
  private let serverImages: String
  private let directories: [DirectoryFormat]
  /// Whether servers may not be reached.
  public var isOffline = false

  /// Creates a registry of all kinds of stores.
  /// - Parameters:
  ///   - scratch: for data that outgrows memory.
  ///   - known: the datasets of the program. A directory store needs no description of their columns, and an SQLite
  ///     store creates their search index when they are loaded.
  ///   - maximumField: bytes of a field of a file, and of a row of a database, that bb did not create; nil for 16 MiB.
  ///   - timeout: seconds that a view of such a database may run without returning a row; 0 for no limit, nil for 30.
  ///   - serverImages: the directory of the images of stores on servers.
  ///   - others: further kinds of stores.
  public init(
    scratch: any ScratchSpace, known: [Schema], maximumField: Int? = nil, timeout: Int? = nil,
    serverImages: String = "", adding others: [StoreFactory] = []
  ) {
    self.init(
      scratch: scratch, known: known, directories: DirectoryFormat.all, maximumField: maximumField, timeout: timeout,
      serverImages: serverImages, adding: others)
  }

  /// The same with other kinds of directory stores.
  package init(
    scratch: any ScratchSpace, known: [Schema], directories: [DirectoryFormat], maximumField: Int? = nil,
    timeout: Int? = nil, serverImages: String = "", adding others: [StoreFactory] = []
  ) {
    self.scratch = scratch
    self.serverImages = serverImages
    self.directories = directories
    var limits = SQLiteLimits()
    limits.field = maximumField ?? limits.field
    limits.seconds = timeout ?? limits.seconds
    let database = StoreFactory(
      scheme: "sqlite", summary: "an SQLite database", suffixes: ["db", "sqlite", "sqlite3"], kind: .file
    ) { [limits] path, _ in SQLiteStore(path: path, known: known, limits) }
    let memory = StoreFactory(
      scheme: "memory", summary: "in memory only", kind: .memory, isDurable: false
    ) { _, _ in MemoryStore() }
    let server = StoreFactory(
      scheme: "postgres", summary: "a schema of a PostgreSQL database", kind: .server
    ) { path, _ in
      // `location` refuses what cannot be parsed; so does the server's library.
      PostgresStore((try? PostgresLocation("postgres:\(path)")) ?? .malformed)
    }
    let kinds = directories.map { format in
      StoreFactory(scheme: format.scheme, summary: format.summary, kind: .directory) {
        path, scratch in
        DirectoryStore(path, format, scratch: scratch, known: known, maximumField: maximumField)
      }
    }
    factories = [database] + kinds + [server, memory] + others
  }

  /// The storage that a location's text means.
  /// - Throws: as `location`.
  public func open(_ text: String) throws(Problem) -> any RecordStore { open(try location(text)) }

  /// The storage at a location. Nothing is opened yet.
  public func open(_ location: StoreLocation) -> any RecordStore {
    let factory = factories.first { $0.scheme == location.scheme } ?? factories[0]
    return factory.open(location.path, scratch)
  }

  /// The location that a text names: `csv:DIR`, or a path, whose kind its suffix or its contents show.
  /// - Throws: `usage` with a hint if the kind is unknown.
  public func location(_ text: String) throws(Problem) -> StoreLocation {
    if PostgresLocation.isLocation(text), let colon = text.unicodeScalars.firstIndex(of: ":") {
      let server = try PostgresLocation(text)
      if isOffline, !server.isLocal {
        throw Problem(.unavailable, "offline mode is set", at: server.name, hint: .omit(.offline))
      }
      return StoreLocation(scheme: "postgres", path: String(text[text.index(after: colon)...]))
    }
    if let colon = text.unicodeScalars.firstIndex(of: ":") {
      let scheme = text[..<colon].lowercased(), path = String(text[text.index(after: colon)...])
      if let factory = factories.first(where: { $0.scheme == scheme }) {
        guard !path.isEmpty || !factory.isDurable else {
          throw Problem(.usage, "missing path in store “\(text)”", hint: "use \(scheme):PATH")
        }
        if factory.kind == .directory, Self.isFile(path) { throw Self.isNoStorage("is a file, not a directory", path) }
        return StoreLocation(scheme: scheme, path: Self.trimmed(path))
      }
      let isWord = !scheme.isEmpty && scheme.utf8.allSatisfy { $0 &- 97 < 26 || $0 &- 48 < 10 }
      if isWord, unsafe access(text, F_OK) != 0 {
        let near = SpellingSuggestion.word(to: scheme, among: schemes).map {
          Remedy.advice("did you mean \($0):\(path)?")
        }
        throw Problem(
          .usage, "unknown store type “\(scheme)”", hint: near ?? .choose("", from: schemes, "available types"))
      }
    }
    guard !text.isEmpty else { throw Problem(.usage, "missing path of the store", hint: "use \(examples)") }
    let path = Self.trimmed(text)
    guard let scheme = try scheme(of: path) else {
      let prefixed = factories.filter { $0.isDurable && $0.kind != .server }.map { "\($0.scheme):\(text)" }
      throw Problem(
        .usage, "cannot tell the type of store “\(text)”",
        hint: "use a prefix: \(prefixed.joined(separator: " or "))")
    }
    return StoreLocation(scheme: scheme, path: path)
  }

  /// The kind of the store at a location.
  public func kind(of location: StoreLocation) -> StoreFactory.Kind? {
    factories.first { $0.scheme == location.scheme }?.kind
  }

  /// Whether a text begins with the scheme of a store.
  public func isNamed(_ text: String) -> Bool {
    URLText.scheme(of: text).map { scheme in factories.contains { $0.scheme == scheme } } ?? false
  }

  /// Whether there is anything at a location; an empty directory is nothing, nor is one with hidden files only, as
  /// version control makes them.
  public func exists(_ location: StoreLocation) throws(Problem) -> Bool {
    if let server = location.server { return try PostgresStore.exists(at: server) }
    guard try FileStamp.now(at: location.path) != nil else { return false }
    var status = stat()
    let isDirectory = unsafe stat(location.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard isDirectory else { return true }
    return try DirectoryListing.names(location.path)?.contains { !$0.hasPrefix(".") || $0 == ".bb" } == true
  }

  /// Makes the directory at a location a store. Files that bb did not create are kept and only read.
  /// - Throws: `cannotCreate` if it is a store already, `usage` for a kind that does not need this.
  public func claim(_ location: StoreLocation) async throws(Problem) {
    guard let format = directories.first(where: { $0.scheme == location.scheme }) else {
      throw Problem(
        .usage, "\(location) does not need init", hint: "it is created when you add the first record")
    }
    try await DirectoryInitializer.make(location.path, format, name: location.description)
  }

  /// Has git merge the tables of a directory store by key and field, where its merge driver `bb` is set up.
  /// - Throws: `usage` for another kind of store.
  public func mergeTables(of location: StoreLocation) throws(Problem) {
    guard directories.contains(where: { $0.scheme == location.scheme }) else {
      throw Problem(.usage, "git merges only directories of CSV or JSON files", at: location.description)
    }
    let path = "\(location.path)/\(MergedManifest.attributesName)"
    let known = try FileByteSource.ifPresent(path)?.bytes(limit: 1 << 20) ?? Array(MergedManifest.attributes.utf8)
    let lines = Array(MergedManifest.tables.utf8)
    guard known.firstRange(of: lines) == nil else { return }
    let sink = try FileSink(path: path)
    try sink.append(known + (known.last ?? 0x0A == 0x0A ? [] : [0x0A]) + lines)
    _ = try sink.flush()
    try sink.publish()
  }

  /// Writes a merge of three versions of a file over `ours`: for git.
  /// The place of the file in its store is `path`.
  /// - Returns: the number of conflicts; nil if it is not a table with a key of a directory store.
  public func merge(base: String, ours: String, theirs: String, of path: String) async throws(Problem) -> Int? {
    let (directory, file) = Temporaries.split(path)
    guard let kind = try DirectoryStore.manifest(of: directory, nil)?.storage,
      let format = directories.first(where: { $0.scheme == kind })
    else { return nil }
    return try await DirectoryStore(directory, format, scratch: scratch)
      .merge(base: base, ours: ours, theirs: theirs, of: file)
  }

  /// Creates a store that appears when it is complete: `fill` writes it under a temporary name.
  ///
  /// - Parameters:
  ///   - location: the place of the new store.
  ///   - old: a store whose images are copied.
  ///   - fill: writes the contents into the new store.
  /// If the process is killed, the next call removes the incomplete store.
  /// - Throws: `cannotCreate` if the location exists; the errors of `fill`.
  public func make<Result>(
    _ location: StoreLocation, withPicturesOf old: StoreLocation? = nil,
    _ fill: (any RecordStore) async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    if let server = location.server { return try await make(server, location, withPicturesOf: old, fill) }
    let target = location.path
    if try exists(location) {
      throw Problem(
        .cannotCreate, "already exists", at: location.description, hint: "choose a location for a new store")
    }
    try ReplacementGuard.checkPlace(ofStore: target, name: location.description)
    let (directory, _) = Temporaries.split(target)
    try DirectoryListing.makeStore(directory)
    DirectoryListing.removeLeftovers(directory)
    let temporary = Temporaries.name(beside: target)
    do throws(Problem) {
      let place = StoreLocation(scheme: location.scheme, path: temporary)
      let result = try await fill(open(place))
      do throws(Problem) {
        try SQLiteDatabase(path: temporary).settle()
      } catch {
        throw Problem(error.kind, error.message, at: target, hint: error.hint)
      }
      if let old { try images(of: place).copyAll(from: images(of: old)) }
      // The images of a database first: without it they are not used.
      if unsafe access(temporary + ".files", F_OK) == 0, unsafe rename(temporary + ".files", target + ".files") != 0 {
        throw Problem.posix(errno, "rename", target + ".files")
      }
      guard unsafe rename(temporary, target) == 0 else {
        if errno == ENOTEMPTY || errno == EEXIST {
          throw Problem(
            .cannotCreate, "the directory has hidden files", at: location.description,
            hint: "migrate to a new directory, and move what is in it, .bb too, to this one")
        }
        throw Problem.posix(errno, "rename", target)
      }
      do throws(Problem) { try DirectoryListing.flush(directory) } catch { throw error.afterSaving("the new store") }
      return result
    } catch {
      DirectoryListing.removeAll(temporary)
      DirectoryListing.removeAll(temporary + ".files")
      throw error
    }
  }

  /// The images of the store at a location.
  public func images(of location: StoreLocation) -> StoredImages {
    guard let server = location.server else { return StoredImages(location) }
    return StoredImages(directory: "\(serverImages)/\(TableFileName.stem(of: server.name))")
  }

  /// Creates a store on a server: in a schema of another name, until it is complete.
  private func make<Result>(
    _ server: PostgresLocation, _ location: StoreLocation, withPicturesOf old: StoreLocation?,
    _ fill: (any RecordStore) async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    let target = PostgresStore(server)
    if try exists(location) {
      throw Problem(
        .cannotCreate, "already exists", at: server.name, hint: "choose a location for a new store")
    }
    let building = PostgresStore(server, schema: String("bb_new_\(target.format.schema)".prefix(PostgresName.longest)))
    // Of a migration that was interrupted.
    try await building.removeAll()
    do throws(Problem) {
      let result = try await fill(building)
      if let old { try images(of: location).copyAll(from: images(of: old)) }
      try await building.rename(to: target.format.schema)
      return result
    } catch {
      try? await building.removeAll()
      throw error
    }
  }

  private var schemes: [String] { factories.filter(\.isDurable).map(\.scheme) }
  private var examples: String {
    factories.filter(\.isDurable).map { $0.kind == .server ? "\($0.scheme)://HOST/DATABASE" : "\($0.scheme):PATH" }
      .joined(separator: ", ")
  }

  /// The kind by suffix, otherwise by the contents; nil if neither shows it.
  private func scheme(of path: String) throws(Problem) -> String? {
    let last = Temporaries.split(path).name
    let suffix =
      last.unicodeScalars.lastIndex(of: ".").map { String(last[last.index(after: $0)...]).lowercased() } ?? ""
    let bySuffix = factories.first { $0.suffixes.contains(suffix) }?.scheme
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return bySuffix }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      if bySuffix != nil { return bySuffix }
      if try FileFormat.sqlite.begins(at: path) { return "sqlite" }
      throw Self.isNoStorage("is a file, not a store", path)
    }
    // A damaged manifest is reported when the store is opened.
    if let manifest = try? DirectoryStore.manifest(of: path, nil), let storage = manifest.storage { return storage }
    let files = try DirectoryListing.names(path) ?? []
    let sidecars = directories.compactMap(\.sidecarSuffix)
    let tables = files.filter { file in file != DirectoryManifest.name && !sidecars.contains { file.hasSuffix($0) } }
    let found = directories.filter { format in tables.contains { $0.hasSuffix(format.tableSuffix) } }
    return found.count == 1 ? found[0].scheme : nil
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func isNoStorage(_ what: String, _ path: String) -> Problem {
    Problem(.usage, what, at: path, hint: .set(.inputFile, to: path, for: "read it"))
  }

  private static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

extension FileFormat {
  /// Whether the file at `path` begins as files of this format do.
  func begins(at path: String) throws(Problem) -> Bool {
    var beginning = ArenaBuilder(capacity: 4096)
    _ = try FileByteSource(path: path).read(into: &beginning, limit: 4096)
    return FileFormat(beginning: beginning.bytes) == self
  }
}
