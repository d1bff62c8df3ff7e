public import CommandLineKit
import Glibc
import Rows

/// Runs a program as a process.
public enum ProcessLauncher {
  /// Runs the command of the process's arguments, and exits.
  /// - Parameters:
  ///   - executor: the executor of the command; nil for the default one.
  ///   - services: connects the services, unless the arguments need none.
  public static func main(
    _ application: Application, executor: @autoclosure () -> (any TaskExecutor)? = nil,
    services: (Report) -> AppServices
  ) {
    Terminal.occupyStandardDescriptors()
    Permissions.keepOwnerAccess()
    let program = application.program, report = Report(program: program.name)
    let arguments: [String]
    do throws(Problem) {
      arguments = try ProcessArguments.words()
      // This needs no further setup.
      if arguments == ["--version"] { return try Terminal.write("\(program.name) \(program.version)\n", to: 1) }
    } catch {
      if error.kind != .endOfPipe { report.problem(error) }
      exit(error.kind.exitCode)
    }
    Signals.hold()
    let services = services(report)
    // The main thread is free for signals.
    Task.detached(executorPreference: executor()) { exit(await application.run(arguments, in: services)) }
    Signals.serve(cleanUp: services.cleanUp)
  }
}
