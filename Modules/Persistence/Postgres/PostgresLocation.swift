import Codecs
import Domain
public import Rows

/// A PostgreSQL server, and what of it is meant: `postgres://HOST/DATABASE?table=raw.quotes`, or `postgres:` before
/// keywords and values (`postgres:service=prod table=raw.quotes`).
///
/// All but `table`, `schema` and `snapshot` is for libpq. Messages show it without names and passwords of users.
public struct PostgresLocation: Sendable, Hashable {
  /// The parameters in the syntax of libpq.
  let parameters: String
  /// The name in messages: the server, the database, and the table or schema, without secrets.
  public let name: String
  /// The table, with its schema if it is given; nil if none is.
  public let table: PostgresName?
  /// Whether the server is reached without a network, through a socket.
  public let isLocal: Bool
  /// The schema of a store; nil for the default.
  public let schema: String?
  /// The state of the database that another session has exported; nil for the present one.
  let snapshot: String?

  private static let schemes = ["postgres", "postgresql"]
  /// The parameters that messages show.
  private static let shown: Set = ["host", "hostaddr", "port", "dbname", "service"]

  /// Whether a text is a location of this kind.
  static func isLocation(_ text: String) -> Bool { URLText.scheme(of: text).map(schemes.contains) ?? false }

  /// The parameters that are not for libpq.
  private static let own: Set = ["table", "schema", "snapshot"]

  /// Reads a location.
  /// - Throws: `usage` for parameters that cannot be taken apart.
  public init(_ text: String) throws(Problem) {
    guard let scheme = URLText.scheme(of: text), Self.schemes.contains(scheme) else {
      throw Problem(.usage, "not a PostgreSQL location", hint: "use postgres://HOST/DATABASE")
    }
    let rest = text.dropFirst(scheme.count + 1)
    var options = rest.hasPrefix("//") ? try Self.url(rest.dropFirst(2)) : try Self.keywords(rest)
    table = try options.own["table"].map { (text) throws(Problem) in try PostgresName(parsing: text) }
    schema = options.own["schema"]
    snapshot = options.own["snapshot"]
    if let snapshot, snapshot.isEmpty || !snapshot.utf8.allSatisfy({ $0 &- 48 < 10 || $0 &- 65 < 6 || $0 == 45 }) {
      throw Problem(
        .usage, "invalid snapshot “\(snapshot)”", at: options.name, hint: "use what pg_export_snapshot() returns")
    }
    if schema == "" { throw Problem(.usage, "missing name after schema=", at: options.name) }
    parameters = options.parameters
    isLocal = options.hosts.allSatisfy { $0.isEmpty || $0.hasPrefix("/") || $0.lowercased().hasPrefix("%2f") }
    for key in ["schema", "table"] {
      guard let value = options.own[key] else { continue }
      let mark = options.isURL ? (options.hasQuery ? "&" : "?") : options.name.hasSuffix(":") ? "" : " "
      options.name += "\(mark)\(key)=\(value)"
      options.hasQuery = true
    }
    name = options.name
  }

  /// A location that no connection can be made to.
  static let malformed = PostgresLocation()
  private init() { (parameters, name, table, schema, snapshot, isLocal) = ("\0", "postgres:", nil, nil, nil, true) }

  private struct Options {
    var parameters = "", name = "", own: [String: String] = [:], isURL = false, hasQuery = false
    var hosts: [String] = []
  }

  private static func malformed(_ what: String) -> Problem {
    Problem(
      .usage, "invalid PostgreSQL location: \(what)",
      hint: "use postgres://HOST/DATABASE, with special characters of a password as %XX")
  }

