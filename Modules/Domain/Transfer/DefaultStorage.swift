public import Query
public import Rows

/// The storage that is used when none is named: datasets that are not in it yet are empty.
public struct DefaultStorage: RecordSource {
  private let store: any RecordStore

  /// `store`, which need not be there.
  public init(_ store: any RecordStore) { self.store = store }

  /// The storage's name.
  public var name: String { store.name }

  /// The storage's tables.
  public func tables() async throws(Problem) -> [Schema] { try await store.tables() }

  /// The rows of a table; none when the storage does not have the dataset yet.
  /// - Throws: `noInput` for a table that is neither there nor a dataset.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    do throws(Problem) {
      return try await store.rows(of: table, request)
    } catch {
      guard error.kind == .noInput, let dataset = Catalog.all.first(where: { $0.name == table }) else { throw error }
      let wanted = dataset.columns.indices.filter { request.someColumns?.contains(dataset.columns[$0].name) ?? true }
      return BufferedRows(schema: dataset.projected(to: wanted), batches: [])
    }
  }
}
