import FilesinkiEngine
import FilesinkiModel
import Glibc
import Synchronization
import Testing

@testable import FilesinkiCommands

@Suite("Progress")
struct ProgressTests {
    private static let half = Progress(
        .hashing, files: 1204, totalFiles: 2800, bytes: 1_200_000_000, totalBytes: 2_400_000_000)
    private static let unknown = Progress(.scanning, files: 12_345)

    @Test(
        "the progress line shows known figures and fits the width",
        arguments: [
            (
                half, 12.0, 200,
                "hashing 50% [####################--------------------]  1204 of 2800 files, "
                    + "1.2 GB of 2.4 GB, 100 MB/s, 0:12 left"
            ),
            (
                half, 12.0, 79,
                "hashing 50% [###---]  1204 of 2800 files, 1.2 GB of 2.4 GB, 100 MB/s, 0:12 left"
            ),
            (half, 12.0, 40, "hashing 50% [##---]  100 MB/s, 0:12 left"),
            (half, 12.0, 10, "hashing 50"),
            (half, 0.2, 60, "hashing 50% [####----]  1204 of 2800 files, 1.2 GB of 2.4 GB"),
            (unknown, 3.0, 79, "scanning  12345 files"),
            (
                Progress(.testing, files: 3, totalFiles: 22), 0.2, 45,
                "testing the remote 13% [-----]  3 of 22 tests"
            ),
            (
                Progress(.fetching, files: 1, totalFiles: 9), 1000, 50,
                "fetching 11% [-------]  1 of 9 files, 2:13:20 left"
            ),
        ])
    func line(_ progress: Progress, _ elapsed: Double, _ columns: Int, _ text: String) {
        let line = ProgressText.line(progress, elapsed: elapsed, columns: columns)
        #expect(line.count <= columns)
        #expect(line == text)
    }

    @Test func `a line without a total has no bar`() {
        #expect(
            ProgressText.line(Self.half, elapsed: 12, columns: nil)
                == "hashing 50%, 1204 of 2800 files, 1.2 GB of 2.4 GB, 100 MB/s, 0:12 left")
    }

    @Test func `nothing is shown for less than half a second, and nothing stays`() throws {
        let sink = MemorySink()
        let now = Mutex<Int64>(0)
        let console = Console(
            output: MemorySink(), talk: sink, input: -1, environment: [:], currentFolder: "/",
            terminals: Console.Terminals(talk: true, columns: { 40 }),
            systemContext: SystemContext(
                now: { Timestamp(nanoseconds: now.withLock { $0 }) }, randomBytes: { _ in [] },
                sleep: { _ in }), network: .none)
        let line = ProgressLine(console)
        line.show(Self.unknown)
        now.withLock { $0 = 499_000_000 }
        line.show(Self.unknown)
        #expect(sink.bytes.isEmpty)
        now.withLock { $0 = 600_000_000 }
        line.show(Self.unknown)
        line.clear()
        #expect(
            String(decoding: sink.bytes, as: UTF8.self)
                == "\r\u{1B}[Jscanning  12345 files\r\u{1B}[J")
    }

    @Test func `a single large file shows its progress`() async throws {
        let world = try World(tick: 1_000_000_000)
        #expect(try await world.run("init", "a", "--remote", "store").code == .done)
        try world.write("", to: "a/large")
        #expect(truncate(world.folder + "/a/large", 64 << 20) == 0)
        world.terminals = Console.Terminals(talk: true, columns: { 80 })
        let talk = try await world.run("sync", "a").talk
        let lines = talk.split(separator: "\r").filter { $0.contains("hashing") }
        #expect(lines.count >= 8)
        #expect(lines.contains { $0.contains("hashing 50%") && $0.contains(" left") }, "\(talk)")
    }

    @Test func `in a terminal that became narrower, the whole old line is erased`() throws {
        let world = try World()
        let sink = MemorySink()
        world.console(talk: sink).redrawTalk("x", over: 79, columns: 40)
        #expect(String(decoding: sink.bytes, as: UTF8.self) == "\r\u{1B}[1A\u{1B}[Jx")
    }
}
