import Codecs
import Files

/// The files of a directory store as bb left them: whole, and in order of the key. It is written into the lock file,
/// may be lost, and is then found out again.
struct DirectoryState: Equatable {
  var files: [String: File] = [:]

  struct File: Equatable {
    let stamp: FileStamp
    /// Columns that a user added.
    let extras: [String]

    init(stamp: FileStamp, extras: [String]) {
      self.stamp = stamp
      self.extras = extras
    }

    init?(_ json: JSON) {
      guard let stamp = FileStamp(json["stamp"]?.arrayValue?.compactMap(\.integerValue) ?? []) else { return nil }
      self.stamp = stamp
      extras = json["extras"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    var json: JSON {
      .object(["stamp": .array(stamp.numbers.map { .number($0) }), "extras": .array(extras.map { .string($0) })])
    }
  }

  init() {}

  /// What `bytes` describe; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard let document = try? JSON.parse(bytes, name: ""), let list = document["files"]?.objectMembers else {
      return nil
    }
    for member in list {
      guard let file = File(member.value) else { return nil }
      files[member.name] = file
    }
  }

  var bytes: [UInt8] {
    let list = files.sorted { $0.key < $1.key }.map { JSON.Member(Array($0.key.utf8), $0.value.json) }
    return JSON.object(["files": .object(list)]).canonicalBytes + [0x0A]
  }
}
