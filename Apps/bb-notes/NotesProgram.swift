import AppShell
import LiveServices

/// The program bb-notes, connected to its services.
public enum NotesProgram {
  /// Runs the command of the process's arguments, and exits.
  public static func main() {
    ProcessLauncher.main("bb-notes", version: BBNotes.version, usesMainThread: true, BBNotes.application) {
      LiveServices.notes($0, version: BBNotes.version)
    }
  }
}
