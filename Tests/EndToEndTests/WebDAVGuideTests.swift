import FilesinkiTesting
import Foundation
import Testing

/// `Docs/Guide/webdav.md`, whose lines name a server of the reader's.
@Suite("The guide to a WebDAV server", .onOwnThreads)
struct WebDAVGuideTests {
    @Test(
        "its lines bring a file from one machine to the other, as they are written",
        .enabled(if: RealServer.apacheBasic.isInstalled, "Apache is not installed"))
    func lines() async throws {
        let machine = try Machine()
        let server = try await RealServer.apacheBasic.start()
        let address = server.address.replacing("http://", with: "webdav://")
        let guide = try String(
            contentsOfFile: Machine.package + "/Docs/Guide/webdav.md", encoding: .utf8)
        let written = MarkdownBlock.all(in: guide).filter { $0.info == "sh webdav" }.map(\.text)
        let place = "webdavs://dav.example.org"
        let script = written.joined()
        #expect(script.components(separatedBy: place).count == 4)
        try machine.write(
            script.replacing(place, with: address)
                .replacing("MY-USER", with: RealServer.user)
                .replacing("MY-PASSWORD", with: RealServer.password),
            to: "guide.sh")
        let run = try machine.shell(
            """
            export HOME="$PWD/person"; unset XDG_CONFIG_HOME
            mkdir -p bin "$HOME/work"; echo first >"$HOME/work/f"
            ln -s "$FILESINKI" bin/filesinki; PATH="$PWD/bin:$PATH" bash -e guide.sh
            """)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.hasSuffix("from the second machine\n"), "\(run)")
        #expect(machine.read("person/copy/f") == "first\n")
        await server.stop()
    }
}
