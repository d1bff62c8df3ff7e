import Rows

/// The memory that a process may use.
public enum AvailableMemory {
  /// A quarter of the available memory, at least 32 MiB and at most 1 GiB.
  public static var share: Int { min(1 << 30, max(32 << 20, (available ?? 1 << 30) / 4)) }

  /// The bytes that are available without swapping, and not above the limit of the control group; nil if the system
  /// does not tell.
  private static var available: Int? {
    let free = lines(of: "/proc/meminfo").first { $0.hasPrefix("MemAvailable:") }
      .flatMap { Int($0.split(at: " ").dropFirst().first ?? "") }.map { $0 << 10 }
    let limit = lines(of: "/sys/fs/cgroup/memory.max").first.flatMap { Int($0) }
    return [free, limit].compactMap(\.self).min()
  }

  private static func lines(of path: String) -> [Substring] {
    let bytes = try? FileByteSource(path: path).bytes(limit: FileLimit.configuration)
    return String(decoding: bytes ?? [], as: UTF8.self).split(at: "\n")
  }
}
