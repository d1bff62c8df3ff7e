import Codecs
import Glibc
import Rows
import Testing

/// The parsing tests of github.com/nst/JSONTestSuite, read from the directory of test data; not part of this project.
@Suite(
  "JSONTestSuite", .enabled(if: ParsingSuite.path != nil, "set BB_TEST_DATA to a directory with suites/JSONTestSuite"))
struct JSONSuiteTests {
  @Test("accepts what must be accepted, refuses what must be refused, and never crashes") func parsing() throws {
    let directory = try #require(ParsingSuite.path)
    let names = ParsingSuite.names(in: directory)
    #expect(names.count > 100)
    for name in names {
      let bytes = try #require(ParsingSuite.bytes(of: directory + "/" + name), "\(name)")
      switch name.utf8.first {
      case UInt8(ascii: "y"):
        #expect(throws: Never.self, "\(name)") { try JSON.parse(bytes, name: name, duplicateKeys: .kept) }
        if !name.contains("duplicated_key") {
          #expect(throws: Never.self, "\(name)") { try JSON.parse(bytes, name: name) }
        }
      case UInt8(ascii: "n"): refused(bytes, name, .kept)
      default:
        do {
          _ = try JSON.parse(bytes, name: name)
        } catch {
          #expect(error.kind == .badData, "\(name)")
        }
      }
    }
    for name in names where name.hasPrefix("y_object_duplicated_key") {
      refused(try #require(ParsingSuite.bytes(of: directory + "/" + name)), name, .refused)
    }
  }

  private func refused(_ bytes: [UInt8], _ name: String, _ duplicateKeys: JSON.DuplicateKeys) {
    do {
      _ = try JSON.parse(bytes, name: "x", duplicateKeys: duplicateKeys)
      Issue.record("\(name) was accepted")
    } catch {
      #expect(error.kind == .badData, "\(name)")
      let place = error.place.split(separator: ":")
      #expect(place.count == 3 && Int(place[1]) != nil && Int(place[2]) != nil, "\(name): \(error.place)")
    }
  }
}

enum ParsingSuite {
  static let path: String? = {
    guard let root = unsafe getenv("BB_TEST_DATA") else { return nil }
    let path = unsafe String(cString: root) + "/suites/JSONTestSuite/test_parsing"
    return unsafe access(path, R_OK) == 0 ? path : nil
  }()

  static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      guard let entry = unsafe readdir(directory) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
      }
      if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
  }

  static func bytes(of path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(file, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += buffer[..<count]
    }
  }
}
