import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Foundation
import Glibc
import Testing

@testable import FilesinkiSSH

/// Where no store is made at a host.
@Suite(.enabled(if: SFTPHost.hasBoth, "filesinki-net or openssh-sftp-server is missing"))
struct MisplacedStoreTests {
    /// Where a store is not made, and why.
    static let places: [(String, MisplacedStore?)] = [
        ("", .replica), ("/in/new", .insideReplica), ("/in", .insideReplica),
        ("/../other/new", .insideStore), ("/../other/in/new", .insideStore),
        ("/../other", nil), ("/../code/new", nil), ("/../free", nil),
    ]

    /// Runs what was asked for, with filesinki in the `PATH`.
    private static let asked =
        #"for last; do :; done; mkdir -p "$STORE/../bin"; "#
        + #"ln -sf "$FILESINKI" "$STORE/../bin/filesinki"; "#
        + #"PATH="$STORE/../bin:$PATH" exec sh -c "$last""#

    @Test(
        "a folder is looked at where no store is to be made, by filesinki and by SFTP",
        arguments: [true, false])
    func existing(_ isFilesinki: Bool) async throws {
        let host = try SFTPHost(filesinki: isFilesinki ? Self.asked : "exit 127")
        let remote = host.connectToAny()
        #expect(try await remote.misplacementOfExistingFolder() == nil)
        mkdir(host.path + "/zones", 0o755)
        try "".write(toFile: host.path + "/zones/x", atomically: false, encoding: .utf8)
        #expect(try await !remote.holdsOtherFiles())
        try "".write(toFile: host.path + "/other", atomically: false, encoding: .utf8)
        #expect(try await remote.holdsOtherFiles())
        mkdir(host.path + "/.filesinki", 0o755)
        try "".write(toFile: host.path + "/.filesinki/root", atomically: false, encoding: .utf8)
        #expect(try await host.connectToAny().misplacementOfExistingFolder() == .replica)
    }

    @Test(
        "a store is made in no replica and in no other store, by filesinki and by SFTP",
        arguments: places, [true, false])
    func misplaced(_ place: (String, MisplacedStore?), _ isFilesinki: Bool) async throws {
        let host = try SFTPHost(filesinki: isFilesinki ? Self.asked : "exit 127")
        let top = host.path + "/.."
        for folder in [
            "store/.filesinki", "store/in", "other", "other/in", "code", "code/filesinki",
        ] {
            mkdir("\(top)/\(folder)", 0o755)
        }
        mkdir("\(top)/other/filesinki", 0o755)
        for (file, text) in [
            ("store/.filesinki/root", "x"), ("other/filesinki/c", "filesinki store 1"),
            ("code/filesinki/c", "int main;"),
        ] {
            try text.write(toFile: "\(top)/\(file)", atomically: false, encoding: .utf8)
        }
        let address = try SSHAddress(url: "ssh://host\(host.path)\(place.0)")
        let wasThere = access(host.path + place.0, F_OK) == 0
        let remotes = SSHRemotes(host.command, systemContext: ManualClock().systemContext)
        var failure: Failure?
        do throws(Failure) {
            let link = try await remotes.makeFolder(address)
            let remote = remotes.connect(address)
            do { _ = try await remote.get(key("filesinki/c"), range: nil) } catch {
                failure = error as? Failure
            }
            withExtendedLifetime(link) {}
        } catch { failure = error }
        #expect(failure?.code == place.1.map { _ in .usage })
        #expect(failure?.message == place.1?.sentence)
        #expect(failure?.path.elementsEqual(address.text.utf8) != false)
        #expect((access(host.path + place.0, F_OK) == 0) == (wasThere || place.1 == nil))
    }
}
