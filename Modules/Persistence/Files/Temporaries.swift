import Glibc
import Synchronization

/// Files and folders that must not outlive the process unless they are renamed: removed when it is interrupted.
public enum Temporaries {
  private static let paths = Mutex<Set<String>>([])

  /// Removes every temporary, for a process that is about to end, and calls `ending`; no other is made meanwhile. May be called from the thread that
  /// waits for signals.
  public static func removeAll(ending: () -> Void = {}) {
    paths.withLock { paths in
      for path in paths { unsafe remove(path) }
      ending()
    }
  }

  /// Makes a temporary for writing; below zero, with `errno`, when it cannot be made.
  static func make(_ path: String, mode: UInt32) -> Int32 {
    paths.withLock { paths in
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
      if descriptor >= 0 { paths.insert(path) }
      return descriptor
    }
  }
  /// Makes a folder that only this process uses, removed likewise once it is empty.
  static func makeFolder(_ path: String) -> Int32 {
    paths.withLock { paths in
      let code = unsafe mkdir(path, 0o700)
      if code == 0 { paths.insert(path) }
      return code
    }
  }
  /// Counts a path among the temporaries before there is anything.
  static func expect(_ path: String) { paths.withLock { _ = $0.insert(path) } }
  static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// A name beside `path` that nobody uses: hidden, with the process's number so that left-overs of dead processes can be told. Of a long name only
  /// the beginning, as a name has at most 255 bytes.
  static func name(beside path: String) -> String {
    let (folder, whole) = split(path)
    var name = whole
    while name.utf8.count > 200 { name.unicodeScalars.removeLast() }
    return "\(folder)/.\(name).tmp.\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
  }

  /// The folder (`.` when there is none) and the last part of a path.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }
}
