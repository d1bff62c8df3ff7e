import CSQLite
import Codecs
public import Query
public import Rows

/// One SQL statement that reads the tables of any sources, executed by SQLite.
///
/// The columns that the statement reads are loaded into a private temporary database; the rows are those of a view of
/// it. Text is compared by bytes, timestamps as times. A column that the statement returns unchanged keeps its type.
public struct SQLQuery: Sendable {
  private let text: String
  private let tables: [Table]
  /// The names of the columns of the result.
  private let names: [String]
  /// What bb's own operators understand of it.
  private(set) var select: SQLSelect?

  private struct Table: Sendable {
    /// With the columns that the statement reads.
    let schema: Schema
    let source: any RecordSource
    var name: String { schema.name }

    func rows(_ cores: Int) async throws(Problem) -> any RowStream {
      try await source.rows(of: name, RowRequest(columns: schema.columns.map(\.name), cores: cores))
    }
  }

  /// The name of the statement in messages.
  static let place = "SQL statement"

  /// Checks a statement, and determines what it reads.
  /// - Throws: `usage` for what is not one statement that reads tables of `sources`, and for tables that have a name in
  ///   common, or columns that SQL does not distinguish, if the statement reads them.
  public init(_ sql: String, over sources: [any RecordSource]) async throws(Problem) {
    var schemas: [(schema: Schema, source: any RecordSource)] = [], conflicts: [String: Problem] = [:]
    for source in sources {
      for schema in try await source.tables() {
        if let other = schemas.first(where: { $0.schema.name.lowercased() == schema.name.lowercased() }) {
          conflicts[schema.name.lowercased()] =
            other.source.name == source.name
            ? Problem(
              .usage, "tables “\(other.schema.name)” and “\(schema.name)” have the same name in SQL", at: source.name)
            : Problem(
              .usage, "\(other.source.name) and \(source.name) both have a table “\(schema.name)”",
              hint: "rename one of the files")
          continue
        }
        // Files do not tell their columns before they are read.
        let isKnown = schema.width > 0
        schemas.append((isKnown ? schema : try await source.rows(of: schema.name, RowRequest()).schema, source))
      }
    }
    let connection = try SQLiteConnection.temporary(as: Self.place)
    try connection.registerTimeOrder()
    try connection.registerFunctions()
    for (schema, source) in schemas where conflicts[schema.name.lowercased()] == nil {
      do throws(Problem) { try connection.execute(Self.definition(schema)) } catch {
        guard error.message.hasPrefix("duplicate column name: ") else { throw error }
        conflicts[schema.name.lowercased()] = Problem(
          .badData, "table “\(schema.name)”: \(error.message) (SQL ignores case)", at: source.name)
      }
    }
    try connection.registerExactSums(isStrict: false)
    let statement: SQLiteConnection.CheckedStatement
    do throws(Problem) { statement = try connection.check(sql) } catch {
      throw Self.explained(error, schemas.map(\.schema), conflicts)
    }
    (text, names) = (statement.text, statement.names)
    select = SQLSelect(text)
    // SQLite does not report the columns that NATURAL and USING compare, nor then always their tables.
    let words = SQLWords(text)
    tables = schemas.compactMap { schema, source in
      if words.hidesColumns, words.names.contains(schema.name.lowercased()), conflicts[schema.name.lowercased()] == nil
      {
        return Table(schema: Schema(schema.name, columns: schema.columns), source: source)
      }
      guard let read = statement.columns[schema.name] else { return nil }
      let columns = schema.columns.filter { read.contains($0.name) }
      // Rows are counted by a column, whichever.
      return Table(
        schema: Schema(schema.name, columns: columns.isEmpty ? Array(schema.columns.prefix(1)) : columns),
        source: source)
    }
  }

  /// The same statement, all of which SQLite runs.
  var withoutOperators: SQLQuery {
    var copy = self
    copy.select = nil
    return copy
  }

