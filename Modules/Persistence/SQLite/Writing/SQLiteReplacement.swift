import Domain
import Files
import Glibc
import Rows

/// Looks at what would be lost when an exported database takes a file's place.
enum SQLiteReplacement {
  /// Whether tables are added to the database at a path. Otherwise they take its place: that of a file that is not a
  /// database, and of a database with only the same tables from an earlier export.
  /// - Throws: `permission` for a store; `cannotCreate` for other tables and one of these; `busy` if a process uses the
  ///   database.
  static func keeps(_ path: String, tables: [String], _ existing: ExistingOutput) throws(Problem) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      try FileFormat.sqlite.begins(at: path)
    else { return false }
    let connection = try SQLiteDatabase(path: path).open()
    let all = try SQLiteTable.names(connection), names = Set(tables.map { $0.lowercased() })
    let known = all.filter { names.contains($0.lowercased()) }
    if try SQLiteFormat.owner(connection) == .bb {
      let isEmpty = try connection.integer("SELECT count(*) FROM bb_history") == 0 && known.count == all.count
      guard isEmpty, existing == .refuse else {
        throw refusal(path)
      }
    }
    if existing != .refuse { return true }
    guard known.count == all.count else {
      guard let first = known.first else { return true }
      throw Problem(
        .cannotCreate, "the database already contains the table \(first), among others", at: path,
        hint: .set(.existingOutput, to: "append", "upsert", "replace", "truncate"))
    }
    // A log that is not the new file's would be taken for its own.
    if let log = try FileStamp.now(at: path + "-wal"), log.size > 0 {
      throw Problem(
        .busy, "the database is in use by another process", at: path, hint: "run the command again when it has finished"
      )
    }
    return false
  }

  /// The error for an output that is the database of a store.
  static func refusal(_ path: String) -> Problem {
    Problem(
      .permission, "refusing to change a store", at: path,
      hint: ["choose another name", .run(.sync(into: "sqlite:\(path)"), "add the table to it")])
  }
}
