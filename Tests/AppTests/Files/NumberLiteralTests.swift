import Codecs
import TestSupport
import Testing

/// Which spellings of numbers survive, and where only the value does: the promise of decision 0004.
@Suite("Spellings of numbers", .serialized) struct NumberLiteralTests {
  /// Literals of reals with an exponent that is not canonical, and what SQLite and stores return.
  static let reals = [
    "1e+22": "1e22", "123e65": "1.23e67", "0e+1": "0.0", "1E5": "100000.0", "1.0e-7": "1e-7", "6.5e-05": "6.5e-5",
  ]
  /// Literals of decimals, and of numbers that are canonical.
  static let kept = ["-0", "1.10", "1e400", "-0.0", "12345678901234567890", "1e-400", "100", "0.1", "1e22"]

  private func numbers(_ text: String) -> [String] {
    text.split(separator: "\n").map { String($0.dropFirst("{\"k\":1,\"n\":".count).dropLast()) }
  }
  private func rows(_ literals: [String]) -> String {
    literals.map { "{\"k\":1,\"n\":\($0)}\n" }.joined()
  }

  @Test("conversions between text formats copy every literal") func text() {
    let shell = Shell(), literals = Self.kept + Self.reals.keys.sorted()
    // All together they are decimals, those with exponents alone are reals.
    for literals in [literals, Self.reals.keys.sorted()] + literals.map({ [$0] }) {
      shell.write("a.ndjson", rows(literals))
      for format in ["csv", "tsv", "json", "ndjson"] {
        let types = format.hasSuffix("sv") ? "--types n=decimal" : ""
        let done = shell.run(
          "bb-export --from a.ndjson -o b.\(format) -q && bb-export --from b.\(format) \(types) -f ndjson")
        #expect(done.err == "" && numbers(done.out) == literals, "\(format)")
      }
    }
  }

  @Test(
    "SQLite and stores keep decimals as they are spelled, and reals by their value",
    arguments: ["sqlite:s.db", "csv:s", "json:s"])
  func stores(_ storage: String) {
    let reals = Self.reals.keys.sorted()
    for (literals, wanted) in [(reals, reals.map { Self.reals[$0] ?? "" })]
      + (Self.kept + reals).map({ literal in
        ([literal, "1.10"], [literal, "1.10"])
      })
    {
      let shell = Shell()
      shell.write("a.ndjson", rows(literals))
      let sync = shell.run("bb-export sync --from a.ndjson --as t --storage \(storage) -q")
      let found = shell.run("bb-export t --storage \(storage) -f ndjson")
      #expect(sync.status == 0 && found.err == "" && numbers(found.out) == wanted, "\(literals)")
      let database = shell.run("bb-export --from a.ndjson -o b.db -q && bb-export --from b.db -f ndjson")
      // A plain database keeps values, not their spelling.
      let values = (numbers(database.out) + wanted).map { DecimalNumber(Array($0.utf8)) }
      #expect(database.err == "" && !values.contains(nil), "\(literals)")
      #expect(values.prefix(wanted.count) == values.suffix(wanted.count), "\(literals): \(database.out)")
    }
  }
}
