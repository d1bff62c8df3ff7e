import AppShell
import CommandLineKit
import Glibc
import Rows

@main enum Main {
  static func main() {
    Terminal.occupyStandardDescriptors()
    Permissions.keepOwnerAccess()
    let report = Report(program: "bb-notes")
    let arguments: [String]
    do throws(Problem) {
      arguments = try ProcessArguments.words()
      // This needs no further setup.
      if arguments == ["--version"] { return try Terminal.write("bb-notes \(BBNotes.version)\n", to: 1) }
    } catch {
      if error.kind != .endOfPipe { report.problem(error) }
      exit(error.kind.exitCode)
    }
    Signals.hold()
    let environment = Environment.live(report)
    // The main thread is free for signals.
    Task.detached(executorPreference: WorkThread()) { exit(await run(arguments, in: environment)) }
    Signals.serve(cleanUp: environment.cleanUp)
  }
}
