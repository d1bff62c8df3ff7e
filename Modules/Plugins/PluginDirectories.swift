import Files
import Glibc
import Rows

/// The directories that are searched for plug-ins, and the owners that are trusted there.
package struct PluginDirectories: Sendable {
  private let directories: [String]
  private let reserved: Set<String>

  /// - Parameters:
  ///   - directories: in order of precedence.
  ///   - reserved: names that no plug-in may have: those of the built-in formats.
  package init(_ directories: [String], reserved: [String]) {
    self.directories = directories
    self.reserved = Set(reserved)
  }

  /// `BB_PLUGIN_PATH`, the directory of the user, then those of the system.
  package static func usual(_ variables: [String: String], data: String) -> [String] {
    let own = (variables["BB_PLUGIN_PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return own + ["\(data)/plugins", "/usr/local/lib/bb/plugins", "/usr/lib/bb/plugins"]
  }

  /// All plug-ins, by name, including those that are refused.
  /// - Throws: `io` for a directory that exists and cannot be read.
  func all() throws(Problem) -> [Plugin] {
    var plugins: [String: Plugin] = [:]
    for directory in directories {
      for file in try names(in: directory) {
        guard file.hasPrefix(Self.prefix) else { continue }
        let name = String(file.dropFirst(Self.prefix.count))
        guard plugins[name] == nil, !name.isEmpty else { continue }
        plugins[name] = Plugin(
          name: name, path: "\(directory)/\(file)", refusal: refusal(name, directory, "\(directory)/\(file)"))
      }
    }
    return plugins.values.sorted { $0.name < $1.name }
  }

  private static let prefix = "bb-exporter-"

  /// The reason not to run a file: a program that another user can change would run as this user.
  private func refusal(_ name: String, _ directory: String, _ path: String) -> String? {
    guard name.utf8.first.map({ $0 &- 97 < 26 }) ?? false, PluginDescription.isWord(name) else {
      return "its name is not a letter followed by lower-case letters, digits and hyphens"
    }
    if reserved.contains(name) { return "conflicts with a built-in format" }
    guard let target = unsafe realpath(path, nil) else { return "dangling symbolic link" }
    defer { unsafe free(target) }
    let file = unsafe String(cString: target)
    for place in [directory, Temporaries.split(file).directory, file] {
      var status = stat()
      guard unsafe stat(place, &status) == 0 else { return "cannot access \(place)" }
      if status.st_uid != 0, status.st_uid != geteuid() { return "\(place) is owned by another user" }
      if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { return "\(place) is writable by other users" }
      if place == file, status.st_mode & S_IFMT != S_IFREG { return "is not a regular file" }
    }
    return unsafe access(file, X_OK) == 0 ? nil : "is not executable"
  }

  private func names(in directory: String) throws(Problem) -> [String] {
    guard let listing = unsafe opendir(directory) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw Problem.posix(errno, "read", directory)
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      names.append(name)
    }
    return names.sorted()
  }
}
