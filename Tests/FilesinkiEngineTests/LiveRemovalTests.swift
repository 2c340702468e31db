import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@testable import FilesinkiEngine
@testable import FilesinkiFileSystem

/// A program commits to a database while it is removed or replaced by something else.
@Suite struct LiveRemovalTests {
    enum Work: String, CaseIterable, Sendable { case remove, replace }
    enum Mode: String, CaseIterable, Sendable { case wal, delete }

    /// The steps up to which what was committed is found; after the last one it is too late.
    ///
    /// Without a log, SQLite itself refuses to write into a file that has lost its name.
    static let moments: [(Mode, TreeWriter.Step)] =
        [.begun, .allowed, .planned, .takenOut].map { (.wal, $0) }
        + [.begun, .allowed, .planned].map { (.delete, $0) }

    /// A root, a staging folder, and a database that a program has open.
    private struct Place {
        let folder: TemporaryFolder
        let root: RootFolder
        let writer: TreeWriter
        let client: SQLClient

        init(_ mode: Mode) throws {
            folder = try TemporaryFolder()
            let (path, state) = (folder.path("root"), folder.path("state"))
            guard mkdir(path, 0o755) == 0, mkdir(state, 0o755) == 0 else { throw SystemError.last }
            root = try RootFolder(path: path, live: LiveAdapter(scratch: state))
            let staging = try Staging(root: root, folder: state)
            writer = TreeWriter(root: root, staging: staging, sync: .batch)
            client = try SQLClient(
                path + "/x.db",
                "PRAGMA journal_mode = \(mode); CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        }

        var names: [String] {
            get throws {
                guard let folder = FileHandle(open(root.path, O_RDONLY | O_DIRECTORY)) else {
                    throw SystemError.last
                }
                let listing = try FolderListing(folder)
                return listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }
                    .sorted()
            }
        }
    }

    @Test(
        "E3.4 a transaction committed meanwhile survives", arguments: Work.allCases, moments)
    func commits(_ work: Work, _ moment: (Mode, TreeWriter.Step)) throws {
        let place = try Place(moment.0)
        let path = try RelativePath("x.db")
        let expected = try expectation(place)
        let client = place.client
        let hasCommitted = Mutex(false)
        var writer = place.writer
        writer.probe = { step in
            let isFirst = hasCommitted.withLock { done in
                defer { if step == moment.1 { done = true } }
                return step == moment.1 && !done
            }
            if isFirst { #expect(client.accepts("INSERT INTO t VALUES (2)")) }
        }
        let outcome = try perform(work, writer, path, expected)
        #expect(hasCommitted.withLock { $0 })
        #expect(outcome == .surprised)
        client.close()
        #expect(query(place.root.path + "/x.db", "SELECT group_concat(x) FROM t") == "1,2")
        #expect(try place.names == ["x.db"])
    }

    @Test(
        "E3.4 a database without a writer is removed with all its files",
        arguments: Work.allCases, Mode.allCases)
    func quiet(_ work: Work, _ mode: Mode) throws {
        let place = try Place(mode)
        let path = try RelativePath("x.db")
        let outcome = try perform(work, place.writer, path, expectation(place))
        #expect(outcome != .surprised)
        #expect(try place.names == (work == .remove ? [] : ["x.db"]))
        if work == .replace {
            #expect(try place.root.readWhole(path, limit: 100).bytes == Array("text".utf8))
        }
    }

    /// What a run has seen: the content of the database.
    private func expectation(_ place: Place) throws -> FilesinkiFileSystem.Expectation {
        var hasher = ContentHasher()
        let status = try place.root.readChunks(RelativePath("x.db"), bufferSize: 1 << 20) {
            hasher.update($0)
        }
        return .content(hasher.finish(), size: status.stamp.size)
    }

    private func perform(
        _ work: Work, _ writer: TreeWriter, _ path: RelativePath,
        _ expected: FilesinkiFileSystem.Expectation
    ) throws -> InstallOutcome {
        guard work == .replace else { return try writer.remove(path, expecting: expected) }
        let staged = try writer.staging.makeFile()
        var failed: Failure?
        Array("text".utf8).withUnsafeBytes { bytes in
            do throws(Failure) { try staged.write(bytes) } catch { failed = error }
        }
        if let failed { throw failed }
        try staged.finish(mode: 0o644, modified: Timestamp(nanoseconds: 1), sync: false)
        return try writer.install(staged, at: path, expecting: expected)
    }
}

private func query(_ path: String, _ sql: String) -> String { SQLClient.text(path, sql) }
