import FilesinkiCommands
import FilesinkiDirectory
import FilesinkiRemote
import Testing

/// What `doctor` says of the connection to a host over ssh.
@Suite struct DoctorOfHostTests {
    /// A store at a host, which is reached by what the test says.
    private struct Hosted: RemoteWrapper, HostRemote {
        let wrapped: any Remote
        let found: HostService

        func service() async throws -> HostService { found }
    }

    private func replica(reachedBy service: HostService) async throws -> World {
        let world = try World()
        try await world.makeStore("store")
        let remote = Hosted(
            wrapped: DirectoryRemote(path: world.folder + "/store"), found: service)
        world.network.connect = { _, _ in remote }
        try await world.done("init", "a", "--remote", "https://127.0.0.1:1/")
        return world
    }

    @Test func `SFTP alone is a note that advises to install filesinki there`() async throws {
        let world = try await replica(reachedBy: .sftp)
        let outcome = try await world.run("doctor", "a")
        #expect(outcome.code == .done)
        #expect(outcome.lines.count == 2, "\(outcome.text)")
        // The note has passed, and is no warning.
        #expect(outcome.lines.first?.hasSuffix(" checks passed  (-v lists all)") == true)
        let note = try #require(outcome.lines.last)
        #expect(
            note.hasPrefix(
                "note     host  No filesinki was found at the host, so SFTP alone is used. "
                    + "Installing filesinki there makes syncs faster; "), "\(note)")
        #expect(note.contains("filesinki remote check"), "\(note)")
        let json = try await world.run("doctor", "a", "--json")
        #expect(json.text.contains(#""name":"host","level":"note","#), "\(json.text)")
        #expect(json.text.contains(#""service":"sftp"}"#), "\(json.text)")
    }

    @Test func `the host's filesinki is a check that passed`() async throws {
        let world = try await replica(reachedBy: .filesinki)
        #expect(try await world.run("doctor", "a").lines.count == 1)
        let all = try await world.run("doctor", "a", "-v")
        let said = all.lines.filter { $0.contains("  host ") }
        #expect(said.count == 1 && said[0].hasPrefix("ok "), "\(all.text)")
        #expect(said.first?.hasSuffix("The host's filesinki serves the store.") == true)
        let json = try await world.run("doctor", "a", "--json")
        #expect(json.text.contains(#""service":"filesinki"}"#), "\(json.text)")
    }
}
