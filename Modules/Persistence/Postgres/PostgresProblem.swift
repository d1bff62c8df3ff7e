import Codecs
import Domain
import Rows

enum PostgresProblem {
  /// The kind that a class or a code of SQLSTATE means.
  static func kind(_ state: String) -> Problem.Kind {
    switch state {
    case "57P01", "57P02", "57P03", "57P04", "53300": return .unavailable
    case "3D000", "3F000", "42P01", "42703", "55000": return .noInput
    case "42501", "25006": return .permission
    case "40001", "40P01", "55P03", "55006", "57014", "25P03": return .busy
    case "53100", "58030", "XX001", "XX002": return .io
    case "42P06", "42P07", "42710", "42809", "2BP01": return .cannotCreate
    case "42P10", "428C9", "54011": return .badData
    default: break
    }
    switch state.prefix(2) {
    case "28": return .permission
    // Values, constraints, views with a check, and what triggers raise.
    case "21", "22", "23", "44", "P0": return .badData
    case "40": return .busy
    default: return .unavailable
    }
  }

  private static func hint(_ state: String) -> Remedy {
    switch state {
    case "28P01", "28000": "check the user name, and the password in ~/.pgpass or PGPASSWORD"
    case "3D000": "check the name of the database"
    case "3F000": "create the schema, or choose another"
    case "42501": "ask the owner for the privilege, or connect as another user"
    case "25006": "connect to the primary server, as a user whose default_transaction_read_only is off"
    case "40001", "40P01", "55P03": "run the command again"
    case "57014": "raise statement_timeout of the role, or run the command again"
    case "25P03": "raise idle_in_transaction_session_timeout of the role"
    case "2BP01": Remedy.set(.existingOutput, to: "truncate").or("drop the objects that depend on it")
    case "42809": "choose another table"
    case "42P10", "428C9": Remedy.set(.columns, for: "exclude the column")
    case "53100": "free disk space on the server"
    case "53300": "run the command again when fewer clients are connected"
    default: Remedy()
    }
  }

  /// The problem of an SQLSTATE.
  /// - Parameter message: the text of the server.
  static func problem(_ state: String, _ message: String, at place: String) -> Problem {
    var text = message.isEmpty ? "the server reports an error" : message
    if text.last == "." { text.removeLast() }
    let kind = kind(state)
    let isKnown = kind != .unavailable || ["08", "57"].contains(String(state.prefix(2))) || state == "53300"
    return Problem(kind, isKnown || state.isEmpty ? text : "\(text) (SQLSTATE \(state))", at: place, hint: hint(state))
  }

  /// The problem of a connection that was not made, from the library's message: `… FATAL:  28P01: TEXT`.
  static func connecting(_ message: String, at place: String) -> Problem {
    let lines = message.split(at: "\n").map(String.init)
    for line in lines {
      for mark in line.indices where line[mark...].hasPrefix(":  ") {
        let rest = line[mark...].dropFirst(3), state = rest.prefix(5)
        let isState =
          state.utf8.count == 5 && state.utf8.allSatisfy { $0 &- 48 < 10 || $0 &- 65 < 26 }
          && rest.dropFirst(5).hasPrefix(": ")
        if isState { return problem(String(state), String(rest.dropFirst(7)), at: place) }
      }
    }
    let last = lines.last { !$0.hasPrefix("\t") } ?? ""
    // The library asks for a password only when the server does.
    if last.contains("fe_sendauth: no password supplied") {
      return problem("28P01", "the server requires a password", at: place)
    }
    let isAddress = last.hasPrefix("could not translate host name")
    guard let mark = last.firstRange(of: " failed: ") else {
      guard last.isEmpty || isAddress else {
        // The library refuses parameters before it connects.
        return Problem(
          .usage, last, at: place, hint: "check the parameters of the URL, the variables PG… and ~/.pg_service.conf")
      }
      return unreachable(last.split(separator: ": ").last.map(String.init) ?? "no response", at: place)
    }
    return unreachable(String(last[mark.upperBound...]), at: place)
  }

  private static func unreachable(_ reason: String, at place: String) -> Problem {
    let isSecurity = ["SSL", "certificate"].contains { reason.firstRange(of: $0) != nil }
    return Problem(
      .unavailable, "cannot connect: \(reason)", at: place,
      hint: isSecurity
        ? "check sslmode, sslrootcert and the certificate of the server"
        : "check that the server is running, and its host and port")
  }

  /// The problem when the library is absent.
  static func missing(_ reason: String) -> Problem {
    Problem(
      .unavailable, "libpq cannot be loaded: \(reason)",
      hint: "install the package libpq5: apt-get install libpq5")
  }
}
