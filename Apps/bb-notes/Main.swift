import AppShell
import CommandLineKit
import LiveServices

@main enum Main {
  static func main() {
    ProcessLauncher.main(BBNotes.application, executor: WorkThread()) {
      LiveServices.notes($0, version: BBNotes.version)
    }
  }
}
