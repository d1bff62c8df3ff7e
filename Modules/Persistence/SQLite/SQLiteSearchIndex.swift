import Codecs
import Glibc
import Query
import Rows

/// A full-text index of one of bb's tables: its words, folded and split as `Words` does, so that all stores give the
/// same results.
///
/// Triggers record all changes, also those of other programs; the index is updated by bb's own changes and before a
/// search. If it cannot be written or created, a search scans all rows.
struct SQLiteSearchIndex: Sendable {
  private let schema: Schema
  private let columns: [Int]
  /// Whether records changed since the index was brought up to date: a search also returns those.
  var isBehind = false

  /// The index of a table that is kept as `schema`; nil when it has no text or no key.
  init?(_ schema: Schema) {
    columns = SearchMatcher.columns(of: schema)
    guard !columns.isEmpty, !schema.key.isEmpty else { return nil }
    self.schema = schema
  }

  private var table: String { schema.name.quotedForSQL }
  private var words: String { "bb_words_\(schema.name)".quotedForSQL }
  private var changed: String { "bb_changed_\(schema.name)".quotedForSQL }
  private var records: String { "bb_records_\(schema.name)".quotedForSQL }
  private var key: [String] { schema.key.map { schema.columns[$0].name.quotedForSQL } }
  /// The names of the key columns in the tables of the index.
  private var places: [String] { schema.key.indices.map { "k\($0)" } }

  func exists(_ connection: borrowing SQLiteConnection) throws(Problem) -> Bool {
    let rows = try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1")
    try rows.bind(1, text: "bb_words_\(schema.name)")
    return try rows.step()
  }

  /// Makes an index that has nothing yet; all records count as changed.
  func make(_ connection: borrowing SQLiteConnection) throws(Problem) {
    let list = places.joined(separator: ", ")
    // Words are split already; bytes beyond ASCII are letters to this tokenizer.
    try connection.execute(
      """
      CREATE VIRTUAL TABLE \(words) USING fts5(words, tokenize = 'ascii', detail = none, columnsize = 0);
      CREATE TABLE \(changed)(\(list), PRIMARY KEY(\(list))) WITHOUT ROWID;
      CREATE TABLE \(records)(number INTEGER PRIMARY KEY, \(list), UNIQUE(\(list)));
      INSERT INTO \(changed) SELECT \(key.joined(separator: ", ")) FROM \(table);
      """)
    for (event, rows) in [("INSERT", ["NEW"]), ("DELETE", ["OLD"]), ("UPDATE", ["OLD", "NEW"])] {
      // OR IGNORE would be overruled by how the statement that is watched treats conflicts.
      let steps = rows.map { row in
        let values = key.map { "\(row).\($0)" }
        let isThere = zip(places, values).map { "\($0) = \($1)" }.joined(separator: " AND ")
        return
          "INSERT INTO \(changed) SELECT \(values.joined(separator: ", ")) WHERE NOT EXISTS (SELECT 1 FROM \(changed) WHERE \(isThere));"
      }
      try connection.execute(
        "CREATE TRIGGER \(trigger(event)) AFTER \(event) ON \(table) BEGIN \(steps.joined(separator: " ")) END")
    }
  }

  private func trigger(_ event: String) -> String { "bb_\(event.lowercased())_\(schema.name)".quotedForSQL }

  /// The same where SQLite has FTS5; nothing where it was built without.
  func makeIfPossible(_ connection: borrowing SQLiteConnection) throws(Problem) {
    let modules = try connection.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")
    if try modules.step() { try make(connection) }
  }

  /// Takes the index away, for a change after which most of it would have to be made again.
  func remove(_ connection: borrowing SQLiteConnection) throws(Problem) {
    for event in ["INSERT", "DELETE", "UPDATE"] { try connection.execute("DROP TRIGGER IF EXISTS \(trigger(event))") }
    try connection.execute(
      "DROP TABLE IF EXISTS \(words); DROP TABLE IF EXISTS \(changed); DROP TABLE IF EXISTS \(records)")
  }

  /// Whether records changed since the index was brought up to date.
  func isBehind(_ connection: borrowing SQLiteConnection) throws(Problem) -> Bool {
    try connection.prepare("SELECT 1 FROM \(changed) LIMIT 1").step()
  }

