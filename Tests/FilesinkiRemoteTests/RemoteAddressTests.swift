import FilesinkiModel
import FilesinkiRemote
import Testing

/// Addresses of stores, as users write them.
@Suite struct RemoteAddressTests {
    @Test(
        "a folder of this machine",
        arguments: [
            ("/a/b", "/a/b"), ("dir:/a", "/a"), ("file:///a", "/a"), ("FILE:///a", "/a"),
            ("file://localhost/a", "/a"), ("file:///a%20b", "/a b"), ("file:///%C3%A9", "/é"),
            ("/a:b@c", "/a:b@c"), ("/", "/"),
        ])
    func folders(_ text: String, _ path: String) throws {
        #expect(try RemoteAddress(absolute: text) == .folder(path))
        #expect(try RemoteAddress(absolute: text).text == path)
    }

    @Test(
        "an address of a network is kept as it is written",
        arguments: [
            "http://h/p", "HTTPS://h:1/p?q", "webdav://h/", "webdavs://me@h/p", "dav://h",
            "davs://h",
            "s3://bucket/prefix", "S3://b", "https://h/a:b@c", "https://h?x=a:b@c",
        ])
    func network(_ text: String) throws {
        #expect(try RemoteAddress(absolute: text) == .network(text))
        #expect(try RemoteAddress.withScheme(text)?.text == text)
    }

    @Test(
        "a password is refused and not repeated",
        arguments: [
            "https://me:secret@h/p", "s3://k:secret@b", "webdav://:secret@h",
            "https://a@b:secret@h/", "s3://k:secret/s@b/work", "s3://k:s/secret@b",
            "webdavs://me:secret/x@h/p", "https://me:secret?x@h", "ssh://me:secret/x@h/p",
            "htps://me:secret@h",
        ])
    func passwords(_ text: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("secret") == false)
        #expect(failure?.message == "An address must not contain a password: others could see it.")
    }

    @Test func `a token in the address of a server is refused and not repeated`() {
        let text = "https://secret@host:8390"
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("secret") == false)
        #expect(failure?.remedy.contains("--token-file") == true)
    }

    @Test(
        "a port, and an at sign in a path, are no password",
        arguments: [
            "https://h:80/a@b", "webdav://[::1]/a@b", "webdavs://[::1]:80/a@b",
            "webdav://me@h:1/a:b@c", "s3://bucket/me@work",
        ])
    func noPasswords(_ text: String) throws {
        #expect(try RemoteAddress(absolute: text) == .network(text))
    }

    @Test(
        "a folder of another machine, or one whose name is no text, is refused",
        arguments: [
            ("file://host/a", "Not the address of a folder on this machine."),
            ("file://", "Not the address of a folder on this machine."),
            ("file:///a%2", "Not the address of a folder on this machine."),
            ("file:///%FF", "The name of this folder is not UTF-8."),
            ("file://localhosts/a", "Not the address of a folder on this machine."),
        ])
    func foreignFolders(_ text: String, _ message: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.message == message)
    }

    @Test(
        "anything else is refused with what there is",
        arguments: ["", "a", "./a", "ftp://h/p", "~"])
    func unknown(_ text: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(
            failure?.remedy
                == "Use dir:/path, http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.")
    }

    @Test(
        "each scheme is of one kind, in either case",
        arguments: [
            ("http", NetworkKind.server), ("https", .server), ("webdav", .webDAV),
            ("webdavs", .webDAV), ("dav", .webDAV), ("davs", .webDAV), ("s3", .s3), ("S3", .s3),
            ("DAV", .webDAV), ("ssh", nil), ("file", nil), ("", nil), ("http:", nil),
        ] as [(String, NetworkKind?)])
    func kinds(_ scheme: String, _ kind: NetworkKind?) {
        #expect(NetworkKind(scheme: scheme) == kind)
    }

    @Test func `the note of ssh is beside the credentials`() {
        #expect(RemoteAccess(pinned: "/s/replica/credentials").sshNote == "/s/replica/ssh")
        #expect(RemoteAccess(pinned: "credentials").sshNote == nil)
        #expect(RemoteAccess().sshNote == nil)
    }
}
