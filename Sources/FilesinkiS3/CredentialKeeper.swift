import FilesinkiModel

/// Asks for credentials once for all requests, and again before they expire.
actor CredentialKeeper {
    private let source: any S3CredentialSource
    private let now: @Sendable () -> Timestamp
    private var known: S3Credentials?
    /// The question under way, which all wait for.
    private var question: Task<S3Credentials, any Error>?

    /// Credentials are renewed when they have this many seconds left: a request takes its time.
    private static let margin: Int64 = 120

    init(_ source: any S3CredentialSource, now: @escaping @Sendable () -> Timestamp) {
        self.source = source
        self.now = now
    }

    func current() async throws -> S3Credentials {
        if let known, !isAboutToExpire(known) { return known }
        return try await ask()
    }

    /// What there is in place of credentials that were refused; nil when it is the same again.
    func renewed(after refused: S3Credentials) async throws -> S3Credentials? {
        if let known, known != refused { return known }
        let answer = try await ask()
        return answer == refused ? nil : answer
    }

    private func ask() async throws -> S3Credentials {
        if let question { return try await question.value }
        let question = Task { [source] in try await source.credentials() }
        self.question = question
        defer { self.question = nil }
        let answer = try await question.value
        known = answer
        return answer
    }

    private func isAboutToExpire(_ credentials: S3Credentials) -> Bool {
        guard let expires = credentials.expires else { return false }
        return expires.seconds - Self.margin <= now().seconds
    }
}
