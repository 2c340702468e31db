import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// A command that prints credentials, as `credential_process` names it:
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
struct CredentialCommand: Sendable {
    /// What the shell runs.
    var text: String
    /// How long it may take: a person may have to touch a key.
    var limit = Duration.seconds(60)

    /// - Throws: `Failure` with code `not-allowed` when the command fails, takes too long, or prints
    ///   something else. What it printed is in no message.
    func credentials() async throws -> S3Credentials {
        let outcome = try await offload {
            try UserCommand(text: text, limit: limit, inheritance: .all).run()
        }
        switch outcome {
        case .ended(code: 0, let output):
            return try Self.credentials(in: String(decoding: output, as: UTF8.self))
        case .ended(let code, _): throw Self.failure("it failed (\(code))")
        case .ranOutOfTime: throw Self.failure("it took too long")
        }
    }

    static func credentials(in output: String) throws(Failure) -> S3Credentials {
        guard let values = JSONTree.scalars(of: Array(output.utf8)), values["Version"] == "1",
            let id = values["AccessKeyId"], let secret = values["SecretAccessKey"]
        else { throw failure("it printed something else than credentials") }
        var found = try AWSConfiguration.checked(id, secret, token: values["SessionToken"], "")
        if let expires = values["Expiration"] {
            guard let seconds = DateText.seconds(rfc3339: expires) else {
                throw failure("it printed an invalid expiry time")
            }
            found.expires = Timestamp(seconds: seconds, nanoseconds: 0)
        }
        return found
    }

    private static func failure(_ reason: String) -> Failure {
        Failure(
            .notAllowed, "The credential_process of the profile gave no credentials: \(reason).",
            remedy: "Run the command by hand, and see what it says.")
    }
}
