import Codecs

/// What bb knows about the folder as it left it, written into the lock file: may be lost, and is then found out again.
struct FolderState: Equatable {
  /// The last entry of the history that is in the files.
  var finished = 0
  /// The length of the history's file then, in bytes.
  var historySize = 0
  /// The new file of a table that is being loaded; its rows are not in the history.
  var loading: FileStamp?
  /// The files as bb left them: whole, and in order.
  var files: [String: File] = [:]

  /// A table's file.
  struct File: Equatable {
    let stamp: FileStamp
    /// Columns that a person added.
    let extras: [String]
  }

  init() {}

  /// What `bytes` say; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard let document = try? JSON.parse(bytes, name: ""), let finished = document["finished"]?.integerValue,
      let size = document["history"]?.integerValue, let list = document["files"]?.objectMembers
    else { return nil }
    self.finished = Int(finished)
    historySize = Int(size)
    loading = document["loading"]?.arrayValue.flatMap { FileStamp($0.compactMap(\.integerValue)) }
    for member in list {
      let numbers = member.value["stamp"]?.arrayValue?.compactMap(\.integerValue) ?? []
      guard let stamp = FileStamp(numbers) else { return nil }
      let extras = member.value["extras"]?.arrayValue?.compactMap(\.stringValue) ?? []
      files[member.name] = File(stamp: stamp, extras: extras)
    }
  }

  /// The text to be written.
  var bytes: [UInt8] {
    let list = files.sorted { $0.key < $1.key }.map { name, file in
      JSON.Member(
        Array(name.utf8),
        .object([
          "stamp": .array(file.stamp.numbers.map { .number($0) }), "extras": .array(file.extras.map { .string($0) }),
        ]))
    }
    return JSON.object([
      "finished": .number(Int64(finished)), "history": .number(Int64(historySize)),
      "loading": loading.map { .array($0.numbers.map { .number($0) }) } ?? .null, "files": .object(list),
    ]).canonicalBytes + [0x0A]
  }
}
