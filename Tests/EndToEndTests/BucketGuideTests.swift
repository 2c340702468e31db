import FilesinkiTesting
import Foundation
import Testing

/// `Docs/Guide/s3.md`, whose lines name a bucket of the reader's.
@Suite("The guide to a bucket", .onOwnThreads)
struct BucketGuideTests {
    @Test(
        "its lines bring a file from one machine to the other, as they are written",
        .enabled(if: RemoteKind.chosen.contains(.ceph), "only with FILESINKI_REMOTES=ceph or all"))
    func lines() async throws {
        let machine = try Machine()
        let place = try await RemotePlace.make(.ceph, for: machine)
        let guide = try String(
            contentsOfFile: Machine.package + "/Docs/Guide/s3.md", encoding: .utf8)
        let written = MarkdownBlock.all(in: guide).filter { $0.info == "sh s3" }.map(\.text)
        let address = "s3://my-bucket/work?endpoint=s3.example.org&region=eu-1"
        let script = written.joined()
        #expect(script.components(separatedBy: address).count == 3)
        try machine.write(
            script.replacing(address, with: place.address)
                .replacing("MY-KEY", with: RemoteKind.cephKey.name)
                .replacing("MY-SECRET", with: RemoteKind.cephKey.secret),
            to: "guide.sh")
        let run = try machine.shell(
            """
            export HOME="$PWD/person"; mkdir -p bin "$HOME/work"; echo first >"$HOME/work/f"
            ln -s "$FILESINKI" bin/filesinki; PATH="$PWD/bin:$PATH" bash -e guide.sh
            """)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.hasSuffix("from the second machine\n"), "\(run)")
        #expect(machine.read("person/copy/f") == "first\n")
    }
}
