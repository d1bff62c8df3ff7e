import Dispatch
import Domain
import Files
import Parquet
import Rows
import Synchronization

/// The bytes of a file on a server: planned ones are requested before they are read, several ranges at a time.
///
/// Reading waits for bytes that have not arrived. The requests are made by other threads than those that read.
final class RemoteRanges: PlannedSource {
  /// Fetches the whole file into the cache.
  typealias Fetch = @Sendable () async throws(Problem) -> any RandomAccessSource

  /// Requests at a time, and the most bytes of one.
  private static let atATime = 8, largest = 8 << 20
  /// Smaller gaps are read, too, unless they add up.
  private static let gap = 256 << 10
  /// The bytes that are read ahead, and those that are kept after they were read.
  private static let ahead = 32 << 20, kept = 16 << 20

  fileprivate enum Bytes {
    case none, requested, here([UInt8]), failed(Problem)
  }
  fileprivate struct Segment {
    let end: Int
    var bytes = Bytes.none
    var wasRequested = false, wasRead = false
    /// When it was last read.
    var turn = 0
    var readers: [DispatchSemaphore] = []
  }
  fileprivate enum Whole {
    case unused, requested([DispatchSemaphore]), here(any RandomAccessSource), failed(Problem)
  }
  fileprivate struct State {
    /// By the first byte.
    var segments: [Int: Segment] = [:]
    /// The first bytes, ascending.
    var starts: [Int] = []
    /// The first bytes of planned segments in the order in which they are read, and the next that is requested.
    var order: [Int] = []
    var next = 0
    /// Bytes that were requested and not read yet, and bytes that were read.
    var ahead = 0, read = 0
    var turn = 0, requests = 0
    /// Whether reading begins with few bytes ahead.
    var mayEnd = false
    var tasks: [Int: Task<Void, Never>] = [:]
    var whole = Whole.unused
  }

  private let object: RemoteObject
  private let fetch: Fetch
  private let executor: any TaskExecutor
  private let state = Mutex(State())

  /// - Parameter fetch: called if most of the file is needed.
  init(_ object: RemoteObject, whole fetch: @escaping Fetch) {
    (self.object, self.fetch) = (object, fetch)
    executor = object.transport.readers.first ?? BlockingExecutor("bb.ranges")
  }

  deinit { state.withLock { for task in $0.tasks.values { task.cancel() } } }

  var name: String { object.place }
  var length: Int { object.length }
  private var tailStart: Int { object.length - object.tail.count }

  // MARK: - Plan

  /// Whether bytes were announced.
  var isPlanned: Bool {
    state.withLock { state in
      if case .unused = state.whole { return !state.order.isEmpty }
      return true
    }
  }

  func willRead(_ parts: [[Range<Int>]], mayEnd: Bool) {
    let parts = parts.map { part in
      part.map { $0.clamped(to: 0..<tailStart) }.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
    }
    let all = parts.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    if !mayEnd, all > length / 5 * 3 { return startWhole() }
    let starts = state.withLock { state in
      state.mayEnd = mayEnd
      var left = all / 25
      for part in parts {
        for start in Self.ordered(Self.joined(part, gaps: &left), isSmall: mayEnd).compactMap({ state.insert($0) }) {
          state.order.append(start)
        }
      }
      return Self.due(&state)
    }
    request(starts)
  }

