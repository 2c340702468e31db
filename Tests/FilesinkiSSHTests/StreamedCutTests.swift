import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiSSH

/// The first connection to the host's filesinki is cut after so many bytes; those after it are whole.
@Suite(.enabled(if: SFTPHost.hasBoth, "filesinki-net or openssh-sftp-server is missing"))
struct StreamedCutTests {
    /// Cut on the way to the host: the last request arrives in part, or not at all.
    static let requests = """
        if mkdir "$STORE/../cut"; then dd bs=1 count=COUNT status=none | \
        "$FILESINKI" serve --stdio "$STORE"; exit 255; fi; \(SFTPHost.serving)
        """
    /// Cut on the way back: the host has done what the lost replies were about.
    static let replies = """
        if mkdir "$STORE/../cut"; then "$FILESINKI" serve --stdio "$STORE" | \
        { dd bs=1 count=COUNT status=none; kill -KILL 0; }; fi; \(SFTPHost.serving)
        """

    /// In the openings, in the head of a request or a reply, in a body, and after it.
    static let counts = [1, 8, 9, 12, 18, 19, 25, 60, 150, 200, 260, 1000, 3000, 3300]

    private func host(_ shell: String, _ count: Int) throws -> SFTPHost {
        try SFTPHost(filesinki: shell.replacing("COUNT", with: String(count)))
    }

    private func retrying(_ host: SFTPHost) -> RetryingRemote {
        RetryingRemote(host.connectToAny(), systemContext: ManualClock().systemContext)
    }

    @Test(
        "a publication and an upload whose connection is cut have one outcome",
        arguments: [requests, replies], counts)
    func cut(_ shell: String, _ count: Int) async throws {
        let content = [UInt8](repeating: 7, count: 3000)
        let host = try host(shell, count)
        defer { withExtendedLifetime(host) {} }
        let remote = retrying(host)
        #expect(try await remote.publish(content, to: key("log/1/c")) == .mine)
        #expect(try await remote.get(key("log/1/c"), range: nil) == content)
        let listed = try await remote.list(prefix: "", after: nil, limit: 9)
        #expect(listed == [ObjectInfo(key: try key("log/1/c"), size: 3000)])
    }

    @Test("an upload that is cut goes on where it was cut", arguments: [200_000, 1_500_000])
    func resumed(_ count: Int) async throws {
        let content = noise(2_000_000)
        let shell = Self.requests.replacing("bs=1 count", with: "bs=100 iflag=fullblock count")
        let host = try host(shell, count / 100)
        defer { withExtendedLifetime(host) {} }
        let remote = retrying(host)
        try await remote.put(content, to: key("packs/aa/b"))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == content)
    }

    @Test("what is read while a connection is cut is whole or an error", arguments: counts)
    func read(_ count: Int) async throws {
        let host = try host(Self.replies, count)
        let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await host.connect().put(content, to: key("packs/aa/b"))
        let cut = host.connectToAny()
        for _ in 0..<2 {
            do {
                let found = try await cut.get(key("packs/aa/b"), range: nil)
                #expect(found == content)
            } catch let failure as Failure {
                #expect(failure.code == .away)
            }
        }
        // The same remote connects again.
        #expect(try await cut.get(key("packs/aa/b"), range: nil) == content)
    }

    @Test func `without retries a cut connection is an error that says so`() async throws {
        let host = try host(Self.requests, 60)
        defer { withExtendedLifetime(host) {} }
        let remote = host.connectToAny()
        let failure = await #expect(throws: Failure.self) {
            try await remote.publish([1], to: key("log/1/c"))
        }
        #expect(failure?.code == .away)
        #expect(try await remote.publish([1], to: key("log/1/c")) == .mine)
    }

    @Test func `a host that sends something else than frames is damaged`() async throws {
        let host = try SFTPHost(
            filesinki: #"printf 'filesinki-stream/1\nHello, hello'; cat >/dev/null"#)
        let failure = await #expect(throws: Failure.self) {
            try await host.connectToAny().get(key("a"), range: nil)
        }
        #expect(failure?.code == .corrupt)
    }
}
