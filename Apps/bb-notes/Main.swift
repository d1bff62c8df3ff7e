import CommandLineKit
import Domain
import Glibc

@main enum Main {
  static func main() {
    Terminal.occupyStandardDescriptors()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Nothing of the rest need be set up to answer this.
    if arguments == ["--version"] { return answer("bb-notes \(BBNotes.version)") }
    let report = Report(program: "bb-notes")
    Signals.hold()
    let environment = Environment.live(report)
    // The main thread is free for signals.
    Task.detached(executorPreference: WorkThread()) { exit(await run(arguments, in: environment)) }
    Signals.serve(cleanUp: environment.cleanUp)
  }
  /// Writes a line and ends the process.
  private static func answer(_ line: String) {
    do throws(Problem) { try Terminal.write(line + "\n", to: 1) } catch { exit(error.kind.exitCode) }
  }
}