  /// The rows that the statement returns.
  ///
  /// - Parameters:
  ///   - name: the name of the table of results.
  ///   - cores: on how many cores a source may read at once.
  ///   - scratch: for groups that do not fit into memory.
  /// - Throws: `badData` for a number that SQLite cannot hold; the errors of the sources.
  public func rows(
    named name: String, cores: Int, scratch: any ScratchSpace = NoScratch()
  ) async throws(Problem) -> any RowStream {
    guard tables.count == 1 else { return try await rows(named: name, cores: cores, scratch, of: nil) }
    let read = try await tables[0].rows(cores)
    // Types are those of all rows, of which a limit may read only some.
    guard let selection = select?.selection(of: Schema(tables[0].name, columns: read.schema.columns)),
      selection.limit == nil || !read.mayWiden
    else { return try await rows(named: name, cores: cores, scratch, of: read) }
    let selected = try selection.apply(to: SQLNumbers(read), scratch: scratch)
    return SQLSelectedRows(selected, named: name, mayWiden: read.mayWiden) {
      () async throws(Problem) in
      guard let wider = try await read.widened() else { return nil }
      return try await rows(named: name, cores: cores, scratch, of: wider)
    }
  }

  /// The rows that SQLite returns.
  /// - Parameter only: the rows of the only table; nil if there are several.
  private func rows(
    named name: String, cores: Int, _ scratch: any ScratchSpace, of only: (any RowStream)?
  ) async throws(Problem) -> any RowStream {
    let database = try TemporaryDatabase()
    var hasDecimals = false, notes: [Warning] = [], view = text
    do {
      let connection = try SQLiteConnection.open(path: database.path, .writing, as: Self.place)
      try connection.registerTimeOrder()
      try connection.registerFunctions()
      try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN")
      for table in tables {
        let stream: any RowStream
        if let only { stream = only } else { stream = try await table.rows(cores) }
        let schema = try await stream.withWidening { (rows) throws(Problem) in
          let schema = Schema(table.name, columns: rows.schema.columns)
          var loaded = rows, name = table.name
          view = text
          if only != nil, let groups = select?.groups(of: schema, table: Self.groups, names: names) {
            loaded = try groups.selection.apply(to: SQLNumbers(rows), scratch: scratch, threads: cores)
            name = Self.groups
            view = groups.statement
          } else if let needed = select?.needed(
            of: schema, among: tables.map { $0.name == schema.name ? schema : $0.schema })
          {
            loaded = try needed.apply(to: SQLNumbers(rows), scratch: scratch, threads: cores)
          }
          let lost = try await Self.load(loaded, into: name, connection)
          notes += loaded.notes + SQLNumbers.notes(lost: lost)
          return schema
        }
        hasDecimals = hasDecimals || schema.columns.contains { $0.type == .decimal }
      }
      let columns = names.map(\.quotedForSQL).joined(separator: ", ")
      let head = "CREATE VIEW \(Self.view.quotedForSQL)" + (view == text ? "" : "(\(columns))")
      do throws(Problem) { try connection.execute("\(head) AS \(view)") } catch { throw Self.placed(error) }
      try connection.execute("COMMIT")
    }
    var reader = SQLiteDatabase(path: database.path, limits: SQLiteLimits(field: 64 << 20, seconds: 0))
    reader.exactSums = hasDecimals
    reader.hasTimeOrder = true
    reader.isQuery = true
    do throws(Problem) {
      return SQLQueryRows(try await reader.rows(ofQuery: Self.view, named: name), database, notes)
    } catch { throw Self.placed(error) }
  }

  /// Not names that tables of a source have.
  private static let view = "bb\u{1F}query", groups = "bb\u{1F}groups"

  /// Creates and fills a table, in place of an earlier one.
  /// - Returns: the number of values that are NaN, which SQLite takes for null.
  private static func load(
    _ rows: any RowStream, into name: String, _ connection: borrowing SQLiteConnection
  ) async throws(Problem) -> Int {
    let schema = Schema(name, columns: rows.schema.columns)
    try connection.execute("DROP TABLE IF EXISTS \(name.quotedForSQL)")
    try connection.execute(definition(schema))
    let insertion = try SQLiteInsertion(schema, into: name.quotedForSQL, isPlain: true, connection)
    let decimals = schema.columns.indices.filter { schema.columns[$0].type == .decimal }
    let ahead = PrefetchingRows(rows)
    let reals = schema.columns.indices.filter { [.real, .json].contains(schema.columns[$0].type) }
    var count = 0, lost = 0
    while let batch = try await ahead.next() {
      for column in decimals { try checkNumbers(column, schema, batch, after: count) }
      for row in 0..<batch.count {
        for column in reals { if case .real(let value) = batch[row, column], value.isNaN { lost += 1 } }
      }
      try insertion.insert(batch)
      count += batch.count
    }
    return lost
  }

