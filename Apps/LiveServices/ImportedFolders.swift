import Documents
import Domain
import Files
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

struct OneFile: NamedFiles {
  let name: String
  var names: [String] { name.split(separator: "/").last.map { [String($0)] } ?? [] }
  func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8] {
    try FileByteSource(input: self.name).bytes(limit: limit)
  }
}
