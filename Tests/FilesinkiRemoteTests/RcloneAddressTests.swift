import FilesinkiModel
import FilesinkiRemote
import Testing

@Suite struct RcloneAddressTests {
    @Test(
        "an address is a name of rclone's configuration, and a path there",
        arguments: [
            ("rclone:disk:/srv/store", "disk", "/srv/store"), ("rclone:drive:", "drive", ""),
            ("rclone:my drive:a b/c:d", "my drive", "a b/c:d"),
            ("rclone:a.b+c@d-e_f:x", "a.b+c@d-e_f", "x"), ("rclone:größe:été", "größe", "été"),
            ("rclone:x:http://y", "x", "http://y"), ("rclone:x:~/y", "x", "~/y"),
        ])
    func parts(_ text: String, _ remote: String, _ path: String) throws {
        let address = try #require(try RcloneAddress(text))
        #expect(address.remote == remote)
        #expect(address.path == path)
        #expect(address.target == "\(remote):\(path)")
        #expect(address.beforePath + path == text)
        #expect(try RemoteAddress(absolute: text) == .network(text))
        #expect(NetworkKind(scheme: text.prefix { $0 != ":" }) == .rclone)
    }

    @Test(
        "what is no name of the configuration is refused, and not repeated: it may have a password",
        arguments: [
            "rclone:", "rclone:/srv", "rclone:disk", "rclone::local:/srv",
            "rclone::sftp,pass=secret:/x",
            "rclone:disk,pass=secret:/x", "rclone:-x:/y", "rclone: x:/y", "rclone:x :/y",
            "rclone://x/y", "rclone:a/b:c", "rclone:a\nb:c", "rclone:x:a\u{1}b", "rclone:x:\u{7F}",
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("secret") == false)
    }

    @Test(
        "other texts are other addresses",
        arguments: ["rclon:x:y", "RCLONE:x:y", "ssh://rclone/x", "/rclone:x:y", "me@rclone:x"])
    func others(_ text: String) throws {
        #expect(try RcloneAddress(text) == nil)
        #expect(try RemoteAddress(absolute: text) != .network(text))
    }
}
