/// Whether a remote accepts the credentials of this device.
package enum AccountStatus: String, Sendable, CaseIterable {
    /// The remote accepts them, or needs none.
    case available
    /// No credentials were given, or the remote does not know them, or they have expired.
    case noAccount = "no-account"
    /// The remote knows the credentials, but they do not have the right to do this.
    case restricted
    /// The remote failed in a way that says nothing about the account.
    case undetermined
    /// The remote cannot be reached.
    case unavailable
}

/// The cause of a failure: the credentials may read the store, and write nothing.
package struct ReadOnlyAccess: Error {
    package init() {}
}

extension Failure {
    /// Whether the remote refused to write because the credentials may only read: that is meant so, and stays so.
    package var isOfReadOnlyAccess: Bool { cause is ReadOnlyAccess }

    /// What the failure of a remote says about the account.
    package var accountStatus: AccountStatus {
        if let account { return account }
        return code == .away || code == .busy ? .unavailable : .undetermined
    }

    /// Whether the remote refused the credentials of this device, or what they may do.
    package var isRefusal: Bool { account == .noAccount || account == .restricted }

    /// The same failure, which says this about the account.
    package func about(_ account: AccountStatus?) -> Failure {
        var failure = self
        failure.account = account
        return failure
    }
}
