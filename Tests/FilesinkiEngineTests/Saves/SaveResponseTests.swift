import FilesinkiHashing
import FilesinkiModel
import Testing

@testable import FilesinkiEngine

/// What the process that carries out a save tells the one that waits for it.
@Suite struct SaveResponseTests {
    private let saved = ContentHasher.hash([1])

    private func problem(_ path: String, _ code: Failure.Code) throws -> Problem {
        Problem(
            try RelativePath(path),
            Failure(code, path: path, "It failed.\nTwice.", remedy: "Run again."))
    }

    private func read(_ report: SaveReport) throws -> SaveReport {
        let bytes = SaveResponse.saved(report).bytes
        guard case .saved(let found)? = SaveResponse(bytes, saved: saved) else {
            throw Failure(.corrupt, path: "response", "It is malformed.", remedy: "None.")
        }
        return found
    }

    @Test("the report of a save makes the round trip", arguments: [true, false])
    func report(_ isDone: Bool) throws {
        var sync = SyncReport()
        sync.problems = [try problem("a b", .io), try problem("\u{E4}\n", .full)]
        sync.notices = [try problem("n", .usage)]
        sync.copies = [try RelativePath("copy 1"), try RelativePath("d/copy")]
        sync.hasRemote = isDone
        sync.isQueued = !isDone
        if !isDone { sync.away = try problem("remote", .away).failure }
        let entry = Entry.file(
            saved, size: 1, mode: 0o640, modified: Timestamp(nanoseconds: 1_000_000_005))
        let sent = SaveReport(
            sync: sync, entry: isDone ? entry : nil, version: isDone ? 7 : 0, saved: saved)
        let found = try read(sent)
        #expect(found.sync.problems.map(\.path) == sync.problems.map(\.path))
        #expect(found.sync.problems.map(\.failure.code) == [.io, .full])
        #expect(found.sync.problems.first?.failure.message == "It failed.\nTwice.")
        #expect(found.sync.notices.map(\.path) == sync.notices.map(\.path))
        #expect(found.sync.copies == sync.copies)
        #expect(found.sync.hasRemote == isDone && found.sync.isQueued == !isDone)
        #expect(found.sync.away?.code == (isDone ? nil : .away))
        #expect(found.entry == sent.entry)
        #expect(found.version == sent.version && !found.differs)
    }

    @Test func `another content than the saved one is told`() throws {
        let entry = Entry.file(
            ContentHasher.hash([2]), size: 1, mode: 0o640, modified: Timestamp(nanoseconds: 5))
        let report = SaveReport(sync: SyncReport(), entry: entry, version: 7, saved: saved)
        #expect(report.differs)
        #expect(try read(report).differs)
    }

    @Test func `a failure makes the round trip`() throws {
        let failure = try problem("x", .differs).failure
        let bytes = SaveResponse.failed(failure).bytes
        guard case .failed(let found)? = SaveResponse(bytes, saved: saved) else {
            Issue.record("It is malformed.")
            return
        }
        #expect(found.code == .differs && found.path == failure.path)
        #expect(found.message == failure.message && found.remedy == failure.remedy)
    }

    @Test(
        "malformed bytes are no response",
        arguments: [
            "", "saved", "saved 7", "saved x remote done", "saved 7 remote", "other 7",
            "saved 7 remote done\nproblem", "copy zz\nsaved 7 remote done", "failure",
        ])
    func malformed(_ text: String) {
        #expect(SaveResponse(Array(text.utf8), saved: saved) == nil)
    }
}
