import Codecs
import Rows

/// The way of an incremental sync through the records of one parent: in windows, or page by page.
final class SyncWalk {
  private let plan: SyncPlan
  private let source: any IncrementalSource
  private let step: SyncStep
  private let options: IncrementalSync.Options
  private let time: String
  private let firstRequest: Int
  private let type: ColumnType
  /// The number of all pages, as the source announced it.
  private(set) var pages: Int?

  init(
    _ plan: SyncPlan, _ source: any IncrementalSource, _ step: SyncStep, _ options: IncrementalSync.Options,
    time: String, firstRequest: Int
  ) {
    (self.plan, self.source, self.step, self.options) = (plan, source, step, options)
    (self.time, self.firstRequest) = (time, firstRequest)
    type = plan.schema.position(of: plan.increment.column).map { plan.schema.columns[$0].type } ?? .text
  }

  private var increment: SourceIncrement { plan.increment }
  /// Whether the stored cursor stays where it is.
  private var isRange: Bool { options.since != nil || options.until != nil }

  /// Stores the records of a parent after the cursor of `state`.
  /// - Returns: false if the limit of requests ended it.
  func run(_ parent: SyncParent, _ state: SyncState) async throws(Problem) -> Bool {
    increment.window == nil ? try await list(parent, state) : try await windows(parent, state)
  }

  private var isAtLimit: Bool {
    options.maximumRequests.map { source.requestCount - firstRequest >= $0 } ?? false
  }

  /// A cursor that a user or the description gives.
  private func cursor(_ text: String?, _ what: String) throws(Problem) -> SyncCursor? {
    guard let text else { return nil }
    if let cursor = SyncCursor(text, type) { return cursor }
    throw Problem(
      .configuration, "invalid \(what) “\(text)”: expected \(type.name)", at: plan.schema.name,
      hint: type == .integer ? "use an integer" : "use a time, for example 2024-05-01T00:00:00Z")
  }

  private func parameters(_ from: SyncCursor?, _ to: SyncCursor?) -> [SourceParameter] {
    var parameters: [SourceParameter] = []
    if let name = increment.parameter, let from {
      parameters.append(SourceParameter(name, from.text(increment.format)))
    }
    if let name = increment.endParameter, let to {
      parameters.append(SourceParameter(name, to.text(increment.format)))
    }
    return parameters
  }

  /// The first cursor of a run: after a completed run, earlier by `lookback`.
  private func first(_ state: SyncState) throws(Problem) -> SyncCursor? {
    if let since = try cursor(options.since, "first value") { return since }
    let start = try cursor(increment.start, "start")
    guard let cursor = try cursor(state.cursor, "stored cursor") else { return start }
    return state.isComplete ? cursor.moved(by: -(increment.lookback?.amount ?? 0)) : cursor
  }

  /// Whether the cursor moves before the end of a list.
  private var movesWithin: Bool { increment.order == .ascending }

  // MARK: - Pages

  /// One list, from the cursor to its end.
  private func list(_ parent: SyncParent, _ first: SyncState) async throws(Problem) -> Bool {
    let position = SyncPosition(plan, step, first, try cursor(first.cursor, "stored cursor"))
    let until = try cursor(options.until, "last value")
    // A list in descending order is read down to here.
    let bound = try self.first(first), wasComplete = first.isComplete && !isRange
    var from = bound, mayBeSkipped = true
    position.state.isComplete = false
    while true {
      if isAtLimit { return try await finish(position, isComplete: false) }
      var request = SyncRequest(plan.schema.name, parent, parameters(from, until))
      if mayBeSkipped, let limit = plan.offsetLimit, increment.isInclusive, increment.order == .ascending,
        !wasComplete, !isRange, first.ties >= limit, from == position.stored, position.stored != nil
      {
        request.skipped = first.ties - 1
      }
      position.begin(at: from, skipped: request.skipped)
      var isMoved = false, isBehind = false, isFirstPage = true
      let reading = try await source.read(request) { (page) async throws(Problem) in
        if isFirstPage, request.skipped > 0, !position.continues(page) {
          isMoved = true
          return false
        }
        isFirstPage = false
        if let known = page.pages { pages = max(pages ?? 0, known) }
        var page = page
        if let until, increment.endParameter == nil {
          let count = page.rows.count
          page.rows.removeAll { step.cursor(of: $0).map { $0 > until } ?? false }
          isBehind = increment.order == .ascending && page.rows.count < count
        }
        try position.take(page)
        if let bound, increment.order == .descending, !page.isLast {
          isBehind = position.least.map { $0 < bound } ?? false
        }
        if step.isDue, !page.isLast { try await step.commit(&position.state, keeping: isRange) }
        // A run that stored no progress would be repeated for ever.
        let hasMoved = position.state.cursor != first.cursor || position.state.ties != first.ties
        return !isBehind && !(isAtLimit && !page.isLast && (hasMoved || !movesWithin))
      }
      if isMoved {
        // Records that shared the cursor have changed since.
        mayBeSkipped = false
        position.state.ties = 0
        continue
      }
      switch reading {
      case .stopped: return try await finish(position, isComplete: isBehind)
      case .complete:
        guard plan.isKeyset, let last = position.greatest else { return try await finish(position, isComplete: true) }
        // A later response like the first, with records of the requested cursor alone, may be one of several.
        if position.isStuck(at: from) { throw stuck(last) }
        guard position.hasNew, last != from else { return try await finish(position, isComplete: true) }
        if step.isDue { try await position.commit(requested: from, keeping: isRange) }
        from = last
      case .full:
        guard increment.order == .ascending, let last = position.greatest, from.map({ $0 < last }) ?? true else {
          throw increment.order == .ascending ? stuck(position.greatest ?? from) : tooLong(from)
        }
        try await step.commit(&position.state, keeping: isRange)
        from = last
      }
    }
  }

