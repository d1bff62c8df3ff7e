import Glibc

/// The memory that a process may use.
enum AvailableMemory {
  /// A quarter of the available memory, at least 32 MiB and at most 1 GiB.
  static var share: Int { min(1 << 30, max(32 << 20, (available ?? 1 << 30) / 4)) }

  /// The bytes that are available without swapping, and not above the limit of the control group.
  private static var available: Int? {
    let free = text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
      .flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }.map { $0 << 10 }
    let limit = text("/sys/fs/cgroup/memory.max").flatMap { Int($0.split(separator: "\n").first ?? "") }
    return [free, limit].compactMap(\.self).min()
  }

  /// The first 4 KiB of a file of the kernel.
  private static func text(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
