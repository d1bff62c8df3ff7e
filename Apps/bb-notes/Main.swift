import AppShell
import LiveServices

@main enum Main {
  static func main() {
    ProcessLauncher.main("bb-notes", version: BBNotes.version, usesMainThread: true, BBNotes.application) {
      LiveServices.notes($0, version: BBNotes.version)
    }
  }
}