  private func finish(_ position: SyncPosition, isComplete: Bool) async throws(Problem) -> Bool {
    if isComplete { position.complete() }
    try await step.commit(&position.state, keeping: isRange)
    return isComplete
  }

  private func stuck(_ cursor: SyncCursor?) -> Problem {
    let whole = "if one response is the whole list, write “paging”: {“type”: “none”}"
    return Problem(
      .badData, "more records share \(increment.column) \(cursor?.text ?? "") than the API returns",
      at: plan.schema.name,
      hint: .advice("describe the paging of the list" + (plan.isKeyset ? "; \(whole)" : "")))
  }
  private func tooLong(_ cursor: SyncCursor?) -> Problem {
    Problem(
      .badData, "the API has more records\(cursor.map { " since \($0.text)" } ?? "") than it returns",
      at: plan.schema.name, hint: "raise max_pages, or add “window” or “order” to “incremental”")
  }

  // MARK: - Windows

  /// Windows one after the other, each stored whole; one with more records than the API returns is halved.
  private func windows(_ parent: SyncParent, _ first: SyncState) async throws(Problem) -> Bool {
    var state = first
    guard var from = try self.first(state), let now = try cursor(options.until ?? time, "last value"),
      let usual = increment.window?.amount
    else { return true }
    if !state.isComplete, !isRange, let end = try cursor(state.windowEnd, "stored window") { from = end }
    var greatest = try cursor(state.cursor, "stored cursor"), length = usual
    let unit = from.unit(increment.format), end = options.until == nil ? now.moved(by: unit) : now
    state.isComplete = false
    while from < end {
      if isAtLimit { return false }
      let to = min(from.moved(by: length), end)
      // What ends a window may not begin the next one.
      let begin = increment.isInclusive ? from : from.moved(by: -unit)
      var records = 0, isTooLarge = false, last = greatest
      let reading = try await source.read(SyncRequest(plan.schema.name, parent, parameters(begin, to))) {
        (page) async throws(Problem) in
        step.add(page)
        records += page.rows.count
        for row in page.rows { last = [last, step.cursor(of: row)].compactMap(\.self).max() }
        isTooLarge = step.count > SyncStep.mostOfWindow
        // The first window of a run is stored whole: a run without progress would be repeated for ever.
        return !isTooLarge && (!isAtLimit || page.isLast || step.commits == 0)
      }
      if case .full = reading { isTooLarge = true }
      if isTooLarge {
        step.drop()
        guard from.distance(to: to) > unit else {
          throw Problem(
            .badData, "the API has more records from \(from.text) to \(to.text) than it returns", at: plan.schema.name,
            hint: "raise max_pages")
        }
        length = max(unit, from.distance(to: to) / 2)
        continue
      }
      if case .stopped = reading {
        step.drop()
        return false
      }
      greatest = last
      state.records += records
      state.cursor = greatest?.text
      state.windowEnd = to.text
      from = to
      state.isComplete = from >= end
      try await step.commit(&state, keeping: isRange)
      length = min(usual, length * 2)
    }
    return true
  }
}

