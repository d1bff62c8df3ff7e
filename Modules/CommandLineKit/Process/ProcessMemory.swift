internal import CSystem

/// The memory of the process.
public enum ProcessMemory {
  /// Keeps freed memory for what is allocated next. Call before other threads start.
  public static func keepFreed() { bb_keep_freed_memory() }
}
