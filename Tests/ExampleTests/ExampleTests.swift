import Files
import Glibc
import Rows
import TestSupport
import Testing

@Suite("examples of the library products") struct ExampleTests {
  @Test("BBRows filters CSV into JSON Lines") func rows() async throws {
    let people = "name,age,zip\nAda,36,00123\nBen,17,04040\n"
    #expect(
      try await jsonLines(fromCSV: people, where: "age >= 18") == "{\"name\":\"Ada\",\"age\":36,\"zip\":\"00123\"}\n")
    await #expect(throws: Problem.self) { _ = try await jsonLines(fromCSV: people, where: "agee >= 18") }
  }
  @Test("BB exports a file to another format") func files() async throws {
    let directory = TemporaryDirectory().path
    let input = directory + "/people.csv", output = directory + "/adults.json"
    guard let file = unsafe fopen(input, "w") else { throw Problem(.cannotCreate, "cannot create", at: input) }
    unsafe fputs("name,age\nAda,36\nBen,17\n", file)
    unsafe fclose(file)
    #expect(try await export(input, where: "age >= 18", to: output) == 1)
    #expect(try Self.read(output) == "[\n{\"name\":\"Ada\",\"age\":36}\n]\n")
  }
  @Test(
    "the articles show the code that these tests run",
    arguments: [("Rows/Rows.docc/Rows.md", "FilterExample"), ("Domain/Domain.docc/UseTheLibrary.md", "ExportExample")])
  func articles(article: String, example: String) throws {
    let root = #filePath.replacing("Tests/ExampleTests/ExampleTests.swift", with: "")
    let text = try Self.read(root + "Modules/" + article),
      code = try Self.read(root + "Tests/ExampleTests/\(example).swift")
    #expect(text.contains("```swift\n\(code)```\n"), "copy \(example).swift into \(article)")
  }

  private static func read(_ path: String) throws(Problem) -> String {
    String(decoding: try FileByteSource(path: path).bytes(limit: 1 << 20), as: UTF8.self)
  }
}
