import AppShell
import LiveServices

@main enum Main {
  static func main() {
    ProcessLauncher.main("bb-export", version: BBExport.version, BBExport.application) {
      LiveServices.export($0, version: BBExport.version)
    }
  }
}
