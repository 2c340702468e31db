/// What a store at a host is reached by.
package enum HostService: String, Hashable, Sendable {
    /// The host's own filesinki.
    case filesinki
    /// SFTP alone.
    case sftp
}

/// A remote at a host that may have filesinki installed, but need not.
package protocol HostRemote: Remote {
    /// What the present connection uses; it is opened if there is none.
    ///
    /// - Throws: `Failure` as a request does.
    func service() async throws -> HostService
}
