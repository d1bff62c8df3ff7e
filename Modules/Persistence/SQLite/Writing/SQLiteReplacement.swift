import Codecs
import Domain
import Files
import Glibc
import Rows

/// Looks at what would be lost when an exported database takes a file's place.
enum SQLiteReplacement {
  /// Accepts a file that is not a database, and a database with only the same tables from an earlier export.
  /// - Throws: `cannotCreate` for a store with a history, and for other tables; `busy` if a process uses the database.
  static func check(_ path: String, tables: [String]) throws(Problem) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      try FileFormat.sqlite.begins(at: path)
    else { return }
    func problem(_ what: String) -> Problem {
      Problem(
        .cannotCreate, "refusing to overwrite: \(what)", at: path,
        hint: ["choose another name", .run(.sync(into: "sqlite:\(path)"), "add the table to it")])
    }
    let connection = try SQLiteDatabase(path: path).open()
    let others = try SQLiteTable.all(connection).map(\.name).filter { name in
      !tables.contains { $0.utf8.elementsEqual(name.utf8) }
    }
    if !others.isEmpty {
      throw problem(
        "the database contains other tables: "
          + "\(others.prefix(5).joined(separator: ", "))\(others.count > 5 ? ", …" : "")"
      )
    }
    if try SQLiteFormat.owner(connection) == .bb, try connection.integer("SELECT count(*) FROM bb_history") > 0 {
      throw problem("the database is a store with a history")
    }
    // A log that is not the new file's would be taken for its own.
    if let log = try FileStamp.now(at: path + "-wal"), log.size > 0 {
      throw Problem(
        .busy, "the database is in use by another process", at: path, hint: "run the command again when it has finished"
      )
    }
  }
}
