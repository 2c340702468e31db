package import FilesinkiHTTP
package import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// The access key for an S3 service.
package struct S3Credentials: Hashable, Sendable {
    /// The key's id. Not a secret, but no message contains it.
    package var keyID: String
    package var secretKey: Secret
    /// The session token of a temporary key.
    package var sessionToken: Secret?
    /// When the key expires; nil when unknown.
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

/// A source of credentials.
package protocol S3CredentialSource: Sendable {
    /// The current credentials. Called again when they expire.
    ///
    /// - Throws: `Failure` with code `not-allowed` when there are none or other users can read them,
    ///   `usage` when they are malformed.
    func credentials() async throws -> S3Credentials
}

extension S3Credentials: S3CredentialSource {
    package func credentials() async throws -> S3Credentials { self }
}

/// Reads credentials once for all requests, and again before they expire.
actor S3CredentialCache {
    private let source: any S3CredentialSource
    private let now: @Sendable () -> Timestamp
    private var cached: S3Credentials?
    /// The read in progress, shared by all requests.
    private var reading: Task<S3Credentials, any Error>?

    /// Credentials are renewed this many seconds before they expire, because a request takes time.
    private static let margin: Int64 = 120

    init(_ source: any S3CredentialSource, now: @escaping @Sendable () -> Timestamp) {
        self.source = source
        self.now = now
    }

    func current() async throws -> S3Credentials {
        if let cached, !isAboutToExpire(cached) { return cached }
        return try await readFromSource()
    }

    /// New credentials in place of rejected ones; nil when they are the same.
    func renewed(after rejected: S3Credentials) async throws -> S3Credentials? {
        if let cached, cached != rejected { return cached }
        let credentials = try await readFromSource()
        return credentials == rejected ? nil : credentials
    }

    private func readFromSource() async throws -> S3Credentials {
        if let reading { return try await reading.value }
        let reading = Task { [source] in try await source.credentials() }
        self.reading = reading
        defer { self.reading = nil }
        let credentials = try await reading.value
        cached = credentials
        return credentials
    }

    private func isAboutToExpire(_ credentials: S3Credentials) -> Bool {
        guard let expires = credentials.expires else { return false }
        return expires.seconds - Self.margin <= now().seconds
    }
}

/// The command of a profile's `credential_process`, which prints credentials:
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
struct CredentialCommand: Sendable {
    /// The shell command.
    var text: String
    /// The time limit, in which the user may have to touch a hardware key.
    var limit = Duration.seconds(60)

    /// Runs the command.
    ///
    /// - Throws: `Failure` with code `not-allowed` when the command fails, times out, or prints something
    ///   else. No message contains its output.
    func readCredentials() async throws -> S3Credentials {
        let outcome = try await offload {
            try UserCommand(text: text, limit: limit, inheritance: .all).run()
        }
        switch outcome {
        case .ended(code: 0, let output):
            return try Self.parse(String(decoding: output, as: UTF8.self))
        case .ended(let code, _): throw Self.failure("it failed with exit code \(code)")
        case .ranOutOfTime: throw Self.failure("it timed out")
        }
    }

    static func parse(_ output: String) throws(Failure) -> S3Credentials {
        guard let values = JSONTree.scalars(of: Array(output.utf8)), values["Version"] == "1",
            let id = values["AccessKeyId"], let secret = values["SecretAccessKey"]
        else { throw failure("its output is not credentials") }
        var found = try AWSConfiguration.checked(id, secret, token: values["SessionToken"], "")
        if let expires = values["Expiration"] {
            guard let seconds = DateText.seconds(rfc3339: expires) else {
                throw failure("its output has an invalid expiry time")
            }
            found.expires = Timestamp(seconds: seconds, nanoseconds: 0)
        }
        return found
    }

    private static func failure(_ reason: String) -> Failure {
        Failure(
            .notAllowed, "The credential_process of the profile failed: \(reason).",
            remedy: "Run the command by hand to see its output.")
    }
}
