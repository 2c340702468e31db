import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@Suite("Files of a root that a program writes")
struct RootFilesTests {
    private let folder: TemporaryFolder
    private let path: RelativePath

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = try RelativePath("f")
    }

    private var options: ReplicaOptions {
        ReplicaOptions(root: folder.path("root"), systemContext: ManualClock().systemContext) {
            _ in throw Failure(.away, "No remote.", remedy: "")
        }
    }

    /// As a program opens them, each call like one more process.
    private func files() throws -> RootFiles { try RootFiles(options) }

    @Test("FB-11 what an ended process has left behind is removed, nothing of a running one")
    func leftovers() throws {
        _ = try files()
        // No process has a number as large as that.
        let names = ["2000000000-a-1", "\(getpid())-a-1"].map {
            options.stateFolder.saving + "/" + $0
        }
        for name in names { #expect(symlink("target", name) == 0) }
        _ = try files()
        var status = stat()
        let found = names.map { lstat($0, &status) }
        #expect(found == [-1, 0])
    }

    @Test("FB-11 an update replaces exactly what it has read, and returns it")
    func update() throws {
        let files = try files()
        #expect(try files.update(path) { _ in [1] } == nil)
        #expect(try files.update(path) { _ in [2] } == [1])
        #expect(try files.update(path) { $0 == [1] ? [3] : nil } == [2])
        #expect(try files.read(path) == [2])
    }

    @Test("FB-11 a write between reading and replacing is read, too")
    func between() throws {
        let files = try files()
        let other = try self.files()
        var received: [[UInt8]?] = []
        let replaced = try files.update(path) { present in
            received.append(present)
            if received.count == 1 { _ = try? other.update(path) { _ in [7] } }
            return [1]
        }
        #expect(received == [nil, [7]])
        #expect(replaced == [7])
        #expect(try files.read(path) == [1])
    }

    @Test("FB-11 of several threads that write at once, each content is replaced by exactly one")
    func threads() async throws {
        let files = try files()
        let replaced = try await withThrowingTaskGroup(of: [[UInt8]?].self) { group in
            for writer in UInt8(0)..<2 {
                group.addTask { [path] in
                    try (UInt8(0)..<50).map { number in
                        try files.update(path) { _ in [writer, number] }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let last = try files.read(path)
        #expect(Set(replaced + [last]).count == 101)
    }
}
