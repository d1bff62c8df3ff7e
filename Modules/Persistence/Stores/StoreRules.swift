import Domain
import Rows

/// The rules that every store applies to a load, with the same messages.
enum StoreRules {
  /// Seconds that a program waits for other writers of a store. A change takes milliseconds; twenty
  /// programs at once on a machine that
  /// has other things to do may take some.
  static let patience = 20

  /// Loads whose replaced tables are kept, so that they can be undone: that many, the latest.
  static let keptLoads = 100
  /// Bytes of all replaced tables of a directory store that are kept.
  static let keptBytes = 1 << 30

  /// Refuses a table from another source, with the user's own records, or with other columns.
  static func check(_ load: TableLoad, known: Schema?, from source: String?) throws(Problem) {
    guard let known else { return }
    let place = load.schema.name
    if !load.replacesSource, source != load.source {
      guard let source else {
        throw Problem(
          .badData, "the table contains records that were not loaded by sync", at: place,
          hint: .set(.sourceReplacement, for: "replace them"))
      }
      throw Problem(
        .badData, "the table was loaded from \(source)", at: place, hint: .set(.sourceReplacement, for: "replace it"))
    }
    try TableEditor.check(load.schema, fits: known)
  }

  /// Refuses a table whose name differs from another's only in the case of ASCII letters, or in how its accents are
  /// spelled: some stores and file systems treat the two as equal.
  static func check(_ name: String, among known: some Sequence<String>, at place: String) throws(Problem) {
    func plain(_ name: String) -> String {
      String(decoding: name.utf8.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
    guard let other = known.first(where: { !$0.utf8.elementsEqual(name.utf8) && plain($0) == plain(name) }) else {
      return
    }
    throw Problem(
      .badData, "table names “\(name)” and “\(other)” differ only in letter case", at: place,
      hint: .set(.tableName, for: "choose another name"))
  }

  /// Refuses a new table with a name that a store could need for itself, so that every store can take the tables of
  /// every other.
  static func checkNotReserved(_ name: String, at place: String) throws(Problem) {
    for prefix in ["bb_", "sqlite_"] where name.lowercased().hasPrefix(prefix) && name != SyncState.table {
      throw Problem(
        .badData, "invalid table name “\(name)”: names that begin with \(prefix) are reserved", at: place,
        hint: .set(.tableName, for: "choose another name"))
    }
  }

  /// The error for a store that does not exist.
  static func noStorage(_ place: String) -> Problem {
    Problem(.noInput, "store not found", at: place, hint: .run(.sync(into: place), "create it"))
  }

  /// The error for a history that would be mixed with another.
  static func hasHistory(_ place: String) -> Problem {
    Problem(.cannotCreate, "the store already has a history", at: place, hint: "choose a location for a new store")
  }
}

extension [TableRevisions] {
  /// Whether records have changed, not only the state of a sync.
  var concernRecords: Bool { contains { $0.schema.name != SyncState.table } }
}

extension TableOutcome {
  /// Whether anything is different now.
  var isDifferent: Bool { added + changed + removed > 0 }
}
