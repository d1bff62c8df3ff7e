import Codecs
import Domain
import Rows

protocol TableDatabase: AnyObject, Sendable {
  var name: String { get }
  /// The number of bytes that were written to its place.
  var bytes: Int { get }
  /// Adds the rows of a table.
  /// - Parameters:
  ///   - hasKey: whether no value of the key is null.
  ///   - decimals: the shapes of columns of decimals, by position.
  func add(
    _ definition: SQLiteDefinition, of schema: Schema, hasKey: Bool, _ decimals: [Int: DecimalShape],
    _ rows: any RowStream
  ) async throws(Problem)
  func copy() async throws(Problem)
  func publish() async throws(Problem)
  func abandon() async
}

/// A database whose other contents stay: tables are added, or rows of a table, in one transaction.
@safe final class ExistingDatabase: TableContainer, TableDatabase, @unchecked Sendable {
  let name: String
  let bytes = 0
  private let directory: String
  private let existing: ExistingOutput
  /// Open from the first table to the commit. One task at a time uses it.
  private var transaction: Transaction?

  /// A transaction, rolled back unless it is committed.
  private final class Transaction {
    let connection: SQLiteConnection

    init(_ path: String) throws(Problem) {
      connection = try SQLiteConnection.open(path: path, .writing)
      try connection.execute("BEGIN IMMEDIATE")
    }

    /// The table of a name, ignoring case as SQLite does; nil if there is none.
    /// - Throws: `usage` for a view.
    func table(_ name: String) throws(Problem) -> SQLiteTable? {
      let kind = try connection.prepare("SELECT type, sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE")
      try kind.bind(1, text: name)
      guard try kind.step() else { return nil }
      guard kind.text(0) == "table", !kind.text(1).lowercased().hasPrefix("create virtual") else {
        throw Problem(.usage, "“\(name)” is not a plain table", at: connection.place, hint: "choose another name")
      }
      return try SQLiteTable.all(connection).first { $0.name.lowercased() == name.lowercased() }
    }
  }

  init(_ path: String, _ existing: ExistingOutput, directory: String) {
    (name, self.existing, self.directory) = (path, existing, directory)
  }

  func sink(for schema: Schema, options: ExportOptions) async throws(Problem) -> any RowSink {
    try TableSink(schema, try SQLiteExporter.policy(options), directory: directory, in: self)
  }

  func add(
    _ definition: SQLiteDefinition, of schema: Schema, hasKey: Bool, _ decimals: [Int: DecimalShape],
    _ rows: any RowStream
  ) async throws(Problem) {
    let transaction: Transaction
    if let open = self.transaction { transaction = open } else { transaction = try Transaction(name) }
    self.transaction = transaction
    let table = schema.name.quotedForSQL, known = try transaction.table(schema.name)
    guard let known, existing != .replace else {
      if known != nil { try transaction.connection.execute("DROP TABLE \(table)") }
      try transaction.connection.execute(definition.text)
      let insertion = try SQLiteInsertion(
        schema, into: table, isPlain: true, hasKey: hasKey, decimals: decimals, transaction.connection)
      return try await Self.insert(rows, insertion)
    }
    let target = try matched(schema, known)
    if existing == .truncate { try transaction.connection.execute("DELETE FROM \(table)") }
    let conflict = existing == .upsert ? Self.conflict(target.schema) : ""
    do throws(Problem) {
      let insertion = try SQLiteInsertion(
        target.schema, into: table, isPlain: true, hasKey: existing == .upsert, numeric: target.numeric,
        conflict: conflict, transaction.connection)
      try await Self.insert(rows, insertion)
    } catch {
      guard error.message.hasPrefix("ON CONFLICT clause") else { throw error }
      let columns = target.schema.key.map { target.schema.columns[$0].name }
      let index = "\(schema.name)_\(columns.joined(separator: "_"))".quotedForSQL
      let list = columns.map(\.quotedForSQL).joined(separator: ", ")
      throw Problem(
        .usage, "\(schema.name) has no primary key or unique index on \(columns.joined(separator: ", "))", at: name,
        hint: "create one with sqlite3: CREATE UNIQUE INDEX \(index) ON \(table)(\(list))")
    }
  }

  private static func insert(_ rows: any RowStream, _ insertion: consuming SQLiteInsertion) async throws(Problem) {
    let ahead = PrefetchingRows(rows)
    var count = 0
    while let batch = try await ahead.next() {
      do throws(Problem) { try insertion.insert(batch) } catch { throw error.following(rows: count) }
      count += batch.count
    }
  }

  /// The columns of the rows with the types in which the table keeps them without a change, and the positions of those
  /// that it keeps as numbers of SQLite.
  private func matched(_ schema: Schema, _ table: SQLiteTable) throws(Problem) -> (schema: Schema, numeric: Set<Int>) {
    var declared: [String: String] = [:], numeric: Set<Int> = [], texts: Set<Int> = []
    for column in table.columns { declared[column.name.lowercased()] = column.declared.uppercased() }
    for (position, column) in schema.columns.enumerated() {
      guard let type = declared[column.name.lowercased()] else {
        let common = schema.columns.filter { declared[$0.name.lowercased()] != nil }.map(\.name)
        throw Problem(
          .usage, "the table \(table.name) has no column “\(column.name)”", at: name,
          hint: common.isEmpty
            ? .set(.existingOutput, to: "replace")
            : .set(.columns, to: common.map(NameListParser.written).joined(separator: ",")))
      }
      // The affinities of SQLite, by its own rules.
      if type.contains("INT") {
        numeric.insert(position)
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
        if column.type != .bytes { texts.insert(position) }
      } else if !type.isEmpty, !type.contains("BLOB"), type != "ANY" || !table.isStrict {
        numeric.insert(position)
      }
    }
    var key = schema.key.map { schema.columns[$0].name }
    if existing == .upsert, key.isEmpty { key = table.key }
    if existing == .upsert, key.isEmpty || !key.allSatisfy({ schema.position(of: $0) != nil }) {
      throw Problem(
        .usage,
        key.isEmpty ? "\(table.name) has no primary key" : "the rows have no column \(key.joined(separator: ", "))",
        at: name, hint: .set(.outputKey))
    }
    let typed = schema.retyped { texts.contains($0) ? .text : nil }
    return (Schema(typed.name, typed.summary, key: key, columns: typed.columns), numeric)
  }

  /// The clause that updates the row with the same key.
  private static func conflict(_ schema: Schema) -> String {
    let names = schema.columns.map(\.name.quotedForSQL)
    let sets = names.indices.filter { !schema.key.contains($0) }.map { "\(names[$0]) = excluded.\(names[$0])" }
    return " ON CONFLICT(\(schema.key.map { names[$0] }.joined(separator: ", "))) DO "
      + (sets.isEmpty ? "NOTHING" : "UPDATE SET \(sets.joined(separator: ", "))")
  }

  func copy() async throws(Problem) {}
  func publish() async throws(Problem) {
    try transaction?.connection.execute("COMMIT")
    transaction = nil
  }
  func commit() async throws(Problem) { try await publish() }
  func abandon() async { transaction = nil }
}
