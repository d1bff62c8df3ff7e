package import Rows

extension Setting {
  package static let proxy = Setting("network.proxy")
  package static let certificates = Setting("network.certificates")
  package static let offline = Setting("network.offline")
  package static let deadline = Setting("network.deadline")
  package static let maximumBytes = Setting("network.maximumBytes")
  package static let server = Setting("source.server")
  package static let sourceVariable = Setting("source.variable")
}
