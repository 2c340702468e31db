import FilesinkiHTTP
import FilesinkiModel

/// Credentials from the environment, the files, or the command that a file names: the first that has
/// some is believed.
extension AWSConfiguration: S3CredentialSource {
    package func credentials() async throws -> S3Credentials {
        if !isExplicit, let found = try fromEnvironment() { return found }
        let files = [
            (try credentialsFile(), true),
            (try settingsFile(), false),
        ]
        for (file, isCredentials) in files {
            guard let file,
                let values = ProfileFile(file.text).profile(profile, isCredentials: isCredentials)
            else { continue }
            if let found = try Self.keys(values, of: file) { return found }
            if let command = values["credential_process"] {
                try file.demandOwnWords()
                let run = CredentialCommand(text: command)
                return try await run.credentials()
            }
            if values["role_arn"] != nil || values.keys.contains(where: { $0.hasPrefix("sso_") }) {
                throw needsLogin
            }
        }
        throw Failure(
            .notAllowed, "There are no keys for S3 in the profile \(profile).",
            remedy: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into "
                + "~/.aws/credentials.")
    }

    private func fromEnvironment() throws(Failure) -> S3Credentials? {
        let id = environment("AWS_ACCESS_KEY_ID")
        let secret = environment("AWS_SECRET_ACCESS_KEY")
        guard id != nil || secret != nil else { return nil }
        guard let id, let secret else {
            throw Failure(
                .usage, "One of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is not set.",
                remedy: "Set both of them, or none.")
        }
        return try Self.checked(id, secret, token: environment("AWS_SESSION_TOKEN"), "")
    }

    private static func keys(
        _ values: [String: String], of file: SettingsFile
    ) throws(Failure) -> S3Credentials? {
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
        else { return nil }
        try file.demandPrivate()
        return try checked(id, secret, token: values["aws_session_token"], file.path)
    }

    /// Keys go into the fields of a request, and no field holds a control character.
    static func checked(
        _ id: String, _ secret: String, token: String?, _ place: String
    ) throws(Failure) -> S3Credentials {
        let isPlain = [id, token ?? ""].allSatisfy { text in
            text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard isPlain, !id.isEmpty, !secret.isEmpty else {
            throw Failure(
                .usage, path: place, "The keys for S3 are not such keys.",
                remedy: "Copy them again, without quotes and spaces.")
        }
        let token = token.flatMap { $0.isEmpty ? nil : Secret($0) }
        return S3Credentials(keyID: id, secretKey: Secret(secret), sessionToken: token)
    }

    private var needsLogin: Failure {
        Failure(
            .notAllowed, "The profile \(profile) needs a login that filesinki does not do.",
            remedy: "Give it credential_process = aws configure export-credentials "
                + "--profile \(profile) --format process.")
    }
}
