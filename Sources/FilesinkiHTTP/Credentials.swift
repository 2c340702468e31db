package import FilesinkiModel

/// A password, token or key. Its descriptions are three dots, so that no log or message contains it.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself, only for the request that needs it.
    package let value: String

    package init(_ value: String) { self.value = value }

    package var description: String { "..." }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What proves to a server who the user is.
package enum Credentials: Hashable, Sendable {
    case none
    /// A token, as `filesinki serve token` creates it.
    case bearer(Secret)
    /// A name and a password: basic or digest, as the server asks for.
    case password(user: String, Secret)
}

extension WebAddress {
    /// Whether secrets may be sent to this address: encrypted, to this machine, or as the user allowed.
    ///
    /// - Parameter allowsInsecure: Whether the user allowed to send them without encryption.
    package func permitsSecrets(allowsInsecure: Bool) -> Bool {
        isSecure || isLoopback || allowsInsecure
    }

    /// Secrets would be sent without encryption.
    ///
    /// - Parameter place: The remote's address as a user writes it.
    package func unencryptedError(of place: String) -> Failure {
        Failure(
            .notAllowed, path: place,
            "Cannot send credentials without encryption to \(authority).",
            remedy:
                "Use an encrypted address, or set FILESINKI_INSECURE=1 in a network that you trust."
        )
    }
}
