/// The names of parameters and variables that carry secrets.
public enum SourceSecretName {
  /// Whether the value of a parameter or variable is a secret.
  public static func isSecret(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0.isLetter }
    return ["key", "token", "secret", "password", "signature", "auth", "appid"].contains { word in
      plain == word || plain.hasSuffix(word) && plain != "pagetoken" && plain != "nexttoken"
    }
  }
}
