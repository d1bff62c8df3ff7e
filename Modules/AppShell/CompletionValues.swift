package import CommandLineKit
package import Domain
import Query
package import Rows
import Sources
import Synchronization

/// The words of a command line that are known only when the program runs: columns and tables of the file that it
/// names, columns of its dataset, formats, records of the store.
package struct CompletionValues: Sendable {
  /// The records that an argument can name; none unless the program has records.
  package typealias Records =
    @Sendable (_ kind: String, CompletionPoint, AppServices) async throws(Problem)
    -> [Completion]

  private let datasets: [Schema], relations: [String], columns: [String]
  private let records: Records

  /// Describes the values of a program.
  /// - Parameters:
  ///   - datasets: the datasets.
  ///   - relations: the names of the relations between them.
  ///   - columns: the columns that are offered where neither a file nor the dataset is known.
  package init(
    datasets: [Schema], relations: [String] = [], columns: [String],
    records: @escaping Records = { (_, _, _) throws(Problem) in [] }
  ) {
    (self.datasets, self.relations, self.columns, self.records) = (datasets, relations, columns, records)
  }

  /// The bytes of a file that are read, and the time that this may take.
  static let size = 64 << 10, patience = Duration.milliseconds(100)

  /// The words of a kind; none if they cannot be found in time.
  func words(_ kind: String, _ point: CompletionPoint, _ context: CommandContext) async -> [Completion] {
    switch kind {
    case "format":
      let exporters = context.services.exporters
      let own = point.invocation.path == ["schema"] ? ExporterDescriptor.descriptions : []
      return (own.compactMap { try? exporters.named($0) } + exporters.all).map {
        Completion($0.descriptor.name, $0.descriptor.summary)
      }
    case "option": return context.program.assignments().map(\.completion)
    case "source": return (APIDescription.builtIn.map(\.name) + ["snapshot"]).map { Completion($0) }
    case "topic": return context.program.helpWords.map { Completion($0) }
    case "relation": return relations.map { Completion($0) }
    default: break
    }
    var found = await Self.within(Self.patience) { await self.read(kind, point, context.services) } ?? []
    if kind == "production", found.isEmpty { found = Self.titles(.builtIn) }
    // The shells quote names; in other values, quotes would be needed within.
    let isName = ["record", "tag", "production"].contains(kind)
    return found.filter {
      $0.text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || Self.isPlain(scalar)
          || isName && (scalar.properties.isGraphemeBase || scalar.properties.isGraphemeExtend)
      }
    }
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || "_-.:/=@+% ".unicodeScalars.contains(scalar)
  }

  private func read(_ kind: String, _ point: CompletionPoint, _ services: AppServices) async -> [Completion] {
    var services = services
    var options = APIOptions()
    options.offline = true
    services.connect(&services, options)
    if ["record", "tag"].contains(kind) { return (try? await records(kind, point, services)) ?? [] }
    if kind == "production" {
      guard let store = try? Self.store(point, services) else { return [] }
      return (try? await TitleNames(from: store)).map(Self.titles) ?? []
    }
    let file = await Self.file(point, services)
    if kind == "dataset" || kind == "table" {
      let tables = file?.tables ?? []
      return tables.count > 1
        ? tables.map { Completion($0, "table") } : file == nil ? datasets.map { Completion($0.name, $0.summary) } : []
    }
    let dataset = datasets.first {
      point.invocation.arguments.contains($0.name) || point.invocation.path.first == $0.name
    }
    let known = file?.columns ?? dataset.map(\.columns)
    let columns = known?.map { Completion($0.name, $0.type.name) } ?? self.columns.map { Completion($0) }
    switch kind {
    case "order" where point.word.contains(":"): return columns.map { Completion("\($0.text):desc", "descending") }
    case "type" where point.word.contains("="):
      return columns.flatMap { (column) in
        ColumnType.allCases.map { Completion("\(column.text)=\($0.name)", $0.name) }
      }
    case "type", "assignment": return columns.map { Completion($0.text + "=", $0.summary) }
    default: return columns
    }
  }

  /// The store that the command line or a setting names; nil if it does not exist.
  package static func store(_ point: CompletionPoint, _ services: AppServices) throws(Problem) -> (any RecordStore)? {
    let location =
      if let named = point.invocation.value(of: "storage") { named } else {
        try services.stores.defaultLocation().location
      }
    return try services.stores.exists(location) ? try services.stores.open(location) : nil
  }
  package static func titles(_ names: TitleNames) -> [Completion] {
    names.titles.map { Completion($0.short ?? $0.key, $0.name) }
  }

  /// The tables and columns of the first local file on the command line, as its beginning shows them.
  private static func file(
    _ point: CompletionPoint, _ services: AppServices
  ) async -> (tables: [String], columns: [ColumnDescription])? {
    let invocation = point.invocation
    for word in invocation.all("from") + invocation.arguments {
      guard let place = try? services.locations.location(word), !place.place.isRemote, !place.isTable,
        place.place.isFile, var options = try? FileInputOptions(invocation)
      else { continue }
      options.beginning = size
      guard let source = try? await services.sources.open(.file(place, options)) else { continue }
      let tables = ((try? await source.tables()) ?? []).map(\.name)
      let named = invocation.value(of: "table") ?? invocation.arguments.first { $0 != word && tables.contains($0) }
      let main = try? await source.mainTable()
      guard let table = named ?? main ?? tables.first else { return (tables, []) }
      return (tables, (try? await source.rows(of: table, RowRequest()))?.schema.columns ?? [])
    }
    return nil
  }

  /// The result of work; nil if it takes longer than `time`.
  private static func within<T: Sendable>(
    _ time: Duration, _ work: @escaping @Sendable () async -> T
  ) async -> T? {
    let waits = Mutex(true)
    let ends: @Sendable () -> Bool = {
      waits.withLock { (waits) in
        defer { waits = false }; return waits
      }
    }
    return await withCheckedContinuation { (continuation) in
      Task {
        let result = await work()
        if ends() { continuation.resume(returning: result) }
      }
      Task {
        try? await Task.sleep(for: time)
        if ends() { continuation.resume(returning: nil) }
      }
    }
  }
}
