import Conformance
import Fakes
import Glibc
import Rows

/// The fault server as a program, for `Tools/faults network`: prints its port and its faults as one line of JSON, and
/// lives until its standard input ends.
@main enum Main {
  static func main() {
    do throws(Problem) {
      let server = try FaultServer()
      let line = server.table + [10]
      guard unsafe write(1, line, line.count) == line.count else { exit(74) }
      var byte: UInt8 = 0
      while unsafe read(0, &byte, 1) > 0 {}
    } catch {
      let text = Array("\(error)\n".utf8)
      _ = unsafe write(2, text, text.count)
      exit(error.kind.exitCode)
    }
  }
}
