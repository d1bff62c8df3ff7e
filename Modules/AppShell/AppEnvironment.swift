/// The services that the commands of one program use: those of both programs, and some of its own.
@dynamicMemberLookup
public protocol AppEnvironment: Sendable {
  /// The services of both programs.
  var services: AppServices { get }
}

extension AppEnvironment {
  /// A member of the services.
  public subscript<Member>(dynamicMember member: KeyPath<AppServices, Member>) -> Member { services[keyPath: member] }
}