  /// Each type with the affinity that keeps its values. The view of a column has its declared type.
  private static func definition(_ schema: Schema) -> String {
    let columns = schema.columns.map { column in
      "\(column.name.quotedForSQL) \(column.isMixed ? "" : "\(word(for: column.type)) \(affinity(column.type))")"
    }
    return "CREATE TABLE \(schema.name.quotedForSQL)(\(columns.joined(separator: ", ")))"
  }
  private static func word(for type: ColumnType) -> String { type.name.replacing("-", with: "_") }
  /// The type of a column that is declared like this; nil for a computed one.
  static func type(declaredAs text: String) -> ColumnType? {
    let words = text.split(at: " ")
    return words.count == 2 ? ColumnType(name: words[0].lowercased().replacing("_", with: "-")) : nil
  }
  private static func affinity(_ type: ColumnType) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    case .real, .decimal: "REAL"
    case .json, .bytes: "BLOB"
    case .text, .date, .url, .list: "TEXT"
    case .timestamp, .datetime: "TEXT COLLATE \(SQLiteConnection.timeOrder)"
    }
  }

  /// Refuses decimals that a Double does not hold.
  private static func checkNumbers(
    _ column: Int, _ schema: Schema, _ batch: RowBatch, after count: Int
  ) throws(Problem) {
    for row in 0..<batch.count where !batch[row, column].isNull {
      guard SQLNumbers.double(batch[row, column], batch.arena) == nil else { continue }
      // A sum of a group.
      if schema.name == groups, case .number(let start, let length) = batch[row, column] {
        throw Problem(.badData, tooLongSum(batch.arena.bytes(start, length)), at: place)
      }
      throw tooLong(schema.columns[column].name, schema.name, record: count + row)
    }
  }
  static func tooLongSum(_ literal: [UInt8]) -> String {
    "the exact sum \(String(decoding: literal, as: UTF8.self)) has too many digits for SQL; use total()"
  }
  static func tooLong(_ column: String, _ table: String, record: Int? = nil) -> Problem {
    Problem(
      .badData, "column “\(column)”: the number has more digits than SQL calculates with", at: table,
      hint: .set(.columnTypes, to: "\(NameListParser.written(column))=text", for: "read the column as text"),
      record: record)
  }

  /// Whether a Double holds a number exactly.
  static func holds(_ literal: [UInt8]) -> Bool {
    if case .real = StoredNumber(literal) { return true }
    guard let nearest = Double(String(decoding: literal, as: UTF8.self)) else { return false }
    return DecimalNumber(nearest) == DecimalNumber(literal)
  }

  /// An error that names the statement in place of the temporary database.
  fileprivate static func placed(_ problem: Problem) -> Problem {
    var problem = problem
    problem.place = place
    problem.message = problem.message.replacing(view, with: "statement")
    return problem
  }

  /// An error of SQLite with what helps: the names that exist.
  private static func explained(
    _ problem: Problem, _ schemas: [Schema], _ conflicts: [String: Problem]
  ) -> Problem {
    let missing = "no such table: "
    if problem.message.hasPrefix(missing),
      let conflict = conflicts[problem.message.dropFirst(missing.count).lowercased()]
    {
      return conflict
    }
    var result = Problem(.usage, problem.message, at: place, hint: problem.hint)
    if problem.message.hasSuffix(SQLiteConnection.unreadable) {
      result.hint = .advice("the tables are: \(schemas.map(\.name).joined(separator: ", "))")
      return result
    }
    func near(_ mark: String, _ names: [String]) -> Remedy? {
      guard problem.message.hasPrefix(mark) else { return nil }
      let word = String(problem.message.dropFirst(mark.count).split(at: ".").last ?? "")
      return .choose(word, from: names, "available")
    }
    result.hint =
      near(missing, schemas.map(\.name)) ?? near(
        "no such column: ", Set(schemas.flatMap { $0.columns.map(\.name) }).sorted())
      ?? problem.hint
    let function = "no such function: ", called = problem.message.hasPrefix(function)
    let quoted = problem.message.split(at: "\"")
    let word = called ? String(problem.message.dropFirst(function.count)) : quoted.count == 3 ? String(quoted[1]) : ""
    if called, Expression.has(function: word) {
      result.hint = .set(.calculation, for: "calculate its column after the statement")
    } else if result.hint.isEmpty, let name = schemas.first?.name {
      result.hint =
        .nearest(word, among: called ? functions : keywords)
        ?? .advice("for example: SELECT * FROM \(name.quotedForSQL) LIMIT 10")
    }
    return result
  }
  private static let keywords = [
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "JOIN", "UNION", "DISTINCT", "BETWEEN",
  ]
  private static let functions = [
    "count", "sum", "avg", "min", "max", "total", "median", "quantile", "stddev", "group_concat", "abs", "round",
    "substr", "upper", "lower", "trim", "replace", "length", "instr", "coalesce", "ifnull", "nullif", "iif", "printf",
    "date", "datetime", "strftime", "julianday", "json_extract", "json_object", "json_group_array", "sha256",
  ]
}

