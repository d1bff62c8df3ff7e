public import Query

extension Catalog {
  /// The names of characters.
  public static let characterNames = NameMatching(
    of: "characters", names: ["name"], fullNames: ["full_name"], aliases: ["nickname", "aliases"], synonyms: knownNames)

  /// Names that sources use for one character, misspellings included, where the character's own record does not say so.
  static let knownNames: [[String]] = [
    ["Walter White Jr.", "Walter Jr.", "White White Jr."],
    ["Hank Schrader", "Henry Schrader"],
    ["Mike Ehrmantraut", "Mike Erhmantraut"],
    ["Steve Gomez", "Steven Gomez"],
    ["Krazy-8", "Domingo Molina"],
    ["Badger", "Brandon Mayhew"],
    ["Combo", "Christian Ortega", "Christian Ortgea"],
    ["Ted Beneke", "Theodore Beneke"],
    ["Gretchen Schwartz", "Gretchen Swartz"],
    ["Elliott Schwartz", "Elliot Schwartz", "Eliott Schwartz", "Elliott Schwarts"],
    ["Gustavo Fring", "Gus Fring"],
    ["Kim Wexler", "Kimberly Wexler"],
    ["Chuck McGill", "Charles McGill"],
    ["Jimmy McGill", "James McGill"],
    ["Nacho Varga", "Ignacio Varga"],
    ["Lalo Salamanca", "Eduardo Salamanca"],
    ["Marco & Leonel Salamanca", "The Cousins", "The Counsins"],
    ["Ken", "Ken Wins"],
    ["Emilio", "Emilio Koyama"],
    ["Carmen", "Carmen Molina"],
    ["Bogdan", "Bogdan Wolynetz"],
    ["Wendy", "Wendy S."],
    ["George Merkert", "ASAC Merkert"],
    ["Tim Roberts", "Detective Roberts"],
  ]
}