  /// Ascending ranges, joined if the gap between them is small.
  /// - Parameter left: the bytes that gaps may have in all.
  private static func joined(_ ranges: [Range<Int>], gaps left: inout Int) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges {
      if let last = joined.last {
        let gap = max(0, range.lowerBound - last.upperBound)
        if gap < Self.gap, gap <= left {
          left -= gap
          joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
          continue
        }
      }
      joined.append(range)
    }
    return joined
  }

  /// Requests for the ranges of a part, in the order in which they are read: the columns of a large part alternate.
  private static func ordered(_ ranges: [Range<Int>], isSmall: Bool) -> [Range<Int>] {
    let all = ranges.reduce(0) { $0 + $1.count }
    let size = isSmall ? 1 << 18 : all <= ahead / 2 ? largest : max(1 << 18, min(largest, ahead / 2 / ranges.count))
    let pieces = ranges.map { range in
      stride(from: range.lowerBound, to: range.upperBound, by: size).map { $0..<min($0 + size, range.upperBound) }
    }
    if all <= ahead / 2, !isSmall { return pieces.flatMap(\.self) }
    return (0..<(pieces.map(\.count).max() ?? 0)).flatMap { place in
      pieces.compactMap { place < $0.count ? $0[place] : nil }
    }
  }

  // MARK: - Requests

  /// The segments that are requested now, by their first bytes.
  private static func due(_ state: inout State) -> [Int] {
    var due: [Int] = []
    let most = state.mayEnd ? min(ahead, max(1 << 20, 2 * state.read)) : ahead
    while state.next < state.order.count, state.requests < atATime {
      let start = state.order[state.next]
      guard let segment = state.segments[start], !segment.wasRequested else {
        state.next += 1
        continue
      }
      guard state.ahead == 0 || state.ahead + segment.end - start <= most else { break }
      state.begin(start)
      due.append(start)
      state.next += 1
    }
    return due
  }

  private func request(_ starts: [Int]) {
    for start in starts {
      guard let end = state.withLock({ $0.segments[start]?.end }) else { continue }
      let object = self.object
      let task = Task(executorPreference: executor) { [weak self] in
        let result: Result<[UInt8], Problem>
        do throws(Problem) { result = .success(try await object.bytes(in: start..<end)) } catch {
          result = .failure(error)
        }
        self?.receive(result, start)
      }
      state.withLock { if case .requested = $0.segments[start]?.bytes { $0.tasks[start] = task } }
    }
  }

  private func receive(_ result: Result<[UInt8], Problem>, _ start: Int) {
    let (readers, starts) = state.withLock { state in
      state.requests -= 1
      state.tasks[start] = nil
      let readers = state.segments[start]?.readers ?? []
      state.segments[start]?.readers = []
      switch result {
      case .success(let bytes): state.segments[start]?.bytes = .here(bytes)
      case .failure(let problem): state.segments[start]?.bytes = .failed(problem)
      }
      return (readers, Self.due(&state))
    }
    for reader in readers { reader.signal() }
    request(starts)
  }

  /// Fetches the whole file; later reads are of the copy.
  private func startWhole() {
    let isFirst = state.withLock { state in
      guard case .unused = state.whole else { return false }
      state.whole = .requested([])
      return true
    }
    guard isFirst else { return }
    let fetch = self.fetch
    let task = Task(executorPreference: executor) { [weak self] in
      let outcome: Whole
      do throws(Problem) { outcome = .here(try await fetch()) } catch { outcome = .failed(error) }
      let readers = self?.state.withLock { state in
        defer { state.whole = outcome }
        if case .requested(let readers) = state.whole { return readers }
        return []
      }
      for reader in readers ?? [] { reader.signal() }
    }
    state.withLock { $0.tasks[-1] = task }
  }

  // MARK: - Reading

  private enum Step {
    case bytes([UInt8], at: Int), file(any RandomAccessSource), failed(Problem)
    case wait(DispatchSemaphore, [Int])
  }

  func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    guard count > 0, offset >= 0, offset < length else { return 0 }
    if offset >= tailStart { return copy(object.tail, offset - tailStart, count, &text) }
    while true {
      switch state.withLock({ step(&$0, offset, count) }) {
      case .bytes(let bytes, let start):
        request(state.withLock { Self.due(&$0) })
        return copy(bytes, offset - start, count, &text)
      case .file(let file): return try file.read(at: offset, count: count, into: &text)
      case .failed(let problem): throw problem
      case .wait(let semaphore, let starts):
        request(starts)
        semaphore.wait()
      }
    }
  }

  private func copy(_ bytes: [UInt8], _ start: Int, _ count: Int, _ text: inout ArenaBuilder) -> Int {
    let end = min(bytes.count, start + count)
    text.append(bytes[start..<end])
    return end - start
  }

  private func step(_ state: inout State, _ offset: Int, _ count: Int) -> Step {
    switch state.whole {
    case .unused: break
    case .here(let file): return .file(file)
    case .failed(let problem): return .failed(problem)
    case .requested(let readers):
      let semaphore = DispatchSemaphore(value: 0)
      state.whole = .requested(readers + [semaphore])
      return .wait(semaphore, [])
    }
    let start = state.segment(with: offset, count: count, before: tailStart)
    guard let segment = state.segments[start] else { return .failed(object.changed) }
    switch segment.bytes {
    case .failed(let problem): return .failed(problem)
    case .here(let bytes):
      state.touch(start, kept: Self.kept)
      return .bytes(bytes, at: start)
    case .none, .requested:
      let semaphore = DispatchSemaphore(value: 0)
      state.segments[start]?.readers.append(semaphore)
      guard case .none = segment.bytes else { return .wait(semaphore, []) }
      state.begin(start)
      return .wait(semaphore, [start])
    }
  }
}

extension RemoteRanges.State {
  /// Adds a segment; its first byte, or nil if another one has it.
  fileprivate mutating func insert(_ range: Range<Int>) -> Int? {
    var place = starts.partition(after: range.lowerBound)
    var lower = place > 0 ? max(range.lowerBound, segments[starts[place - 1]]?.end ?? 0) : range.lowerBound
    while place < starts.count, starts[place] <= lower {
      lower = max(lower, segments[starts[place]]?.end ?? 0)
      place += 1
    }
    let upper = place < starts.count ? min(range.upperBound, starts[place]) : range.upperBound
    guard lower < upper else { return nil }
    starts.insert(lower, at: place)
    segments[lower] = RemoteRanges.Segment(end: upper)
    return lower
  }

  /// The segment of a byte, which is added if there is none.
  fileprivate mutating func segment(with offset: Int, count: Int, before limit: Int) -> Int {
    let place = starts.partition(after: offset)
    if place > 0, let end = segments[starts[place - 1]]?.end, offset < end { return starts[place - 1] }
    let end = min(limit, offset + min(8 << 20, max(count, 64 << 10)))
    return insert(offset..<end) ?? offset
  }

  fileprivate mutating func begin(_ start: Int) {
    guard let segment = segments[start] else { return }
    segments[start]?.bytes = .requested
    segments[start]?.wasRequested = true
    if !segment.wasRead { ahead += segment.end - start }
    requests += 1
  }

  /// Notes that a segment is read, and frees others that have been.
  fileprivate mutating func touch(_ start: Int, kept limit: Int) {
    turn += 1
    segments[start]?.turn = turn
    guard let segment = segments[start], !segment.wasRead else { return }
    segments[start]?.wasRead = true
    ahead -= segment.end - start
    read += segment.end - start
    func isKept(_ segment: RemoteRanges.Segment) -> Bool {
      if case .here = segment.bytes { return segment.wasRead }
      return false
    }
    var old = segments.filter { $0.key != start && isKept($0.value) }.sorted { $0.value.turn < $1.value.turn }[...]
    var size = old.reduce(0) { $0 + $1.value.end - $1.key }
    while size > limit, let first = old.popFirst() {
      segments[first.key]?.bytes = .none
      size -= first.value.end - first.key
    }
  }
}

extension [Int] {
  /// The number of elements, ascending, that are at most a value.
  fileprivate func partition(after value: Int) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
