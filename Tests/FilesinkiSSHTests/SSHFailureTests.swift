import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiSSH

@Suite(.enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"))
struct SSHFailureTests {
    /// What ssh says before it ends, and the code of the failure.
    static let ends: [(String, Failure.Code)] = [
        ("ssh: connect to host h port 22: Connection refused", .away),
        ("ssh: Could not resolve hostname h: Name or service not known", .away),
        ("client_loop: send disconnect: Broken pipe", .away), ("", .away),
        ("me@h: Permission denied (publickey,password).", .notAllowed),
        ("Received disconnect from 1.2.3.4: Too many authentication failures", .notAllowed),
        ("Host key verification failed.", .notAllowed),
        ("subsystem request failed on channel 0", .usage),
    ]

    @Test("the last words of ssh become the failure", arguments: ends)
    func end(_ words: String, _ code: Failure.Code) async throws {
        let host = try SFTPHost(shell: "echo 'Banner.' >&2; echo '\(words)' >&2; exit 255")
        let failure = await #expect(throws: Failure.self) {
            try await host.connect().get(key("a"), range: nil)
        }
        #expect(failure?.code == code)
        // CK-02: an unknown host says nothing about the account.
        let isUnknown = code == .notAllowed && !words.hasPrefix("Host key")
        #expect((failure?.account == .noAccount) == isUnknown)
        // Where there is no SFTP, the reason is known.
        let cause = code == .usage ? "SFTP" : words.isEmpty ? "Banner." : words
        #expect(failure?.message.contains(cause) == true)
        // The remedy follows.
        let message = failure?.message ?? ""
        #expect(message.hasSuffix(".") && !message.hasSuffix(".."))
    }

    @Test func `a program that is not there is a wrong setting`() async throws {
        let host = try SFTPHost(shell: "exec /nowhere/ssh")
        await #expect(throws: Failure.self) { try await host.connect().get(key("a"), range: nil) }
        let failure = await #expect(throws: Failure.self) {
            try await host.connect().put([1], to: key("a"))
        }
        #expect(failure?.code == .usage)
    }

    /// Replies to the first request, which has nine bytes, and to no other.
    private static func hello(_ reply: String) -> String {
        "dd bs=1 count=9 of=/dev/null status=none; printf '\(reply)'; cat >/dev/null"
    }

    @Test(
        "what is not SFTP is damage, and text has its own words",
        arguments: [
            ("echo 'Welcome to the host'; exec \"$SFTP\"", Failure.Code.usage),
            (#"printf '\0\0\0\5\202\0\0\0\3'; cat"#, .corrupt),
            (#"printf '\177\377\377\377\2\0\0\0\3'; cat"#, .corrupt),
            (#"printf '\0\0\0\1\2'; cat"#, .corrupt),
            (Self.hello(#"\0\0\0\5\2\0\0\0\2"#), .usage),
            (Self.hello(#"\0\0\0\5\2\0\0\0\3"#), .unfitStore),
        ])
    func damage(_ shell: String, _ code: Failure.Code) async throws {
        let host = try SFTPHost(shell: shell)
        let failure = await #expect(throws: Failure.self) {
            try await host.connect().put([1], to: key("a"))
        }
        #expect(failure?.code == code)
    }

    @Test func `without the store's folder nothing is known of its keys`() async throws {
        let host = try SFTPHost()
        let remote = host.connect()
        #expect(try await remote.get(key("a/b"), range: nil) == nil)
        rmdir(host.path)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await remote.get(key("a/b"), range: nil) },
            { _ = try await remote.read([ObjectRequest(key("a"))]) },
            { _ = try await remote.publish([1], to: key("a/c")) },
            { try await remote.put([1], to: key("a/b")) },
            { try await remote.put([1], to: key("a")) },
            { _ = try await remote.list(prefix: "", after: nil, limit: 1) },
            { _ = try await remote.list(prefix: "zones/", after: nil, limit: 1) },
            { try await remote.delete(key("a/b")) },
        ]
        for (number, call) in calls.enumerated() {
            let failure = await #expect(throws: Failure.self, "call \(number)") {
                try await call()
            }
            #expect(failure?.code == .away, "call \(number)")
        }
        #expect(access(host.path, F_OK) != 0)
    }

    @Test func `something that filesinki did not write is damage`() async throws {
        let host = try SFTPHost()
        let remote = host.connect()
        try await remote.put([1], to: key("log"))
        for call in [
            { _ = try await remote.publish([1], to: key("log/c")) },
            { _ = try await remote.publish([1], to: key("log/1/c")) },
            { try await remote.put([1], to: key("log/1")) },
        ] as [@Sendable () async throws -> Void] {
            let failure = await #expect(throws: Failure.self) { try await call() }
            #expect(failure?.code == .corrupt)
        }
        mkdir(host.path + "/packs", 0o755)
        let failure = await #expect(throws: Failure.self) {
            try await remote.put([1], to: key("packs"))
        }
        #expect(failure?.code == .corrupt)
    }

    @Test func `a read-only host denies writing, and can be read`() async throws {
        let host = try SFTPHost(shell: "exec \"$SFTP\" -R")
        let remote = host.connect()
        #expect(try await remote.list(prefix: "", after: nil, limit: 1) == [])
        for call in [
            { _ = try await remote.publish([1], to: key("log/1/c")) },
            { try await remote.put([1], to: key("a")) },
            { try await remote.put([1], to: key("packs/a")) },
        ] as [@Sendable () async throws -> Void] {
            let failure = await #expect(throws: Failure.self) { try await call() }
            #expect(failure?.code == .unfitStore)
        }
    }

    @Test func `a full disk at the host is named`() async throws {
        let folder = try TemporaryFolder()
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        let host = try SFTPHost()
        try await disk.shown(at: host.path) {
            let remote = host.connect()
            let failure = await #expect(throws: Failure.self) {
                try await remote.put([UInt8](repeating: 1, count: 8 << 20), to: key("a/b"))
            }
            #expect(failure?.code == .full)
            let left = try await remote.list(prefix: "", after: nil, limit: 1)
            #expect(left == [])
        }
    }

    @Test func `a read-only disk at the host is named`() async throws {
        let folder = try TemporaryFolder()
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        let host = try SFTPHost()
        try disk.makeReadOnly()
        try await disk.shown(at: host.path) {
            let failure = await #expect(throws: Failure.self) {
                try await host.connect().put([1], to: key("a/b"))
            }
            #expect(failure?.code == .notAllowed)
            #expect(
                failure?.message.contains("read-only file system") == true,
                "\(failure?.message ?? "")")
        }
    }

    @Test func `a cancelled request ends although the host does not reply`() async throws {
        let host = try SFTPHost(shell: "exec sleep 600")
        let remote = host.connect()
        let task = Task { try await remote.get(key("a"), range: nil) }
        task.cancel()
        // If it does not end, the time limit of the test run fails.
        await #expect(throws: (any Error).self) { try await task.value }
    }
}
