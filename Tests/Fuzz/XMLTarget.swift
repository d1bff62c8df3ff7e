import Documents
import Rows

/// Any bytes at all, as XML. What must hold: nothing traps, and the records are the outermost elements of the document.
func xml(_ bytes: [UInt8]) {
  do throws(Problem) {
    var records = 0
    try XMLElement.records(bytes, name: "fuzz", isRecord: { !$1.isEmpty && $0.name == "wpt" }) { _ in records += 1 }
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
