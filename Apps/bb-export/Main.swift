import AppShell
import CommandLineKit
import LiveServices
import bb_notes

@main enum Main {
  static func main() {
    // A release has one file, and bb-notes is a link to it.
    if ProcessArguments.program == "bb-notes" { return NotesProgram.main() }
    ProcessLauncher.main("bb-export", version: BBExport.version, BBExport.application) {
      LiveServices.export($0, version: BBExport.version)
    }
  }
}