  /// `[USER[:PASSWORD]@]HOSTS/DATABASE?KEY=VALUE&…`
  private static func url(_ rest: Substring) throws(Problem) -> Options {
    // As libpq does it, a password may contain what separates other parts.
    var address = rest, user: Substring = ""
    if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
      user = rest[...end]
      address = rest[rest.index(after: end)...]
    }
    var result = Options(isURL: true)
    let mark = address.unicodeScalars.firstIndex(of: "?") ?? address.endIndex
    let place = address[..<mark], query = address[mark...].dropFirst()
    var kept: [Substring] = [], visible: [Substring] = []
    for pair in query.split(at: "&") {
      let parts = pair.split(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed("a parameter has no value") }
      let key = String(parts[0])
      if Self.own.contains(String(key)) {
        guard let value = PercentCoding.decoded(parts[1]) else { throw malformed("\(key) is not encoded as in a URL") }
        result.own[key] = value
        continue
      }
      kept.append(pair)
      if key.hasPrefix("host") { result.hosts.append(String(parts[1])) }
      if shown.contains(key) { visible.append(pair) }
    }
    // A password with an unencoded slash would look like an address.
    guard !place.contains("@") else { throw malformed("a special character is not encoded") }
    result.parameters = "postgresql://\(user)\(place)" + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    result.hosts.append(String(place.prefix { $0 != "/" }))
    result.hasQuery = !visible.isEmpty
    result.name = "postgres://\(place)" + (visible.isEmpty ? "" : "?" + visible.joined(separator: "&"))
    return result
  }

  /// `KEY=VALUE KEY='VALUE'`, with a backslash before a quote or a backslash of a value.
  private static func keywords(_ text: Substring) throws(Problem) -> Options {
    var result = Options(), kept: [String] = [], visible: [String] = []
    var rest = text.drop(while: \.isWhitespace)
    while !rest.isEmpty {
      let key = rest.prefix { $0 != "=" && !$0.isWhitespace }
      rest = rest.dropFirst(key.count).drop(while: \.isWhitespace)
      guard !key.isEmpty, rest.first == "=" else { throw malformed("expected KEY=VALUE") }
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      var value = ""
      let isQuoted = rest.first == "'"
      if isQuoted { rest = rest.dropFirst() }
      while let character = rest.first, isQuoted ? character != "'" : !character.isWhitespace {
        rest = rest.dropFirst()
        if character == "\\", let next = rest.first {
          value.append(next)
          rest = rest.dropFirst()
        } else {
          value.append(character)
        }
      }
      if isQuoted {
        guard rest.first == "'" else { throw malformed("unterminated quote") }
        rest = rest.dropFirst()
      }
      rest = rest.drop(while: \.isWhitespace)
      if Self.own.contains(String(key)) {
        result.own[String(key)] = value
        continue
      }
      kept.append(
        "\(key)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'")
      if key.hasPrefix("host") { result.hosts.append(value) }
      if shown.contains(String(key)) { visible.append("\(key)=\(value)") }
    }
    result.parameters = kept.joined(separator: " ")
    result.name = "postgres:" + visible.joined(separator: " ")
    return result
  }
}

/// The name of a table, with its schema if it has one.
public struct PostgresName: Sendable, Hashable, CustomStringConvertible {
  /// The schema; nil for `public`.
  let schema: String?
  let table: String

  /// The table `table` of `schema`.
  init(_ schema: String?, _ table: String) {
    self.schema = schema == "public" ? nil : schema
    self.table = table
  }

  /// Reads `TABLE`, `SCHEMA.TABLE`, or `"SCHEMA"."TABLE"`, where a quote of a name is doubled. Names are taken as they
  /// are written.
  /// - Throws: `usage`.
  init(parsing text: String) throws(Problem) {
    var parts: [String] = [], rest = text[...]
    while true {
      var part = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        var isClosed = false
        while let character = rest.popFirst() {
          if character != "\"" {
            part.append(character)
          } else if rest.first == "\"" {
            part.append("\"")
            rest = rest.dropFirst()
          } else {
            isClosed = true
            break
          }
        }
        guard isClosed else { throw Problem(.usage, "unterminated quote in the table name “\(text)”") }
      } else {
        part = String(rest.prefix { $0 != "." })
        rest = rest.dropFirst(part.count)
      }
      parts.append(part)
      guard let mark = rest.first else { break }
      guard mark == "." else { throw Problem(.usage, "invalid table name “\(text)”", hint: "use SCHEMA.TABLE") }
      rest = rest.dropFirst()
    }
    guard parts.count <= 2, !parts.contains("") else {
      throw Problem(.usage, "invalid table name “\(text)”", hint: "use SCHEMA.TABLE")
    }
    self.init(parts.count == 2 ? parts[0] : nil, parts[parts.count - 1])
    for part in parts { try Self.check(part) }
  }

  /// Refuses a name that PostgreSQL would truncate, or does not have.
  /// - Throws: `badData`.
  static func check(_ name: String) throws(Problem) {
    guard !name.isEmpty else { throw Problem(.badData, "PostgreSQL has no empty names") }
    guard !name.utf8.contains(0) else { throw Problem(.badData, "PostgreSQL names cannot contain U+0000: “\(name)”") }
    guard name.utf8.count <= longest else {
      throw Problem(
        .badData, "the name “\(name)” has \(name.utf8.count) bytes; the maximum of PostgreSQL is \(longest)",
        hint: "rename it")
    }
  }

  /// The most bytes of a name.
  static let longest = 63

  /// The name in SQL. It is always qualified: a schema called like the user would come first in the search path.
  var sql: String { "\((schema ?? "public").quotedForSQL).\(table.quotedForSQL)" }
  /// `SCHEMA.TABLE`, as users write it: names with a dot or a quote at the beginning are quoted.
  public var description: String {
    [schema, table].compactMap { $0 }.map { name in
      name.contains(".") || name.hasPrefix("\"") ? name.quotedForSQL : name
    }.joined(separator: ".")
  }
}
