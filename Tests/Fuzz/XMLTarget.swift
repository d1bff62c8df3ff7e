import Documents
import Domain
import Rows

/// Any bytes at all, as XML. What must hold: nothing traps; there is one root; every element that begins ends, in
/// order.
func xml(_ bytes: [UInt8]) {
  var open: [String] = [], roots = 0
  do throws(Problem) {
    var reader = try XMLReader(bytes, name: "fuzz")
    while let event = try reader.next() {
      switch event {
      case .start(let name, _):
        if open.isEmpty { roots += 1 }
        open.append(name)
      case .text(let text): precondition(!text.isEmpty && !open.isEmpty, "a text nowhere")
      case .end(let name): precondition(open.popLast() == name, "another element ends")
      }
    }
    precondition(open.isEmpty && roots == 1, "read to its end, and incomplete")
    let more = try reader.next()
    precondition(more == nil, "something after the end")
    var records = 0
    try XMLElement.records(bytes, name: "fuzz", named: { _ in ["wpt"] }) { _ in records += 1 }
    let all = try XMLElement.document(bytes, name: "fuzz")
    // Outermost elements only; the root is never a record.
    func outermost(_ element: XMLElement) -> Int {
      element.elements.reduce(0) { $0 + ($1.name == "wpt" ? 1 : outermost($1)) }
    }
    precondition(records == outermost(all), "another number of records")
  } catch {
    precondition(error.kind == .badData, "\(error)")
  }
}
