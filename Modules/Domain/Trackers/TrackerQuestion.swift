/// Why a row of a tracker file is not certain, and what it may be.
struct TrackerQuestion: Error {
  let reason: String
  var candidates: [String] = []

  init(_ reason: String, _ candidates: [String] = []) { (self.reason, self.candidates) = (reason, candidates) }
}
