import Codecs
import Conformance
import Domain

/// How documents of exact formats are read back with bb's own readers.
enum Readers {
  static func reader(
    of exporter: any Exporter, _ options: ExportOptions = ExportOptions()
  ) -> ExporterFixture.Reader? {
    nil
  }
}
