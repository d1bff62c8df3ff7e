import AppShell
import LiveServices

@main enum Main {
  static func main() {
    ProcessLauncher.main(BBExport.application) { LiveServices.export($0, version: BBExport.version) }
  }
}