  /// Brings the index up to date, within a transaction.
  func update(_ connection: borrowing SQLiteConnection) throws(Problem) {
    let isRecord = places.map { "r.\($0) = c.\($0)" }.joined(separator: " AND ")
    let isRow = zip(key, places).map { "t.\($0) = c.\($1)" }.joined(separator: " AND ")
    try connection.execute(
      """
      DELETE FROM \(words) WHERE rowid IN (SELECT r.number FROM \(changed) AS c JOIN \(records) AS r ON \(isRecord));
      INSERT OR IGNORE INTO \(records)(\(places.joined(separator: ", "))) SELECT * FROM \(changed);
      """)
    let texts = columns.map { "t.\(schema.columns[$0].name.quotedForSQL)" }
    // CROSS JOIN begins with the few that changed; left to itself SQLite would follow the order, and look at every
    // record.
    let rows = try connection.prepare(
      """
      SELECT \((["r.number"] + texts).joined(separator: ", ")) FROM \(changed) AS c CROSS JOIN \(records) AS r ON \(isRecord)
        CROSS JOIN \(table) AS t ON \(isRow) ORDER BY r.number
      """)
    let insert = try connection.prepare("INSERT INTO \(words)(rowid, words) VALUES(?1, ?2)")
    var text: [UInt8] = []
    while try rows.step() {
      text.removeAll(keepingCapacity: true)
      for (place, column) in columns.enumerated() where !rows.isNull(place + 1) {
        SearchMatcher.appendWords(of: rows.bytes(place + 1), schema.columns[column].type, to: &text)
      }
      try insert.bind(1, integer: rows.integer(0))
      try insert.bind(2, text: text)
      try insert.run()
    }
    try connection.execute(
      """
      DELETE FROM \(records) WHERE number IN (SELECT r.number FROM \(changed) AS c JOIN \(records) AS r ON \(isRecord)
        WHERE NOT EXISTS (SELECT 1 FROM \(table) AS t WHERE \(isRow)));
      DELETE FROM \(changed);
      """)
  }

  /// Compares the index with the words it was made of, and their number with the table's, in a temporary copy of the
  /// database: FTS5 checks an index only within a transaction that writes.
  func isSound(_ database: borrowing SQLiteConnection) throws(Problem) -> Bool {
    let connection = try SQLiteConnection.temporary(as: database.place)
    try database.copy(to: connection)
    do throws(Problem) {
      try connection.execute("INSERT INTO \(words)(\(words), rank) VALUES('integrity-check', 1)")
    } catch {
      guard error.kind == .badData else { throw error }
      return false
    }
    let isRecord = places.map { "r.\($0) = c.\($0)" }.joined(separator: " AND ")
    let isRow = zip(key, places).map { "t.\($0) = c.\($1)" }.joined(separator: " AND ")
    let counts = try connection.prepare(
      """
      SELECT (SELECT count(*) FROM \(words) AS w JOIN \(records) AS r ON r.number = w.rowid
          WHERE NOT EXISTS (SELECT 1 FROM \(changed) AS c WHERE \(isRecord))),
        (SELECT count(*) FROM \(table) AS t WHERE NOT EXISTS (SELECT 1 FROM \(changed) AS c WHERE \(isRow)))
      """)
    return try counts.step() && counts.integer(0) == counts.integer(1)
  }

  struct Match {
    /// For `MATCH`.
    let query: String
    fileprivate let index: SQLiteSearchIndex

    /// The condition whose parameter holds the query.
    func condition(parameter: Int) -> String {
      let key = index.key.count == 1 ? index.key[0] : "(\(index.key.joined(separator: ", ")))"
      let places = index.places.joined(separator: ", ")
      return """
        \(key) IN (SELECT \(places) FROM \(index.records) WHERE number IN \
        (SELECT rowid FROM \(index.words) WHERE \(index.words) MATCH ?\(parameter)))\
        \(index.isBehind ? " OR \(key) IN (SELECT \(places) FROM \(index.changed))" : "")
        """
    }
  }

  /// The query for a search text; nil if the text contains no word.
  func match(_ search: String) -> Match? {
    let words = Words.folded(search)
    guard !words.isEmpty else { return nil }
    // Words hold letters and digits only.
    let query = words.map { "\"\(String(decoding: $0, as: UTF8.self))\"*" }.joined(separator: " ")
    return Match(query: query, index: self)
  }
}
