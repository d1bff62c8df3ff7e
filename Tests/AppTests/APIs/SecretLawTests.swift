import Domain
import Rows
import TestSupport
import Testing

/// A server that repeats what it was sent, wherever it can.
@Suite("secrets of APIs are not printed") struct SecretLawTests {
  /// A way in which a definition or a command carries the secret `KEY`.
  private static let places = [
    #""auth": {"type": "bearer", "env": "KEY"}"#, #""auth": {"type": "bearer", "file": "HOME/key"}"#,
    #""auth": {"type": "basic", "env": "KEY"}"#, #""auth": {"type": "query", "param": "appid", "env": "KEY"}"#,
    #""auth": {"type": "header", "header": "X-K", "env": "KEY", "prefix": "k="}"#,
    #""variables": {"v": {"env": "KEY"}}, "headers": {"X-V": "{v}"}"#,
    #""auth": {"type": "oauth2", "grant": "client_credentials", "token_url": "https://h/token","#
      + #" "client_id": {"env": "KEY"}, "client_secret": {"env": "KEY"}, "send": "body"}"#,
    #""auth": {"type": "oauth2", "grant": "refresh_token", "token_url": "https://h/token","#
      + #" "client_id": {"env": "ID"}, "refresh_token": {"env": "KEY"}}"#,
    // Logins do not belong into URLs.
    #""auth": {"type": "oauth2", "token_url": "https://u:SECRET@h/token", "client_id": {"env": "ID"}}"#,
    #""links": {"x": "https://u:SECRET@h/x"}"#,
  ]
  private static let commands = [
    "bb-export t --source X", "bb-export t --source X -f json --strict", "bb-export check t --source X",
    "bb-export sync --source X --storage sqlite:HOME/s.db", "bb-export sources check X --try",
    "bb-export sources draft https://h/t --auth bearer:KEY --auth header:X-A:KEY",
    "bb-export sources draft https://h/t?appid=KEY",
    "bb-export sources draft https://h/t?limit=2&api_key=KEY --pages 3", "bb-export sources draft https://u:KEY@h/t",
  ]
  /// Responses that repeat the request: `ECHO`.
  private static let bodies = [
    (200, #"[{"id": 1, "n": "x"}, {"id": 2, "n": null}]"#), (200, #"{"error": "ECHO"}"#), (200, "no JSON: ECHO"),
    (200, #"[{"id": "ECHO"}]"#), (200, #"{"data": [{"id": 1}], "next": "https://other/?k=ECHO"}"#),
    (401, #"{"message": "ECHO is not a key"}"#), (500, "<html>ECHO"), (404, "ECHO"),
  ]

  private static func encoded(_ text: String, in body: String) -> String {
    body.hasPrefix("{") || body.hasPrefix("[") ? text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") : text
  }

  @Test("a random secret in each place of each command", arguments: bodies) func law(status: Int, body: String) async {
    var runs = 0
    for (number, place) in Self.places.enumerated() {
      let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
      let word = String((0..<14).map { _ in alphabet.randomElement() ?? "a" })
      for secret in [word, "u:\(word)"] where number == 2 || secret == word {
        let console = Console { (request) throws(Problem) in
          if request.url.hasSuffix("/token") {
            return HTTPResponse(200, #"{"access_token": "t\#(word)", "expires_in": 900}"#)
          }
          let sent = request.headers.map { "\($0.name) \($0.value)" }.joined(separator: " ")
          let echo = "\(word) \(request.url) \(sent)"
          return HTTPResponse(status, body.replacing("ECHO", with: Self.encoded(echo, in: body)))
        }
        console.write(word, to: "key")
        let carrier = place.replacing("HOME", with: console.home).replacing("SECRET", with: word)
        console.write(
          """
          {"bb_source": 2, "name": "x", "base_url": "https://h", \(carrier),
           "datasets": [{"name": "t", "path": "/t", "key": ["id"], "columns": [{"name": "id", "type": "integer"}]}]}
          """, to: "x.json")
        for command in Self.commands {
          let isDraft = command.contains("draft")
          if isDraft, number > 0 { continue }
          let line = command.replacing("KEY", with: command.contains("--auth") ? "KEY" : secret)
            .replacing("X", with: isDraft ? "X" : "\(console.home)/x.json").replacing("HOME", with: console.home)
          for more in ["", " -v", " --errors json"] {
            let got = await console.run(
              line + more, variables: ["KEY": secret, "ID": "client", "appid": "1"])
            runs += 1
            // Other commands write the data of the server, whatever it is.
            let text = command.contains("sources") ? got.out + got.err : got.err
            #expect(!text.contains(word), "\(line)\(more): \(got.err) \(got.out)")
          }
        }
      }
    }
    #expect(runs > 100)
  }

  /// Commands that read `URL` and leave files: stores with a history, metadata, logs.
  private static let writers =
    ["csv:HOME/c", "json:HOME/j", "sqlite:HOME/s.db"].map { "sync --from URL --storage \($0)" }
    + ["o.csv --csvw --summary json", "p.csv --datapackage", "o.html", "o.sql", "o.parquet", "o.db", "o.yaml"].map {
      "--from URL -o HOME/\($0)"
    } + ["--from URL -o delta:HOME/d", "--from URL --as t -o HOME/r.csv --repair --rejects HOME/rejects.csv"]

  @Test(
    "stores, their history and metadata do not have the secrets of locations",
    arguments: [
      "https://h/t.csv?api_key=KEY&n=1", "https://u:KEY@h/t.csv", "https://h/t.csv?sig=KEY", "https://KEY:x@h/t.csv",
    ])
  func files(_ address: String) async throws {
    let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    let word = String((0..<14).map { _ in alphabet.randomElement() ?? "a" })
    var console = Console { (_) throws(Problem) in HTTPResponse(200, "k,v\n1,a\n2,b\n") }
    console.writesFiles = true
    for command in Self.writers {
      let line = command.replacing("URL", with: address.replacing("KEY", with: word))
      let got = await console.run("bb-export " + line.replacing("HOME", with: console.home))
      #expect(got.status == 0, "\(line): \(got.err)")
      #expect(!(got.out + got.err).contains(word), "\(line): \(got.err)")
    }
    let found = Shell().run("find \(console.home) -type f | wc -l; grep -rlF \(word) \(console.home)")
    let lines = found.out.split(separator: "\n")
    #expect(Int(lines.first ?? "") ?? 0 > 20, "\(found.out) \(found.err)")
    #expect(lines.count == 1, "the secret is in: \(found.out)")
  }
}
