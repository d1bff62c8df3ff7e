package import CommandLineKit
import Glibc
import Rows

package enum ProcessLauncher {
  /// Runs the command of the process's arguments, and exits.
  /// - Parameters:
  ///   - name: the name of the program.
  ///   - version: its version, which `--version` prints without anything else.
  ///   - usesMainThread: whether the command runs on the main thread, which costs the least; else on a pool of
  ///     threads.
  ///   - services: connects the services, unless the arguments need none.
  package static func main(
    _ name: String, version: String, usesMainThread: Bool = false, _ application: @autoclosure () -> Application,
    services: (Report) -> AppServices
  ) {
    Terminal.occupyStandardDescriptors()
    Permissions.keepOwnerAccess()
    let report = Report(program: name)
    let arguments: [String]
    do throws(Problem) {
      arguments = try ProcessArguments.words()
      // This needs no further setup.
      if arguments == ["--version"] { return try Terminal.write("\(name) \(version)\n", to: 1) }
    } catch {
      if error.kind != .endOfPipe { report.problem(error) }
      exit(error.kind.exitCode)
    }
    ProcessMemory.keepFreed()
    Signals.hold()
    let services = services(report), application = application()
    let only = WorkThread.replacingPool()
    if usesMainThread || only != nil, Signals.serveOnThread(cleanUp: services.cleanUp) {
      let thread = only ?? WorkThread()
      Task.detached(executorPreference: thread) { exit(await application.run(arguments, in: services)) }
      thread.run()
    }
    // The main thread is free for signals.
    Task.detached { exit(await application.run(arguments, in: services)) }
    Signals.serve(cleanUp: services.cleanUp)
  }
}
