package import FilesinkiHTTP
package import FilesinkiModel

/// Who asks an S3 service, and the key that proves it.
package struct S3Credentials: Hashable, Sendable {
    /// The name of the key. It is no secret, and yet nobody's business: no message holds it.
    package var keyID: String
    package var secretKey: Secret
    /// What a key of limited life comes with.
    package var sessionToken: Secret?
    /// When the key stops to be good; nil when nobody said.
    package var expires: Timestamp?

    package init(
        keyID: String, secretKey: Secret, sessionToken: Secret? = nil, expires: Timestamp? = nil
    ) {
        self.keyID = keyID
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expires = expires
    }
}

/// Where credentials come from.
package protocol S3CredentialSource: Sendable {
    /// The credentials as they are now. It is asked again when they expire.
    ///
    /// - Throws: `Failure` with code `not-allowed` when there are none, `usage` when they are not
    ///   understood or not kept privately.
    func credentials() async throws -> S3Credentials
}

extension S3Credentials: S3CredentialSource {
    package func credentials() async throws -> S3Credentials { self }
}
