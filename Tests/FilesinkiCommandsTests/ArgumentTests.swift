import ArgumentParser
import FilesinkiModel
import FilesinkiRemote
import Testing

@testable import FilesinkiCommands

@Suite("Arguments")
struct ArgumentTests {
    static let arguments: [[UInt8]] = [
        Array("plain".utf8), Array("Grüße 🦊".utf8), [0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80],
        [0xC0, 0xAF, 0x2F], Array("\u{10FEFF}".utf8), [0xF4, 0x8F, 0xB8], [],
    ]

    @Test("an argument of any bytes goes through the parser's strings", arguments: arguments)
    func text(_ bytes: [UInt8]) {
        #expect(ArgumentText.bytes(of: ArgumentText.encode(bytes)) == bytes)
    }

    static let places: [(String, String)] = [
        ("a", "/w/x/a"), ("./a/", "/w/x/a"), ("../a", "/w/a"), ("/a//b/.", "/a/b"),
        ("../../../..", "/"), (".", "/w/x"),
    ]

    @Test("a path is resolved from the current folder", arguments: places)
    func place(_ path: String, _ expected: String) {
        #expect(FilePlace.absolute(Array(path.utf8), in: "/w/x") == Array(expected.utf8))
    }

    static let addresses: [(String, String?)] = [
        ("store", "/w/store"), ("/mnt/store/", "/mnt/store"),
        ("file:///mnt/my%20store", "/mnt/my store"),
        ("file://localhost/mnt", "/mnt"), ("FILE:///mnt", "/mnt"),
        ("file://elsewhere/mnt", nil), ("file:///a%2", nil), ("file:///a%ff", nil),
        ("ftp://example.org/store", nil), ("https://me:secret@example.org/store", nil),
    ]

    @Test(
        "a store address is a folder, as a path or file:// URL; others are refused",
        arguments: addresses)
    func address(_ text: String, _ path: String?) {
        do {
            let address = try RemoteAddress(text, currentFolder: "/w")
            #expect(path.map(RemoteAddress.folder) == address)
        } catch {
            #expect(path == nil)
            #expect(error.code == .usage)
            #expect(!error.description.contains("secret"))
        }
    }

    @Test(
        "a network address is kept as written",
        arguments: [
            "https://example.org/store", "http://[::1]:8080/a%20b", "webdavs://me@example.org/dav",
            "S3://bucket/prefix?region=eu-central-1", "dav://example.org/a:b@c",
        ])
    func networkAddress(_ text: String) throws {
        #expect(try RemoteAddress(text, currentFolder: "/w") == .network(text))
    }

    @Test("an address of an unknown kind is refused with those that are known")
    func unknownKind() {
        let failure = #expect(throws: Failure.self) {
            try RemoteAddress("ftp://example.org", currentFolder: "/w")
        }
        #expect(failure?.message == "Unsupported remote type: ftp://.")
        let cut = #expect(throws: Failure.self) {
            try RemoteAddress("s3:bucket/x?endpoint=http://h:1", currentFolder: "/w")
        }
        #expect(cut?.message == "The slashes of s3:// are missing.")
        #expect(
            failure?.remedy
                == "Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://."
        )
    }

    @Test("the options that other devices need at the new address are named")
    func options() throws {
        let given = try AccessOptions.parse(["--token-file", "t", "--ca-file", "c"])
        #expect(given.ofOtherDevices == " --token-file FILE --ca-file FILE")
        #expect(try AccessOptions.parse([]).ofOtherDevices == "")
        let secret = try PassphraseOptions.parse(["--key-file", "k"])
        #expect(secret.ofOtherDevices == " --key-file FILE")
        #expect(try PassphraseOptions.parse([]).ofOtherDevices == " --passphrase-file FILE")
    }

    @Test func `no option of a run leaves the options at their defaults`() throws {
        // A save with default options may be done by a running watch, which knows no others.
        #expect(try RunOptions.parse([]).areDefaults)
        let options = RunOptions.helpMessage().matches(of: /\n  (--[a-z-]+)(?: (<))?/)
        #expect(options.count >= 3)
        for option in options {
            let words = [String(option.1)] + (option.2 == nil ? [] : ["1"])
            #expect(try !RunOptions.parse(words).areDefaults, "\(option.1)")
        }
    }
}
