import Codecs
import Domain

/// Any bytes at all, as XML. What must hold: nothing traps; there is one root; every element that begins ends, in order.
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
    precondition(open.isEmpty && roots == 1, "read to its end, and not whole")
    let more = try reader.next()
    precondition(more == nil, "something behind the end")
  } catch {
    precondition(error.kind == .badData, "\(error)")
  }
}
