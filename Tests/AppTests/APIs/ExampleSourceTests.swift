import Codecs
import Glibc
import TestSupport
import Testing

/// The descriptions of well-known services in the article, against recorded responses in the shape that the services
/// document.
@Suite("the examples of the article on APIs") struct ExampleSourceTests {
  private static let top = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
  private static let article = top + "/Modules/Domain/Domain.docc/DescribeAnAPI.md"

  /// The JSON blocks of the article that are complete definitions, by the name of the source.
  private static func definitions() throws -> [String: String] {
    var definitions: [String: String] = [:]
    for block in Shell.read(article).components(between: "```json\n", and: "\n```") {
      guard let document = try? JSON.parse(Array(block.utf8), name: "the article"),
        let name = document["name"]?.stringValue, document["bb_source"] != nil
      else { continue }
      definitions[name] = block
    }
    return definitions
  }

  @Test("every definition is valid") func valid() async throws {
    let definitions = try Self.definitions()
    #expect(definitions.count >= 5)
    for (name, text) in definitions {
      let console = Console(), path = console.write(text, to: "\(name).json")
      let done = await console.run("bb-export sources check \(path)")
      #expect(done.status == 0, "\(done.err)")
    }
  }

  @Test("the rows of a service are as expected", arguments: ["github", "stripe", "tvmaze"])
  func rows(name: String) async throws {
    let text = try #require(try Self.definitions()[name]), console = Console()
    let path = console.write(text, to: "\(name).json")
    let done = await console.run("bb-export sources test \(path) \(Self.top)/Tests/Fixtures/recordings/\(name)")
    #expect(done.status == 0 && done.err.contains("as expected") && !done.err.contains("warning"), "\(done.err)")
  }
}

extension String {
  /// The parts of the text between two marks.
  fileprivate func components(between start: String, and end: String) -> [String] {
    var parts: [String] = [], rest = Substring(self)
    while let first = rest.firstRange(of: start), let last = rest[first.upperBound...].firstRange(of: end) {
      parts.append(String(rest[first.upperBound..<last.lowerBound]))
      rest = rest[last.upperBound...]
    }
    return parts
  }
}
