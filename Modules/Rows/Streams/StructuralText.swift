extension StringProtocol where SubSequence == Substring {
  /// The parts between the occurrences of a scalar. `split(separator:)` compares characters: it passes over a mark of
  /// the structure that a combining mark follows.
  public func split(
    at mark: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    self[...].unicodeScalars.split(
      maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences, whereSeparator: { $0 == mark }
    ).map(Substring.init)
  }
}
