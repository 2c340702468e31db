import FilesinkiHTTP
import FilesinkiModel
import Testing

/// What a refusal says of the place that the credentials come from.
@Suite struct CredentialOriginTests {
    private static let help = "See filesinki help credentials."

    @Test(
        "a wrong password is corrected where it comes from",
        arguments: [
            (
                CredentialOrigin.environment("FILESINKI_PASSWORD_FILE"),
                "Check FILESINKI_USER and FILESINKI_PASSWORD_FILE. \(help)"
            ),
            (
                .replica,
                "The replica keeps them. To replace them, set FILESINKI_USER and FILESINKI_PASSWORD, and run "
                    + "filesinki remote set webdav://h/a. \(help)"
            ),
            (
                .credentialsFile("/etc/credentials.toml"),
                "Check the entry in /etc/credentials.toml. \(help)"
            ),
            (.option("/token"), "Check /token."),
            (.none(file: nil), "Set FILESINKI_USER and FILESINKI_PASSWORD. \(help)"),
            (
                .none(file: "/c.toml"),
                "No entry of /c.toml is for webdav://h/a. Set FILESINKI_USER and FILESINKI_PASSWORD. \(help)"
            ),
        ])
    func passwords(_ origin: CredentialOrigin, _ remedy: String) {
        #expect(origin.passwordRemedy(at: "webdav://h/a") == remedy)
    }

    private static let getting =
        "Get a token from whoever runs the server (filesinki serve token make), and "
    private static let setting = "filesinki remote set https://h --token-file FILE"
    private static let keeping =
        "give it with \(setting); clone and init take --token-file or FILESINKI_TOKEN, too. \(help)"

    @Test(
        "a refused token is named with its place",
        arguments: [
            (
                CredentialOrigin.environment("FILESINKI_TOKEN"), "; it comes from FILESINKI_TOKEN",
                getting + "give it with FILESINKI_TOKEN, which precedes what the replica keeps; "
                    + "or unset that, and run \(setting). \(help)"
            ),
            (.option("laptop.token"), "; it comes from laptop.token", getting + keeping),
            (.replica, "; the replica keeps it", getting + keeping),
            (.credentialsFile("/c.toml"), "; it comes from /c.toml", getting + keeping),
        ])
    func tokens(_ origin: CredentialOrigin, _ place: String, _ remedy: String) {
        let failure = Credentials.bearer(Secret("fsk_0123456789ab_x"))
            .refusedToken(at: "https://h", from: origin)
        let cause = "the token 0123456789ab was revoked or mistyped, or is of another server"
        #expect(failure.message == "Authentication failed (401): \(cause)\(place).")
        #expect(failure.remedy == remedy)
    }

    @Test func `of a missing token the file without an entry is named`() {
        let failure = Credentials.none.refusedToken(at: "https://h", from: .none(file: "/c.toml"))
        #expect(failure.message == "Authentication failed (401): no token was given.")
        #expect(
            failure.remedy
                == "No entry of /c.toml is for https://h. " + Self.getting + Self.keeping)
    }
}
