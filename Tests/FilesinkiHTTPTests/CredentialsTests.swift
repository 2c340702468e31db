import FilesinkiHTTP
import FilesinkiModel
import Testing

/// Where secrets may go, and what is said of those that are refused.
@Suite struct CredentialsTests {
    private static let schemes = ["http": false, "https": true]

    @Test(
        "secrets go to this machine, over TLS, or where the user allows it",
        arguments: [
            ("https://h/a", false, true), ("http://h/a", false, false), ("http://h/a", true, true),
            ("http://localhost/a", false, true), ("http://127.1.2.3:80/a", false, true),
            ("http://[::1]/a", false, true), ("http://localhost.h/a", false, false),
            ("http://127x.h/a", false, false),
        ])
    func permitted(_ text: String, _ isAllowed: Bool, _ isPermitted: Bool) throws {
        let address = try WebAddress(text, schemes: Self.schemes)
        #expect(address.permitsSecrets(allowsInsecure: isAllowed) == isPermitted)
    }

    @Test func `secrets that would go without encryption are an error of the remote's address`()
        throws
    {
        let address = try WebAddress("http://me@h:81/a/b", schemes: Self.schemes)
        let failure = address.unencryptedError(of: "webdav://h:81/a/b")
        #expect(failure.code == .notAllowed)
        #expect(failure.path == Array("webdav://h:81/a/b".utf8))
        #expect(failure.message == "Cannot send credentials without encryption to h:81.")
        #expect(failure.remedy.contains("FILESINKI_INSECURE=1"))
    }

    @Test(
        "only a token of the form of serve has an id that may be shown",
        arguments: [
            ("fsk_0123456789ab_x", true), ("fsk_ABCDEF012345_x_y", true),
            ("fsk_0123456789ab", false),
            ("fsk_0123456789a_x", false), ("fsk_0123456789abc_x", false),
            ("fsk_0123456789ag_x", false), ("xsk_0123456789ab_x", false),
            ("fsk_\u{FF10}\u{FF11}\u{FF12}\u{FF13}_x", false), ("", false),
        ])
    func tokens(_ token: String, _ isNamed: Bool) {
        let failure = Credentials.bearer(Secret(token)).refusedToken(at: "https://h")
        let id = token.split(separator: "_").dropFirst().first ?? ""
        #expect(failure.message.contains("the token \(id) was revoked") == isNamed)
        #expect(failure.message.contains("no token of this server") == !isNamed)
    }

    @Test func `a password is no token, whatever it looks like`() {
        let password = Credentials.password(user: "me", Secret("fsk_0123456789ab_x"))
        let failure = password.refusedToken(at: "https://h")
        #expect(failure.message.hasSuffix("what was given is no token of this server."))
        #expect(!failure.description.contains("0123456789ab"))
        #expect(failure.account == .noAccount)
    }

    @Test func `an address with blanks is quoted in the command that the remedy gives`() {
        let failure = Credentials.none.refusedToken(at: "https://h/my store")
        #expect(failure.remedy.contains("remote set 'https://h/my store' --token-file FILE"))
    }

    @Test func `two secrets are the same by their value, and none has anything to reflect`() {
        let secret = Secret("hush")
        #expect(secret == Secret("hush") && secret != Secret("hush2"))
        #expect(secret.debugDescription == "..." && secret.description == "...")
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.value == "hush")
    }
}

/// What a status says to a person.
@Suite struct StatusTextTests {
    @Test(
        "each status has its sentence and its remedy",
        arguments: [
            (
                401, "Authentication failed (401).",
                "Check the credentials: see filesinki help credentials."
            ),
            (403, "Permission denied (403).", "Ask the server's administrator for permission."),
            (
                413, "No space left at http://h (413).",
                "Free space at the server, as filesinki prune does, or raise its quota."
            ),
            (
                307, "The server redirects to another address (307).",
                "Redirects are not followed. Set the right address with filesinki remote set URL."
            ),
            (503, "The server is temporarily unavailable (503).", "Run the command again later."),
            (425, "The server is temporarily unavailable (425).", "Run the command again later."),
            (412, "Conflicting request at http://h (412).", "Run the command again."),
            (
                404, "Unexpected status 404 from http://h.",
                "Check the address with filesinki remote check URL."
            ),
        ])
    func texts(_ status: Int, _ message: String, _ remedy: String) {
        let failure = HTTPReply(status: status).failure("a/b", at: "http://h")
        #expect(failure.message == message)
        #expect(failure.remedy == remedy)
    }

    @Test(
        "only a server that is unavailable may ask to be asked again later",
        arguments: [
            (429, true), (503, true), (500, true), (408, true), (599, true), (403, false),
            (409, false), (404, false), (302, false), (600, false),
        ])
    func retryAfter(_ status: Int, _ isRead: Bool) {
        let reply = HTTPReply(status: status, fields: ["retry-after": "5"])
        #expect(reply.failure("a", at: "h").retryAfter == (isRead ? .seconds(5) : nil))
    }

    @Test(
        "a wait is at most a day, and never negative",
        arguments: [
            ("86400", 86_400), ("86401", 86_400), ("9223372036854775807", 86_400), ("1", 1),
            ("9223372036854775808", nil), ("1.5", nil), ("", nil),
        ] as [(String, Int64?)])
    func bounds(_ text: String, _ seconds: Int64?) {
        let reply = HTTPReply(status: 429, fields: ["Retry-After": text])
        #expect(reply.failure("a", at: "h").retryAfter == seconds.map { .seconds($0) })
    }
}
