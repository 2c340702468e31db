import FilesinkiHTTP
import FilesinkiModel
import Testing

@Suite struct RefusedTokenTests {
    @Test(
        "a refused token is named by what is no secret of it",
        arguments: [
            (
                Credentials.bearer(Secret("fsk_0123456789ab_c2VjcmV0")),
                "the token 0123456789ab was revoked or mistyped, or is of another server."
            ),
            (.bearer(Secret("fsk_0123_c2VjcmV0")), "what was given is no token of this server."),
            (.bearer(Secret("c2VjcmV0")), "what was given is no token of this server."),
            (.none, "no token was given."),
        ])
    func token(_ credentials: Credentials, _ cause: String) {
        let failure = credentials.refusedToken(at: "https://h:1")
        #expect(failure.message == "Authentication failed (401): \(cause)")
        #expect(failure.path == Array("https://h:1".utf8) && failure.isRefusal)
        #expect(failure.remedy.contains("filesinki remote set https://h:1 --token-file FILE"))
        #expect(!failure.description.contains("c2VjcmV0"))
    }
}
