import Glibc
import Synchronization

/// Files and directories that are removed when the process is interrupted, unless they were renamed before.
public enum Temporaries {
  private static let paths = Mutex<Set<String>>([])
  /// Directories that are removed with their contents.
  private static let trees = Mutex<Set<String>>([])

  /// Removes every temporary of a process that is about to end, and calls `ending`; none is created concurrently. May
  /// be called from the thread that waits for signals.
  public static func removeAll(ending: () -> Void = {}) {
    paths.withLock { paths in
      for path in paths { _ = remove(path) }
      for tree in trees.withLock({ $0 }) { DirectoryListing.removeAll(tree) }
      ending()
    }
  }

  /// Makes a temporary for writing; below zero, with `errno`, when it cannot be made.
  package static func make(_ path: String, mode: UInt32) -> Int32 {
    paths.withLock { paths in
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
      if descriptor >= 0 { paths.insert(path) }
      return descriptor
    }
  }
  /// Creates a directory that only this process uses, removed likewise once it is empty.
  package static func makeTemporaryDirectory(_ path: String) -> Int32 {
    paths.withLock { paths in
      let code = makeDirectory(path, mode: 0o700)
      if code == 0 { paths.insert(path) }
      return code
    }
  }
  /// Makes a directory that is removed likewise, with its contents.
  package static func makeTree(_ path: String) -> Int32 {
    paths.withLock { _ in
      let code = makeDirectory(path, mode: 0o777)
      if code == 0 { trees.withLock { _ = $0.insert(path) } }
      return code
    }
  }
  /// Makes a directory; below zero, with `errno`, if it cannot be made.
  package static func makeDirectory(_ path: String, mode: UInt32) -> Int32 { unsafe mkdir(path, mode) }
  /// Removes a file, or an empty directory; returns whether it was removed.
  package static func remove(_ path: String) -> Bool { unsafe Glibc.remove(path) == 0 }
  /// Renames a file, also in place of another; returns whether it was renamed.
  package static func move(_ path: String, to target: String) -> Bool { unsafe rename(path, target) == 0 }
  package static func forgetTree(_ path: String) { trees.withLock { _ = $0.remove(path) } }
  /// Counts a path among the temporaries before there is anything.
  package static func expect(_ path: String) { paths.withLock { _ = $0.insert(path) } }
  package static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// An unused name in the directory of `path`: hidden, and with the process id, which identifies left-overs of dead
  /// processes. Of a long name only the beginning, because a name has at most 255 bytes.
  package static func name(beside path: String) -> String {
    let (directory, name) = split(path)
    return "\(directory)/\(stem(of: name))\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
  }

  private static func stem(of whole: String) -> String {
    var name = whole
    while name.utf8.count > 200 { name.unicodeScalars.removeLast() }
    return ".\(name).tmp."
  }

  /// Whether a name is one that `name(beside:)` gives.
  package static func isName(_ name: String, beside target: String) -> Bool {
    let stem = stem(of: target).utf8
    let rest = name.utf8.dropFirst(stem.count).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return name.utf8.starts(with: stem) && rest.count == 2
      && rest.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- 48 < 10 || $0 &- 97 < 26 } }
  }

  /// The directory (`.` if the path has none) and the last component of a path.
  package static func split(_ path: String) -> (directory: String, name: String) {
    // By bytes: a name may begin with a combining mark.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let directory = path[..<slash]
    return (directory.isEmpty ? "/" : String(directory), String(path[path.utf8.index(after: slash)...]))
  }
}
