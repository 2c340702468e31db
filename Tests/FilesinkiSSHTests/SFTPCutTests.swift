import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Testing

/// The first connection is cut after so many bytes; those after it are whole.
@Suite(.enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"))
struct SFTPCutTests {
    /// Cut on the way to the host: the last request arrives in part, or not at all.
    static let requests = #"""
        if mkdir "$STORE/../cut"; then dd bs=1 count=COUNT status=none | "$SFTP"; exit 255; fi; exec "$SFTP"
        """#
    /// Cut on the way back: the host has done what the lost replies were about.
    static let replies = #"""
        if mkdir "$STORE/../cut"; then "$SFTP" | { dd bs=1 count=COUNT status=none; kill -KILL 0; }; fi; exec "$SFTP"
        """#

    static let counts = Array(stride(from: 1, to: 700, by: 13)) + [1000, 2000, 4000, 8000]

    @Test("a publication whose connection is cut has one outcome", arguments: [requests, replies])
    func publish(_ shell: String) async throws {
        for count in Self.counts {
            let host = try SFTPHost(shell: shell.replacing("COUNT", with: String(count)))
            let content = [UInt8](repeating: 7, count: 3000)
            let remote = host.connectRetrying()
            #expect(try await remote.publish(content, to: key("log/1/c")) == .mine, "\(count)")
            #expect(try await remote.get(key("log/1/c"), range: nil) == content, "\(count)")
            let listed = try await remote.list(prefix: "", after: nil, limit: 9)
            #expect(listed == [ObjectInfo(key: try key("log/1/c"), size: 3000)], "\(count)")
        }
    }

    @Test("an upload whose connection is cut is whole", arguments: [requests, replies])
    func put(_ shell: String) async throws {
        for count in Self.counts {
            let host = try SFTPHost(shell: shell.replacing("COUNT", with: String(count)))
            let content = [UInt8](repeating: 7, count: 3000)
            let remote = host.connectRetrying()
            try await remote.put(content, to: key("packs/aa/b"))
            #expect(try await remote.get(key("packs/aa/b"), range: nil) == content, "\(count)")
        }
    }

    @Test("what is read while a connection is cut is whole or an error", arguments: [replies])
    func read(_ shell: String) async throws {
        let content = noise(300_000)
        for count in Self.counts + [100_000, 299_000, 301_000] {
            let host = try SFTPHost(shell: shell.replacing("COUNT", with: String(count)))
            try await DirectoryRemote(path: host.path).put(content, to: key("packs/aa/b"))
            let cut = host.connect()
            // Late cuts come while it is read again.
            for _ in 0..<2 {
                do {
                    let found = try await cut.get(key("packs/aa/b"), range: nil)
                    #expect(found == content, "\(count)")
                } catch let failure as Failure {
                    #expect(failure.code == .away, "\(count)")
                }
            }
            // The same remote connects again.
            let found = try await cut.get(key("packs/aa/b"), range: nil)
            #expect(found == content, "\(count)")
        }
    }

    @Test func `without retries a cut connection is an error that says so`() async throws {
        let host = try SFTPHost(shell: Self.requests.replacing("COUNT", with: "60"))
        let remote = host.connect()
        let failure = await #expect(throws: Failure.self) {
            try await remote.publish([1], to: key("log/1/c"))
        }
        #expect(failure?.code == .away)
        #expect(try await remote.publish([1], to: key("log/1/c")) == .mine)
    }
}
