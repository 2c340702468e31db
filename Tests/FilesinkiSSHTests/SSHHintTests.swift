import FilesinkiModel
import Testing

@testable import FilesinkiSSH

@Suite struct SSHHintTests {
    @Test(
        "an address without its scheme is recognised where it reads as host:path",
        arguments: [
            ("localhost:8390", "https://localhost:8390. ", "https://localhost:8390. "),
            ("disk:/path", nil, "rclone:disk:/path. "), ("me@disk:/path", nil, nil),
            ("example.org:path", nil, nil), ("ssh://disk/8390", nil, nil),
            ("disk:99999", nil, "rclone:"),
            ("ssh:/desk:store", nil, "Write desk:store, or ssh://HOST/PATH. "),
            ("ssh:/desk/store", nil, "Write ssh://desk/store. "),
            ("h:2222:store", "ssh://h:2222/~/store. ", "ssh://h:2222/~/store. "),
            ("me@h:2222:/store", "ssh://me@h:2222/store. ", "ssh://me@h:2222/store. "),
        ] as [(String, String?, String?)])
    func hints(_ address: String, _ refused: String?, _ unknown: String?) {
        let (one, two) = (SSHHint.ofRefusal(address), SSHHint.ofUnknownHost(address))
        #expect(refused.map { one.contains($0) } ?? one.isEmpty)
        #expect(unknown.map { two.contains($0) } ?? two.isEmpty)
    }

    @Test func `both failures have the hint`() {
        let refused = SSHEnd.ended(code: 255, messages: Array("Connection refused".utf8))
        #expect(refused.failure("localhost:8390").remedy.hasPrefix("For filesinki serve write "))
        let unknown = SSHEnd.ended(code: 255, messages: Array("Could not resolve hostname x".utf8))
        #expect(unknown.failure("x:y").remedy.hasPrefix("For a remote of rclone write rclone:x:y."))
    }
}
