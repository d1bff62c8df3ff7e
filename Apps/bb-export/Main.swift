import CommandLineKit
import Domain
import Glibc

@main enum Main {
  static func main() async {
    // Answered first: nothing of the rest need be set up for it.
    if CommandLine.arguments.dropFirst() == ["--version"] {
      exit(await run(["--version"], in: nil, report: Report(program: "bb-export")))
    }
    let report = Report(program: "bb-export")
    exit(await run(Array(CommandLine.arguments.dropFirst()), in: .live(report), report: report))
  }
}
