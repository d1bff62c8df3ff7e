import Files
public import Query
public import Rows

/// The tables and views of a PostgreSQL database as records.
public actor PostgresSource: RecordSource {
  private let queue = QueueExecutor("bb.postgres.source")
  /// The source's own queue: its calls wait for the server.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  /// The server and the database, without secrets.
  public nonisolated let name: String
  private let location: PostgresLocation
  private let types: ColumnTypes
  /// A connection with a transaction in which everything is read; nil for transactions of their own.
  private let current: PostgresConnection?

  /// Creates a source. Nothing is opened yet.
  /// - `types`: types of columns that are not to be those of the table, by name.
  public init(_ location: PostgresLocation, types: ColumnTypes = [:]) { self.init(location, types: types, within: nil) }

  /// - Parameter current: a connection with a transaction in which everything is read.
  init(_ location: PostgresLocation, types: ColumnTypes, within current: PostgresConnection?) {
    self.location = location
    self.current = current
    self.types = types
    name = location.name
  }

  /// - Parameter snapshot: the state of the database that another connection has exported.
  private func open(snapshot: String? = nil) throws(Problem) -> PostgresConnection {
    let connection: PostgresConnection
    if let current {
      connection = current
    } else {
      connection = try PostgresConnection.open(location)
      try connection.begin(.reading, search: true)
    }
    if let snapshot = snapshot ?? location.snapshot { try connection.execute("SET TRANSACTION SNAPSHOT '\(snapshot)'") }
    // The order of the rows is that of the table, also when others read it.
    try connection.execute(
      "SET LOCAL synchronize_seqscans = off; SET LOCAL max_parallel_workers_per_gather = 0")
    return connection
  }

  /// The tables and views that the user can read, those of other schemas than `public` as `SCHEMA.TABLE`.
  public func tables() throws(Problem) -> [Schema] {
    let connection = try open()
    let tables =
      if let name = location.table {
        [try found(name, connection)]
      } else {
        try PostgresTable.all(connection)
      }
    return tables.filter { !$0.columns.isEmpty }.map {
      schema($0, Array($0.columns.indices), named: $0.name.description)
    }
  }

  private func found(_ table: PostgresName, _ connection: PostgresConnection) throws(Problem) -> PostgresTable {
    if let found = try PostgresTable.find(table, connection) { return found }
    let names = try PostgresTable.names(connection).map(\.description)
    throw Problem(
      .noInput, "table not found: “\(table)”", at: name,
      hint: .choose(table.description, from: names, "available tables"))
  }

  /// The columns of a table, with or without its schema.
  public func schema(of table: String) throws(Problem) -> Schema? {
    try PostgresTable.find(try PostgresName(parsing: table), try open()).map {
      schema($0, Array($0.columns.indices), named: $0.name.description)
    }
  }

  /// The table that the location names, or the only one.
  public func mainTable() throws(Problem) -> String? {
    if let table = location.table { return table.description }
    let names = try PostgresTable.names(open())
    return names.count == 1 ? names[0].description : nil
  }

  private func schema(
    _ table: PostgresTable, _ positions: [Int], _ json: Set<String> = [], named name: String
  ) -> Schema {
    let key = table.key.allSatisfy(positions.contains) ? table.key.map { table.columns[$0].name } : []
    return Schema(
      name, key: key,
      columns: positions.map { position in
        let column = table.columns[position]
        let isKey = table.key.contains(position)
        return ColumnDescription(
          column.name, column.reading(as: types[column.name] ?? (json.contains(column.name) ? .json : nil)).type,
          nullable: !column.isRequired && !isKey)
      })
  }

  /// The rows of a table, as they are now.
  /// - Throws: `noInput` for a missing table; `usage` for a type of a missing column.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    try await rows(of: table, request, json: [])
  }

  /// The rows in a part of the pages of a table; nil for a view, whose rows are in no pages.
  public func part(
    _ shard: Shard, of table: String, _ request: RowRequest
  ) async throws(Problem) -> (any RowStream)? {
    guard let found = try PostgresTable.find(try PostgresName(parsing: table), try open()) else {
      return try await rows(of: table, request)
    }
    return ["r", "m"].contains(found.kind) ? try await rows(of: table, request, json: [], shard) : nil
  }

  /// - Parameter json: the columns of arrays that are JSON, because not all their values are lists.
  private func rows(
    of table: String, _ request: RowRequest, json: Set<String>, _ shard: Shard? = nil
  ) async throws(Problem) -> any RowStream {
    let connection = try open()
    let name = try PostgresName(parsing: table)
    let found = try found(name, connection)
    for column in types.names where !found.columns.contains(where: { $0.name.utf8.elementsEqual(column.utf8) }) {
      throw Problem(
        .usage, "“\(table)” has no column “\(column)”", hint: .choose(column, from: found.columns.map(\.name)))
    }
    var positions = found.columns.indices.filter { position in
      request.columns?.contains { $0.utf8.elementsEqual(found.columns[position].name.utf8) } ?? true
    }
    if request.columns?.isEmpty == true, shard == nil {
      let count = try connection.integer("SELECT count(*) FROM \(name.sql)")
      return BufferedRows(schema: Schema(name.table, columns: []), batches: [RowBatch(rows: Int(count))])
    }
    // COPY cannot send rows without columns.
    if positions.isEmpty { positions = Array(found.columns.indices) }
    guard !positions.isEmpty else {
      throw Problem(.badData, "the table has no columns", at: "\(self.name): \(table)")
    }
    func reading(_ column: PostgresTable.Column) -> PostgresTable.Column.Reading {
      column.reading(as: types[column.name] ?? (json.contains(column.name) ? .json : nil))
    }
    let readings = positions.map { reading(found.columns[$0]) }
    let filter = SQLFilter(
      request.selection,
      onServer: found.columns.map { column in
        let reading = reading(column)
        let isText = PostgresType(rawValue: column.type) == .text || PostgresType(rawValue: column.type) == .varchar
        return SQLFilter.Column(column.name, reading.type, isComparable: reading.form == .integer || isText)
      })
    // An index would give the rows in another order.
    let isTable = ["r", "m", "p"].contains(found.kind)
    let order = filter.conditions.isEmpty || !isTable ? "" : " ORDER BY tableoid, ctid"
    let selected = "SELECT \(readings.map(\.sql).joined(separator: ", ")) FROM \(name.sql)" + filter.whereClause
    let query = selected + order + filter.limitClause
    let hasLists = zip(readings, positions).contains { reading, position in
      if case .list = reading.type { types[found.columns[position].name] == nil } else { false }
    }
    let widening = PostgresWidening { (more) async throws(Problem) in
      try await self.rows(of: table, request, json: json.union(more), shard)
    }
    let decoding = PostgresDecoding(
      forms: readings.map(\.form), schema: schema(found, positions, json, named: name.table),
      place: "\(self.name): \(name)", widening: hasLists ? widening : nil)
    if let shard {
      // As the server has them now: the statistics may be those of another time for each part.
      let pages = try connection.integer(
        "SELECT pg_relation_size(\(PostgresText.literal(name.sql) ?? "NULL")::regclass) / current_setting('block_size')::int"
      )
      let statements = PostgresRangeRows.statements(
        selected + (filter.conditions.isEmpty ? " WHERE" : " AND"), order + filter.limitClause, pages: Int(pages),
        of: shard)
      return PostgresRangeRows([connection], statements, decoding)
    }
    guard filter.conditions.isEmpty, filter.limit == nil, current == nil,
      let others = try helpers(of: connection, found, cores: request.cores)
    else { return try await PostgresRows(connection, query, decoding, endsTransaction: current == nil) }
    return PostgresRangeRows(
      [connection] + others, PostgresRangeRows.statements("\(query) WHERE", pages: found.pages), decoding)
  }

  /// Further connections that see the same state of the database; nil where one connection is better, or the server
  /// allows no more.
  private func helpers(
    of connection: PostgresConnection, _ table: PostgresTable, cores: Int
  ) throws(Problem) -> [PostgresConnection]? {
    // A pooler may have no second connection until the first is given back.
    guard cores > 1, table.pages >= Self.manyPages, connection.serverVersion >= 140_000,
      try !connection.isPooled()
    else { return nil }
    let snapshot = try connection.query("SELECT pg_catalog.pg_export_snapshot()").text(0, 0)
    var others: [PostgresConnection] = []
    while others.count < min(cores, Self.mostConnections) - 1 {
      guard let other = try? open(snapshot: snapshot) else { break }
      others.append(other)
    }
    return others.isEmpty ? nil : others
  }

  /// From this size on, several connections are faster than one. 64 MiB.
  private static let manyPages = 8192
  private static let mostConnections = 4
}