/// The words of a statement, in lower case: what it may name as a table.
private struct SQLWords {
  private(set) var names: Set<String> = []
  /// Whether columns are compared that the statement does not name.
  private(set) var hidesColumns = false

  init(_ sql: String) {
    var rest = Array(sql.utf8)[...]
    func isPart(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == 36 || byte == 95 || byte &- 48 < 10 || (byte | 32) &- 97 < 26
    }
    func skip(_ mark: String) { rest = rest.firstRange(of: mark.utf8).map { rest[$0.upperBound...] } ?? [] }
    while let byte = rest.first {
      if rest.starts(with: "--".utf8) {
        skip("\n")
      } else if rest.starts(with: "/*".utf8) {
        skip("*/")
      } else if "\"'`[".utf8.contains(byte) {
        // SQLite takes text for a name as well. A quote is doubled within.
        let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        var word: [UInt8] = []
        rest = rest.dropFirst()
        while let next = rest.first {
          rest = rest.dropFirst()
          if next == end {
            guard end == byte, rest.first == end else { break }
            rest = rest.dropFirst()
          }
          word.append(next)
        }
        names.insert(String(decoding: word, as: UTF8.self).lowercased())
      } else if isPart(byte) {
        let word = String(decoding: rest.prefix(while: isPart), as: UTF8.self).lowercased()
        rest = rest.drop(while: isPart)
        names.insert(word)
        if word == "natural" || word == "using" { hidesColumns = true }
      } else {
        rest = rest.dropFirst()
      }
    }
  }
}

/// A database in a private directory, which is removed when the last reader has gone.
private final class TemporaryDatabase: Sendable {
  private let copy: SQLiteCopy
  var path: String { copy.path }

  init() throws(Problem) { copy = try SQLiteCopy() }
  deinit { copy.remove() }
}

/// The rows of a query, which keep its database.
private final class SQLQueryRows: RowStream {
  private let inner: any RowStream
  private let database: TemporaryDatabase
  let notes: [Warning]

  init(_ inner: any RowStream, _ database: TemporaryDatabase, _ notes: [Warning]) {
    (self.inner, self.database, self.notes) = (inner, database, notes)
  }

  var schema: Schema { inner.schema }
  var mayWiden: Bool { inner.mayWiden }

  func next() async throws(Problem) -> BatchTask? {
    do throws(Problem) {
      guard let work = try await inner.next() else { return nil }
      return BatchTask { () throws(Problem) in
        do throws(Problem) { return try work.batch() } catch { throw SQLQuery.placed(error) }
      }
    } catch { throw SQLQuery.placed(error) }
  }

  func widened() async throws(Problem) -> (any RowStream)? {
    do throws(Problem) { return try await inner.widened().map { SQLQueryRows($0, database, notes) } } catch {
      throw SQLQuery.placed(error)
    }
  }
}

/// Selected rows of the only table of a statement.
private final class SQLSelectedRows: RowStream {
  private let inner: any RowStream
  private let wider: @Sendable () async throws(Problem) -> (any RowStream)?
  let schema: Schema
  /// That of the table: its selection has no rows to start again.
  let mayWiden: Bool

  init(
    _ inner: any RowStream, named name: String, mayWiden: Bool,
    wider: @escaping @Sendable () async throws(Problem) -> (any RowStream)?
  ) {
    (self.inner, self.mayWiden, self.wider) = (inner, mayWiden, wider)
    schema = Schema(name, columns: inner.schema.columns.map { ColumnDescription($0.name, $0.type) })
  }

  var notes: [Warning] { inner.notes }
  func next() async throws(Problem) -> BatchTask? { try await inner.next() }
  /// Columns of other types may be compared in another way.
  func widened() async throws(Problem) -> (any RowStream)? { try await wider() }
}
