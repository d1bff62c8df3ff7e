import Codecs
package import Conformance
package import Rows
import Synchronization

/// A server that misbehaves on request: below `/NAME` it has the fault of that name.
///
/// Requests to `/!well/NAME` and `/!ill/NAME` switch the fault off and on, so that a valid response gets into a cache;
/// `/!asked/NAME` returns the number of requests since then, and whether a key reached the server under another name.
package final class FaultServer: Sendable {
  private struct State {
    var well: Set<String> = []
    var asked: [String: Int] = [:]
    var leaks: [String: Int] = [:]
  }

  /// The requests for a fault so far.
  private final class Record: Sendable {
    let state = Mutex(State())
    let port = Mutex<UInt16>(0)
  }

  /// The server itself.
  package let server: LoopbackServer
  private let record: Record

  /// Starts a server on a free port of this computer.
  /// - Throws: `io` when there is none.
  package init() throws(Problem) {
    let record = Record()
    let faults = Dictionary(uniqueKeysWithValues: ServerFault.all.map { ($0.name, $0) })
    self.record = record
    server = try LoopbackServer { request in
      let parts = request.path.split(separator: "/").map(String.init)
      guard parts.count >= 2 else { return .json("{}", status: 404) }
      if parts[0].hasPrefix("!") { return Self.told(parts[0], parts[1], record) }
      guard let fault = faults[parts[0]] else { return .json("{}", status: 404) }
      let (isWell, number) = record.state.withLock { state in
        state.asked[fault.name, default: 0] += 1
        if request.headers["host"]?.hasPrefix("localhost") == true, request.headers["authorization"] != nil {
          state.leaks[fault.name, default: 0] += 1
        }
        return (state.well.contains(fault.name), state.asked[fault.name] ?? 1)
      }
      if isWell { return .steps([.send(FaultText.answer())]) }
      return fault.answered(ServerFault.Call(request: request, number: number, port: record.port.withLock { $0 }))
    }
    let port = server.port
    record.port.withLock { $0 = port }
  }

  /// The number of requests for a fault since it was last switched on or off.
  package func requests(of fault: ServerFault) -> Int { record.state.withLock { $0.asked[fault.name] ?? 0 } }

  private static func told(_ order: String, _ name: String, _ record: Record) -> LoopbackServer.Answer {
    record.state.withLock { state in
      let asked = state.asked[name] ?? 0, leaks = state.leaks[name] ?? 0
      switch order {
      case "!well": state.well.insert(name)
      case "!ill": state.well.remove(name)
      default: return .json(#"{"asked":\#(asked),"leaks":\#(leaks)}"#)
      }
      (state.asked[name], state.leaks[name]) = (nil, nil)
      return .json("{}")
    }
  }

  /// The port and every fault with what it must lead to, as one line of JSON: for a harness in another language.
  package var table: [UInt8] {
    let faults = ServerFault.groups.flatMap { group in
      group.faults.map { fault in
        JSON.object([
          "name": .string(fault.name), "group": .string(group.name), "outcome": .string(fault.outcome.rawValue),
          "least": .number(Int64(fault.requests.lowerBound)), "most": .number(Int64(fault.requests.upperBound)),
          "quick": .boolean(fault.isQuick),
        ])
      }
    }
    return JSON.object(["port": .number(Int64(server.port)), "faults": .array(faults)]).canonicalBytes
  }
}
