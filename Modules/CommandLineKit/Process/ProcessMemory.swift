internal import CSystem

package enum ProcessMemory {
  /// Keeps freed memory for what is allocated next. Call before other threads start.
  package static func keepFreed() { bb_keep_freed_memory() }
}
