package import Rows

extension Setting {
  package static let relations = Setting("selection.relations")
  package static let calculation = Setting("selection.calculation")
  package static let sample = Setting("selection.sample")
  package static let count = Setting("selection.count")
  package static let aggregates = Setting("selection.aggregates")
  package static let memory = Setting("selection.memory")
  package static let order = Setting("selection.order")
  package static let dropped = Setting("selection.dropped")
  package static let filled = Setting("selection.filled")
}
