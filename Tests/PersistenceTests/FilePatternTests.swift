import Glibc
import Persistence
import Rows
import TestSupport
import Testing

@Suite("files by pattern and by directory") struct FilePatternTests {
  private let directory = TemporaryDirectory()

  private func write(_ names: String...) throws {
    for name in names {
      var path = directory.path
      for part in name.split(separator: "/").dropLast() {
        path += "/\(part)"
        unsafe mkdir(path, 0o755)
      }
      close(unsafe open("\(directory.path)/\(name)", O_WRONLY | O_CREAT, 0o644))
    }
  }
  private func matches(_ pattern: String) throws -> [String] {
    try FilePattern.matches("\(directory.path)/\(pattern)").map { String($0.dropFirst(directory.path.count + 1)) }
  }

  @Test("two stars match directories at any depth, each file once") func depths() throws {
    try write("1.csv", "a/1.csv", "a/b/1.csv", "a/b/c/1.csv", "a/.h/1.csv", "x[1]/y/1.csv", "a/b/2.txt")
    let all = ["1.csv", "a/1.csv", "a/b/1.csv", "a/b/c/1.csv", "x[1]/y/1.csv"]
    #expect(try matches("**/*.csv") == all)
    #expect(try matches("**/**/**/*.csv") == all)
    #expect(try matches("**/*/**/*.csv") == Array(all.dropFirst()))
    #expect(try matches("a/**/*.csv") == ["a/1.csv", "a/b/1.csv", "a/b/c/1.csv"])
    #expect(try matches("*/**/1.csv") == Array(all.dropFirst()))
    #expect(try matches("**/b/**/*.csv") == ["a/b/1.csv", "a/b/c/1.csv"])
    #expect(try matches("**/none/*.csv") == [] && matches("none/**/*.csv") == [])
    #expect(try matches("a**/1.csv") == ["a/1.csv"])
  }

  @Test("loops of symbolic links end, and repeat no file") func loops() throws {
    try write("d/a/1.csv", "d/b/2.csv", "other/3.csv")
    unsafe symlink("..", directory.path + "/d/a/loop")
    unsafe symlink("..", directory.path + "/d/b/loop")
    unsafe symlink("../other", directory.path + "/d/link")
    let all = ["d/a/1.csv", "d/b/2.csv", "d/link/3.csv"]
    #expect(try matches("d/**/*.csv") == all)
    #expect(try matches("d/**/**/**/**/**/*.zzz") == [])
    let files = try FilePattern.files(below: directory.path + "/d")
    #expect(files == all.map { "\(directory.path)/\($0)" })
  }

  @Test("a pipe in a directory is refused without waiting for it") func pipe() throws {
    try write("d/1.csv")
    unsafe mkfifo(directory.path + "/d/2.csv", 0o600)
    let problem = #expect(throws: Problem.self) { try FilePattern.files(below: directory.path + "/d") }
    #expect(problem?.kind == .badData && problem?.place == directory.path + "/d/2.csv")
  }
}
