package import FilesinkiModel
import FilesinkiText

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

extension Credentials {
    /// A filesinki server does not accept the token, or wants one.
    ///
    /// - Parameters:
    ///   - address: The server's address as a user writes it.
    ///   - origin: Where the token comes from.
    package func refusedToken(
        at address: String, from origin: CredentialOrigin = .none(file: nil)
    ) -> Failure {
        let cause =
            switch self {
            case .none: "no token was given"
            case .bearer, .password:
                tokenID.map { "the token \($0) was revoked or mistyped, or is of another server" }
                    ?? "what was given is no token of this server"
            }
        let place = origin.clause.map { "; \($0)" } ?? ""
        return Failure(
            .notAllowed, path: address, "Authentication failed (401): \(cause)\(place).",
            remedy: origin.tokenRemedy(at: address)
        ).about(.noAccount)
    }

    /// What `filesinki serve token list` calls the token `fsk_ID_SECRET`, which is no secret; nil for another form.
    private var tokenID: Substring? {
        guard case .bearer(let token) = self else { return nil }
        let parts = token.value.split(
            separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "fsk", parts[1].utf8.count == 12,
            parts[1].allSatisfy({ $0.isHexDigit && $0.isASCII })
        else { return nil }
        return parts[1]
    }
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
