import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiSSH

/// What is said of a store's folder that SFTP cannot make.
@Suite(.enabled(if: SFTPHost.hasBoth, "filesinki-net or openssh-sftp-server is missing"))
struct NewStoreFolderTests {
    @Test func `SFTP that is read-only makes no folder, and says so`() async throws {
        let host = try SFTPHost(filesinki: "exit 127", sftp: #"exec "$SFTP" -R"#)
        let remotes = SSHRemotes(host.command, systemContext: ManualClock().systemContext)
        let new = try SSHAddress(url: "ssh://host\(host.path)/new")
        let failure = await #expect(throws: Failure.self) {
            _ = try await remotes.makeFolder(new)
        }
        #expect(failure?.code == .unfitStore)
        #expect(
            failure?.message
                == "The host's SFTP is read-only, or cannot rename atomically (posix-rename@openssh.com)."
        )
        // A store that is there can be read.
        _ = try await remotes.makeFolder(host.address)
    }
}
