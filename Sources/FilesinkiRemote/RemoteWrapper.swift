/// A remote that passes on to another what it is asked for.
package protocol RemoteWrapper: Remote {
    /// The other one.
    var wrapped: any Remote { get }
}

extension Remote {
    /// The remote, or the one inside its wrappers, as something that only some remotes are; nil when
    /// none of them is it.
    package func unwrapped<Ability>(as ability: Ability.Type) -> Ability? {
        if let found = self as? Ability { return found }
        return (self as? any RemoteWrapper)?.wrapped.unwrapped(as: ability)
    }
}
