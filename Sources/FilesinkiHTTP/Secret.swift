/// A password, token or key. It is shown nowhere: whoever prints it gets three dots.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself, for the request that needs it and nothing else.
    package let value: String

    package init(_ value: String) { self.value = value }

    package var description: String { "..." }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Who the user is to a server.
package enum Credentials: Hashable, Sendable {
    /// Nobody in particular.
    case none
    /// A token, as the own server gives out.
    case bearer(Secret)
    /// A name and a password: basic or digest, as the server asks for.
    case password(user: String, Secret)
}
