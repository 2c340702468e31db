import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Foundation
import Glibc
import Testing

@testable import FilesinkiSSH

/// What is at a host, and how it is found out.
@Suite(.enabled(if: SFTPHost.hasBoth, "filesinki-net or openssh-sftp-server is missing"))
struct FarEndTests {
    let folder: TemporaryFolder
    private var note: String { folder.path("ssh") }

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    @Test func `both ways begin with the same bytes`() {
        #expect(SFTPRequest.initialize.encoded(id: 0) == StreamOpening.client)
    }

    @Test func `a host with filesinki is asked once`() async throws {
        let host = try SFTPHost(filesinki: SFTPHost.serving)
        let remote = host.connectToAny(note: note)
        try await remote.put([1], to: key("packs/aa/b"))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == [1])
        #expect(try await remote.service() == .filesinki)
        #expect(host.connections == 1)
        #expect(access(note, F_OK) != 0)
    }

    @Test(
        "a host without filesinki is used by SFTP, and asked no second time",
        arguments: [
            "echo 'sh: filesinki: not found' >&2; exit 127",
            "echo 'This account is not available.'; exit 1",
            "echo 'Error: Unknown option --stdio' >&2; exit 2",
            "echo 'exec request failed on channel 0' >&2; exit 255",
            "printf 'filesinki-stream/9\\n'; cat >/dev/null",
        ])
    func absent(_ shell: String) async throws {
        let host = try SFTPHost(filesinki: shell)
        let remote = host.connectToAny(note: note)
        try await remote.put([1], to: key("packs/aa/b"))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == [1])
        #expect(try await remote.service() == .sftp)
        #expect(host.connections == 2)
        #expect(try await !host.isFilesinki(note: note))
        #expect(host.connections == 3)
        // Another host's note, and none, say nothing.
        let other = try SFTPHost(filesinki: shell)
        #expect(try await !other.isFilesinki(note: note))
        #expect(other.connections == 2)
        SSHRemotes.forget(note: note)
        #expect(access(note, F_OK) != 0)
    }

    @Test func `a test of the remote finds out once what is at the host`() async throws {
        let host = try SFTPHost(filesinki: "echo 'sh: filesinki: not found' >&2; exit 127")
        let remote = host.connectToAny()
        let probe = SlotProbe(systemContext: .ofMachine, writers: 4, rounds: 1) { remote }
        let report = try await probe.testRemote()
        #expect(report.isFit, "\(report)")
        // One to ask for filesinki, one for SFTP, three that race with it and one that is cut.
        #expect(host.connections == 6)
    }

    @Test func `a filesinki that was killed is asked for the next time`() async throws {
        let host = try SFTPHost(filesinki: "kill -KILL $$")
        #expect(try await !host.isFilesinki(note: note))
        #expect(access(note, F_OK) != 0)
    }

    @Test func `ssh's own failure is not the absence of filesinki`() async throws {
        let host = try SFTPHost(filesinki: "echo 'Connection refused' >&2; exit 255")
        let failure = await #expect(throws: Failure.self) {
            try await host.isFilesinki(note: note)
        }
        #expect(failure?.code == .away)
        #expect(host.connections == 1)
        #expect(access(note, F_OK) != 0)
    }

    @Test func `a login that has begun is the first request's`() async throws {
        let host = try SFTPHost(filesinki: SFTPHost.serving)
        let remote = host.connectToAny()
        remote.connect()
        remote.connect()
        try await remote.put([1], to: key("packs/aa/b"))
        #expect(host.connections == 1)
    }

    @Test func `the failure of a login that has begun is the first request's`() async throws {
        let host = try SFTPHost(filesinki: "echo 'Connection refused' >&2; exit 255")
        let remote = host.connectToAny()
        remote.connect()
        let failure = await #expect(throws: Failure.self) {
            try await remote.get(key("a"), range: nil)
        }
        #expect(failure?.code == .away)
        #expect(host.connections == 1)
    }

    @Test func `a host that has lost its SFTP is asked for filesinki again`() async throws {
        let host = try SFTPHost(
            filesinki: SFTPHost.serving,
            sftp: "echo 'subsystem request failed on channel 0' >&2; exit 255")
        SSHNote(path: note).noteNoFilesinki(at: host.address)
        #expect(try await host.isFilesinki(note: note))
        #expect(access(note, F_OK) != 0)
    }

    @Test func `a host with neither gets a clear word`() async throws {
        let host = try SFTPHost(
            filesinki: "exit 127",
            sftp: "echo 'subsystem request failed on channel 0' >&2; exit 255")
        let failure = await #expect(throws: Failure.self) {
            try await host.connectToAny().get(key("a"), range: nil)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.message == "The host offers neither filesinki nor SFTP.")
    }

    /// sshd passes on no messages of what it runs in place of a subsystem.
    private static func failing(_ words: String, _ code: Int) throws -> SFTPHost {
        try SFTPHost(filesinki: "\(words); exit \(code)", sftp: "exit \(code)")
    }

    @Test(
        "what a forced command says before it fails is in the message, in one harmless line",
        arguments: [
            (
                "echo 'filesinki: apend: Invalid right.' >&2", 2, Failure.Code.usage,
                "apend: Invalid right."
            ),
            (
                "echo 'bash: filesinki: command not found' >&2", 127, .usage,
                "not found at the host: bash"
            ),
            ("exit 127", 127, .usage, "filesinki was not found at the host."),
            (#"printf 'a\033[31mb' >&2"#, 9, .away, #"failed (9): a\x1b[31mb."#),
            ("yes x | head -c 4000 | tr '\\n' x >&2", 9, .away, "x…"),
        ])
    func failingCommands(
        _ words: String, _ exit: Int, _ code: Failure.Code, _ part: String
    ) async throws {
        let host = try Self.failing(words, exit)
        let failure = await #expect(throws: Failure.self) { try await host.isFilesinki() }
        #expect(failure?.code == code)
        #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
        #expect((failure?.message.count ?? 0) < 400)
        #expect(failure?.remedy.contains("authorized_keys") == true)
    }

    @Test(
        "a folder that is missing at the host is named, and asked for once, by either way",
        arguments: ["exec \"$FILESINKI\" serve --stdio \"$STORE/none\"", "exit 127"],
        // A run without changes begins by asking whether a commit is there.
        [nil, 0..<0] as [Range<Int64>?])
    func missingFolder(_ shell: String, _ range: Range<Int64>?) async throws {
        let host = try SFTPHost(filesinki: shell)
        let address = try SSHAddress(url: "ssh://host\(host.path)/none")
        let clock = ManualClock()
        let remote = SSHRemotes(host.command, systemContext: clock.systemContext).connect(address)
        let failure = await #expect(throws: Failure.self) {
            try await remote.get(key("filesinki/c"), range: range)
        }
        #expect(failure?.code == .away)
        #expect(failure?.message == "The folder of the store was not found (unmounted?).")
        #expect(failure?.remedy.contains("correct the address") == true)
        let isOfFilesinki = failure?.remedy.contains("authorized_keys there names a command")
        #expect(isOfFilesinki == (shell != "exit 127"))
        // Without a pause, there was no other try.
        #expect(clock.slept.isEmpty)
    }

    @Test func `a host that does not answer before a login is away, after a limit`() async throws {
        let host = try SFTPHost(shell: "sleep 600; exit")
        let patience = SSHPatience(limit: .milliseconds(50))
        let link = SSHLink(host.address, host.command, patience: patience)
        let failure = await #expect(throws: Failure.self) { try await link.way() }
        #expect(failure?.code == .away)
        #expect(failure?.message.hasPrefix("The host did not answer within") == true)
        #expect(failure?.isTransient == false)
    }

    @Test func `a host with another version alone says so`() async throws {
        let other = "printf 'filesinki-stream/9\\n'; cat >/dev/null"
        let failure = await #expect(throws: Failure.self) {
            try await SFTPHost(filesinki: other, sftp: other).isFilesinki()
        }
        #expect(failure?.code == .newerFormat)
    }

    @Test(
        "a host with a forced command is used by what it has",
        arguments: [(SFTPHost.serving, true), ("exec \"$SFTP\"", false)])
    func forced(_ shell: String, _ isFilesinki: Bool) async throws {
        let host = try SFTPHost(filesinki: shell, sftp: shell)
        #expect(try await host.isFilesinki(note: note) == isFilesinki)
        #expect(host.connections == 1)
        // Also if the other one was asked for.
        SSHNote(path: note).noteNoFilesinki(at: host.address)
        #expect(try await host.isFilesinki(note: note) == isFilesinki)
        #expect(host.connections == 2)
    }

    @Test(
        "what a login shell prints before filesinki is skipped",
        arguments: [
            "echo 'Welcome to the host'", "printf 'no newline: '",
            #"printf '\033[1mbold\033[0m\n'"#,
            "echo 'Grüße'", "echo filesinki-stream; echo filesinki-strea",
            "head -c 60000 /dev/zero | tr '\\0' '/'",
        ])
    func greeting(_ shell: String) async throws {
        let host = try SFTPHost(filesinki: "\(shell); \(SFTPHost.serving)")
        let remote = host.connectToAny()
        try await remote.put([1], to: key("packs/aa/b"))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == [1])
        #expect(host.connections == 1)
    }

    @Test(
        "a greeting without an end, and bytes that are none, are refused",
        arguments: [
            ("yes", Failure.Code.usage), ("head -c 99999 /dev/zero | tr '\\0' x; cat", .usage),
            (#"printf 'text\0\0'; cat"#, .usage), (#"printf '\0\0\0\0\0\0'; cat"#, .corrupt),
            ("printf filesinki-stream/; yes 1 | tr -d '\\n'", .usage),
        ])
    func endless(_ shell: String, _ code: Failure.Code) async throws {
        let host = try SFTPHost(filesinki: shell)
        let failure = await #expect(throws: Failure.self) { try await host.isFilesinki() }
        #expect(failure?.code == code)
    }

    @Test func `a filesinki that disappears leaves its store to SFTP`() async throws {
        let host = try SFTPHost(
            filesinki: #"if mkdir "$STORE/../once"; then \#(SFTPHost.serving); fi; exit 127"#)
        let link = SSHLink(host.address, host.command)
        let remote = SSHRemote(link, systemContext: .ofMachine)
        _ = try await remote.publish([1], to: key("log/1/c"))
        try await link.way().close()
        let retrying = RetryingRemote(remote, systemContext: ManualClock().systemContext)
        #expect(try await retrying.publish([2], to: key("log/1/c")) == .theirs([1]))
        #expect(try await retrying.publish([2], to: key("log/2/c")) == .mine)
        if case .filesinki = try await link.way() { Issue.record("It is still there.") }
    }

    @Test func `the store's folder is created if its parent exists, and only when asked for`()
        async throws
    {
        let asked =
            #"for last; do :; done; cd "$STORE"; mkdir -p bin; "#
            + #"ln -sf "$FILESINKI" bin/filesinki; PATH="$STORE/bin:$PATH" exec sh -c "$last""#
        let host = try SFTPHost(filesinki: asked)
        for (name, isMade) in [("new store's", true), ("none/new", false)] {
            let address = try SSHAddress(
                url: "ssh://host\(host.path)/\(name.replacing(" ", with: "%20"))")
            let path = "\(host.path)/\(name)"
            let remotes = SSHRemotes(host.command, systemContext: ManualClock().systemContext)
            // A connection that was opened before.
            let remote = remotes.connect(address)
            let failure = await #expect(throws: Failure.self) {
                try await remote.get(key("filesinki/c"), range: nil)
            }
            #expect(failure?.code == .away)
            #expect(access(path, F_OK) != 0)
            let link = try await remotes.makeFolder(address)
            #expect((access(path, F_OK) == 0) == isMade)
            if isMade { #expect(try await remote.get(key("filesinki/c"), range: nil) == nil) }
            withExtendedLifetime(link) {}
        }
    }

    @Test func `rights that are missing are an error of their own`() async throws {
        let host = try SFTPHost(
            filesinki: #"exec "$FILESINKI" serve --stdio --rights read "$STORE""#)
        let remote = host.connectToAny()
        #expect(try await remote.list(prefix: "", after: nil, limit: 1) == [])
        for call in [
            { try await remote.put([1], to: key("packs/aa/b")) },
            { _ = try await remote.publish([1], to: key("log/1/c")) },
            { try await remote.delete(key("packs/aa/b")) },
        ] as [@Sendable () async throws -> Void] {
            let failure = await #expect(throws: Failure.self) { try await call() }
            #expect(failure?.code == .notAllowed)
            // There is no token.
            #expect(failure?.remedy.contains("authorized_keys at the host") == true)
            #expect(failure?.description.contains("token") == false)
        }
    }

    @Test func `a client that is gone leaves no process at the host`() async throws {
        let host = try SFTPHost(
            filesinki: #"echo $$ >"$STORE/../process"; \#(SFTPHost.serving)"#)
        do {
            let remote = host.connectToAny()
            // A wait for changes is under way.
            let waiting = Task { try await remote.wait(prefix: "", timeout: .seconds(600)) }
            try await remote.put([1], to: key("packs/aa/b"))
            waiting.cancel()
            _ = try? await waiting.value
        }
        let text = try String(contentsOfFile: host.path + "/../process", encoding: .utf8)
        let process = try #require(pid_t(text.dropLast()))
        while kill(process, 0) == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `a change by another device ends a wait`() async throws {
        let host = try SFTPHost(filesinki: SFTPHost.serving)
        let (remote, other) = (host.connectToAny(), host.connectToAny())
        // The first wait begins to listen, and the greeting ends it.
        try await remote.wait(prefix: "log/", timeout: .seconds(600))
        let waiting = Task { try await remote.wait(prefix: "log/", timeout: .seconds(600)) }
        _ = try await other.publish([1], to: key("log/1/c"))
        // If it does not end, the time limit of the test run fails.
        try await waiting.value
        // The wait was beside other requests on the one connection.
        #expect(try await remote.get(key("log/1/c"), range: nil) == [1])
        #expect(host.connections == 2)
    }

    @Test func `a cancelled request ends although the host does not reply`() async throws {
        for shell in ["exec sleep 600", #"printf 'filesinki-stream/1\n'; exec sleep 600"#] {
            let remote = try SFTPHost(filesinki: shell).connectToAny()
            let task = Task {
                try await remote.put([UInt8](repeating: 0, count: 5 << 20), to: key("a"))
            }
            task.cancel()
            // If it does not end, the time limit of the test run fails.
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test func `objects take the time that the bandwidth allows, each way`() async throws {
        let (host, clock) = (try SFTPHost(filesinki: SFTPHost.serving), ManualClock())
        let remote = SSHRemotes(host.command, systemContext: clock.systemContext).connect(
            host.address,
            bandwidth: Bandwidth(
                sending: 100_000, receiving: 50_000, systemContext: clock.systemContext))
        let content = noise(500_000)
        try await remote.put(content, to: key("packs/aa/b"))
        let sent = clock.slept.reduce(.zero, +)
        #expect(sent >= .seconds(5))
        #expect(sent <= .milliseconds(5_200))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == content)
        let received = clock.slept.reduce(.zero, +) - sent
        #expect(received >= .seconds(10))
        #expect(received <= .milliseconds(10_200))
    }
}