/// The place in a list, and what may be stored as the cursor there.
final class SyncPosition {
  private let plan: SyncPlan
  private let step: SyncStep
  let stored: SyncCursor?
  var state: SyncState
  /// The greatest cursor so far, and the greatest before it.
  private(set) var greatest: SyncCursor?
  private var previous: SyncCursor?
  /// The least cursor of the last page.
  private(set) var least: SyncCursor?
  /// Whether the list had records that the run has not stored.
  private(set) var hasNew = false
  /// Digests of the keys of all records of the run.
  private var known: Set<KeyDigest> = []
  /// The records of the first list, and of the last one; and the lists so far.
  private var firstCount = 0, count = 0, lists = 0
  private var last: SyncCursor?
  private var ties = 0

  init(_ plan: SyncPlan, _ step: SyncStep, _ state: SyncState, _ stored: SyncCursor?) {
    (self.plan, self.step, self.state, self.stored) = (plan, step, state, stored)
    greatest = stored
  }

  func begin(at from: SyncCursor?, skipped: Int) {
    last = skipped > 0 ? from : nil
    ties = skipped
    hasNew = false
    count = 0
    lists += 1
  }

  /// Whether a list cannot continue at a cursor that all of its records have: it is as long as the first one, or has
  /// other records. The first list of a later run has the last records of the run before.
  func isStuck(at from: SyncCursor?) -> Bool {
    guard let from, ties == count, last == from, lists > 1 || stored == nil else { return false }
    return hasNew && lists > 1 || count > 1 && count >= firstCount
  }

  /// Whether the first record of a page is the last that was stored.
  func continues(_ page: SyncPage) -> Bool {
    guard let row = page.rows.first else { return false }
    guard step.cursor(of: row) == stored else { return false }
    // Earlier versions wrote the description of a Swift value.
    return state.lastKey == text(of: row) || state.lastKey == "\(step.key(of: row))"
  }

  /// The key of a record as it is stored: a JSON array.
  private func text(of row: [Value]) -> String {
    String(decoding: JSON.array(step.key(of: row).map(JSON.init(stored:))).canonicalBytes, as: UTF8.self)
  }

  /// Adds a page, and moves the cursor if the order allows it.
  /// - Throws: `badData` for records that are not in ascending order.
  func take(_ page: SyncPage) throws(Problem) {
    least = nil
    for row in page.rows {
      guard let cursor = step.cursor(of: row) else { continue }
      least = least.map { min($0, cursor) } ?? cursor
      if plan.increment.order == .ascending {
        if let last, cursor < last {
          throw Problem(
            .badData, "\(plan.increment.column) \(cursor.text) comes after \(last.text)", at: plan.schema.name,
            hint: "the list is not in ascending order; correct “order” in the source definition")
        }
        ties = cursor == last ? ties + 1 : 1
        last = cursor
      }
      if greatest.map({ $0 < cursor }) ?? true { (previous, greatest) = (greatest, cursor) }
    }
    if plan.isKeyset {
      for row in page.rows where known.insert(KeyDigest(step.key(of: row))).inserted { hasNew = true }
      count += page.rows.count
      if lists == 1 { firstCount = count }
    }
    step.add(page)
    state.records += page.rows.count
    guard plan.increment.order == .ascending else { return }
    if plan.increment.isInclusive {
      state.cursor = greatest?.text
      (state.ties, state.lastKey) = (last == greatest ? ties : 0, page.rows.last.map(text))
    } else if let previous {
      // Others may share the last value.
      state.cursor = previous.text
    }
  }

  /// Stores the records so far with the cursor of their request: a later run has to see whether the list continues.
  func commit(requested cursor: SyncCursor?, keeping isRange: Bool) async throws(Problem) {
    let (moved, ties) = (state.cursor, state.ties)
    (state.cursor, state.ties) = (cursor?.text, 0)
    try await step.commit(&state, keeping: isRange)
    (state.cursor, state.ties) = (moved, ties)
  }

  /// Moves the cursor to the end of the list.
  func complete() {
    state.cursor = greatest?.text
    state.isComplete = true
  }
}

/// Sixteen bytes that identify a key within one run.
private struct KeyDigest: Hashable {
  private let first: Int, second: Int

  init(_ key: [Value]) {
    var other = Hasher()
    other.combine(1)
    other.combine(key)
    (first, second) = (key.hashValue, other.finalize())
  }
}
