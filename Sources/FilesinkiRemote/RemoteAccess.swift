/// Where the secret and the certificates for one remote are found, besides the user's own settings.
package struct RemoteAccess: Hashable, Sendable {
    /// The file in which a replica keeps what it was given once; nil where there is no replica.
    package var pinned: String?
    /// The file of a token that the command line names.
    package var tokenFile: String?
    /// The file of certificates that the command line names.
    package var certificateFile: String?

    package init(
        pinned: String? = nil, tokenFile: String? = nil, certificateFile: String? = nil
    ) {
        self.pinned = pinned
        self.tokenFile = tokenFile
        self.certificateFile = certificateFile
    }
}
