import Conformance
import Fakes
import TestSupport
import Testing

/// The faults of a server that are over at once; `Tools/faults network` runs all of them, measures, and looks into the
/// cache.
@Suite("bb-export against servers that misbehave") struct FaultTests {
  private static let source = """
    {"bb_source": 1, "name": "faulty", "base_url": "http://127.0.0.1:9", "auth": {"type": "bearer", "env": "FAULT_TOKEN"},
     "datasets": [
      {"name": "items", "path": "/items", "records": "/data", "key": ["id"],
       "paging": {"type": "next_url", "pointer": "/next", "max_pages": 20},
       "columns": [{"name": "id", "type": "integer"}, {"name": "title"}]}]}
    """

  @Test("exit code, requests, the file that was there, one line", arguments: ServerFault.all.filter(\.isQuick))
  func fault(_ fault: ServerFault) throws {
    let server = try FaultServer(), shell = Shell("FAULT_TOKEN=S3CR3T")
    shell.write("faulty.json", Self.source)
    shell.write("out.csv", "old\n")
    let done = shell.run(
      "bb-export items --source faulty.json --api \(server.server.url)/\(fault.name) -f csv -o out.csv; echo $?; cat out.csv"
    )
    let status =
      switch fault.outcome {
      case .answered: "0"
      case .badData: "65"
      case .down: "69"
      }
    let lines = done.out.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    #expect(lines[0] == status, "\(done.err)")
    if fault.outcome == .answered {
      #expect(done.err == "" && lines[1].hasPrefix("id,title\n1,"), "\(done.err)")
    } else {
      #expect(done.err.utf8.count < 1600)
      #expect(lines[1] == "old\n" && isOneMessage(done.err), "\(done.err)")
      #expect(!done.err.contains("S3CR3T") && done.err.utf8.allSatisfy { $0 >= 32 || $0 == 10 }, "\(done.err)")
    }
    #expect(fault.requests.contains(server.requests(of: fault)))
  }
  @Test("a fault has one name") func names() {
    #expect(Set(ServerFault.all.map(\.name)).count == ServerFault.all.count)
    #expect(ServerFault.all.count >= 145)
  }
}
