import CommandLineKit
import Domain
import Glibc

@main enum Main {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let report = Report(program: "bb-notes")
    Signals.hold()
    let environment = Environment.live(report)
    // The main thread is free for signals.
    Task.detached { exit(await run(arguments, in: environment)) }
    Signals.serve(cleanUp: environment.cleanUp)
  }
}
