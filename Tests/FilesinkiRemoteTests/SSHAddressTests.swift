import FilesinkiModel
import FilesinkiRemote
import Testing

@Suite struct SSHAddressTests {
    /// An address, and its user, host, port and path.
    static let addresses: [(String, String?, String, Int?, String)] = [
        ("ssh://host/srv/store", nil, "host", nil, "/srv/store"),
        ("ssh://me@host:2222/srv/my%20store", "me", "host", 2222, "/srv/my store"),
        ("SSH://host/~/store", nil, "host", nil, "store"),
        ("ssh://host/~me/store", nil, "host", nil, "/~me/store"),
        ("ssh://[::1]:22/s", nil, "::1", 22, "/s"),
        ("ssh://[fe80::1%25eth0]/s", nil, "fe80::1%25eth0", nil, "/s"),
        ("host:store", nil, "host", nil, "store"),
        ("host:/srv/store", nil, "host", nil, "/srv/store"),
        ("me@host.example.org:a/b:c", "me", "host.example.org", nil, "a/b:c"),
        ("h:s", nil, "h", nil, "s"), ("host:~/store", nil, "host", nil, "store"),
        ("host:my%20store", nil, "host", nil, "my%20store"),
        ("[::1]:store", nil, "::1", nil, "store"), ("me@[::1]:store", "me", "::1", nil, "store"),
        ("host:a/b@c", nil, "host", nil, "a/b@c"),
    ]

    @Test(
        "the home folder at the host is known by its names",
        arguments: [
            ("host:.", "."), ("host:./", "./"), ("host:~", "."), ("host:~/", "."),
            ("ssh://host/~", "."), ("ssh://host/~/", "."), ("host:~/./.", "./."),
            ("host:a", nil), ("host:./a", nil), ("host:..", nil), ("host:/", nil),
            ("host:~me", nil), ("ssh://host/", nil), ("ssh://host/~me", nil),
        ])
    func home(_ text: String, _ path: String?) throws {
        guard case .ssh(let address) = try RemoteAddress(absolute: text) else {
            Issue.record("no ssh address")
            return
        }
        #expect(address.isHomeFolder == (path != nil))
        if let path { #expect(address.path == Array(path.utf8)) }
    }

    @Test("an address without a path says what to write")
    func withoutPath() {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: "host:") }
        #expect(
            failure?.description
                == "host:: The address names no folder of the host. For a folder in the home folder there write HOST:NAME."
        )
    }

    @Test("an address over ssh has these parts", arguments: addresses)
    func parts(_ text: String, _ user: String?, _ host: String, _ port: Int?, _ path: String) throws
    {
        guard case .ssh(let address) = try RemoteAddress(absolute: text) else {
            Issue.record("no ssh address")
            return
        }
        #expect(address.text == text)
        #expect(address.user == user)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == Array(path.utf8))
    }

    @Test(
        "what ssh could take for an option or a shell for a command is refused",
        arguments: [
            "ssh://-oProxyCommand=x/path", "ssh://-x@host/path", "-oProxyCommand=x:path",
            "-x@host:path", "ssh://host$(x)/p", "ssh://a`x`@host/p", "a;b:path", "ssh://ho st/p",
            "ssh:///path", "ssh://host", "ssh://@host/p", "ssh://host:0/p", "ssh://host:65536/p",
            "ssh://host:/p", "ssh://host:x/p", "ssh://host/%00", "ssh://host/%g", "host:",
            "@host:p", "ssh://host:٣/p",
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
    }

    @Test(
        "a password is refused and not repeated",
        arguments: [
            "ssh://me:secret@host/path", "me:secret@host:path", "me:secret@host/path",
            "me:secret@[::1]:path",
        ])
    func password(_ text: String) {
        let failure = #expect(throws: Failure.self) { try RemoteAddress(absolute: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("secret") == false)
    }

    @Test(
        "a path is no host", arguments: ["./host:path", "../a:b", "a/b:c", "path", ":path", "~x:y"])
    func path(_ text: String) throws {
        #expect(try SSHAddress(shortForm: text) == nil)
    }

    @Test(
        "a folder that is not there is named as it was looked for",
        arguments: [
            ("desk:store", "store was looked for in the home folder there."),
            ("desk:/store", "/store was looked for; what is below"),
            ("ssh://desk/store", "/store was looked for; what is below"),
            ("ssh://desk/~/store", "store was looked for in the home folder there."),
            ("https://desk/store", "or correct the address."),
        ])
    func missing(_ text: String, _ meaning: String) {
        let remedy = Failure.storeFolderMissing(text).remedy
        #expect(remedy.contains(meaning), "\(remedy)")
    }

    @Test(arguments: [
        ("ssh://me@host:22/srv/store", "ssh://me@host:22/srv/store-b"),
        ("host:store", "host:store-b"),
        ("[::1]:/a", "[::1]:/a-b"),
    ])
    func `another path is at the same place`(_ text: String, _ beside: String) throws {
        guard case .ssh(let address) = try RemoteAddress(absolute: text) else {
            Issue.record("no ssh address")
            return
        }
        #expect(try address.withPath { $0 + "-b" }.text == beside)
    }
}
