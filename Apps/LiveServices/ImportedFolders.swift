import Documents
import Domain
import Files
import Glibc
import Persistence
import Rows

/// The files of a directory, and of those within.
struct DirectoryFiles: NamedFiles {
  let name: String
  let names: [String]
  private static let deepest = 8, most = 1 << 16

  init(_ path: String) throws(Problem) {
    name = path
    var names: [String] = [], waiting = [(prefix: "", depth: 0)]
    while let (prefix, depth) = waiting.popLast() {
      for entry in try DirectoryListing.names("\(path)/\(prefix)") ?? [] {
        if depth < Self.deepest, FilePattern.isDirectory("\(path)/\(prefix)\(entry)") {
          waiting.append(("\(prefix)\(entry)/", depth + 1))
        } else {
          names.append(prefix + entry)
        }
        guard names.count + waiting.count <= Self.most else {
          throw Problem(.badData, "the directory has more than \(Self.most) files", at: path)
        }
      }
    }
    self.names = names.sorted()
  }
  func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8] {
    try FileByteSource(input: "\(self.name)/\(name)").bytes(limit: limit)
  }
}

struct ArchiveFiles: NamedFiles {
  let name: String
  let zip: ZipFiles
  var names: [String] { zip.names }
  func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8] { try zip.bytes(of: name, limit: limit) }
}

/// One file; a pipe is read when it is opened.
struct OneFile: NamedFiles {
  let name: String
  let names: [String]
  private let piped: [UInt8]?

  init(_ path: String, _ file: FileByteSource) throws(Problem) {
    name = path
    let isFile = path != "-" && (file.status().map { $0.st_mode & S_IFMT == S_IFREG } ?? false)
    piped = isFile ? nil : try file.bytes(limit: 256 << 20)
    let isJSON = piped?.first { $0 > 0x20 }.map { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } ?? false
    names = isFile ? path.split(separator: "/").last.map { [String($0)] } ?? [] : [isJSON ? "input.json" : "input.csv"]
  }
  func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8] {
    if let piped { return piped }
    return try FileByteSource(input: self.name).bytes(limit: limit)
  }
}
