import FilesinkiManifest
import FilesinkiModel
import Testing

@Suite struct HistoryTests {
    let temporary: TemporaryManifest
    let manifest: ManifestDatabase

    init() throws {
        temporary = try TemporaryManifest()
        manifest = try temporary.open()
    }

    @Test func `keeps conflicts with their entries, oldest first`() throws {
        try Samples.fill(manifest)
        #expect(try manifest.conflicts() == Samples.conflicts)
        #expect(try manifest.conflict(3) == Samples.conflicts[2])
    }

    @Test func `a resolved conflict is not listed as open`() throws {
        try Samples.fill(manifest)
        try manifest.write { writer in
            try writer.resolveConflict(2)
            try writer.resolveConflict(999)
        }
        var resolved = Samples.conflicts[1]
        resolved.state = .resolved
        #expect(try manifest.conflicts(.resolved) == [resolved])
        #expect(try manifest.conflicts(.open).map(\.id).contains(2) == false)
        #expect(try manifest.openConflicts(at: resolved.path).isEmpty)
        #expect(try manifest.openConflicts(at: Samples.paths[0]) == [Samples.conflicts[0]])
    }

    private func row(_ number: Int, run: Int64 = 1) -> JournalRow {
        JournalRow(
            run: run, time: Timestamp(nanoseconds: Int64(number)),
            path: Samples.paths[number % Samples.paths.count], action: "publish", rule: "2",
            device: number.isMultiple(of: 2) ? nil : Device(id: [1, 0xFF], name: "näme"),
            baseVersion: UInt64(number), version: .max, note: "a\nb")
    }

    @Test func `lists what was done to a path, newest first`() throws {
        let rows = (0..<30).map { row($0) }
        try manifest.write { writer in for row in rows { try writer.addJournal(row) } }
        let path = Samples.paths[1]
        #expect(
            try manifest.journal(of: path, limit: 9) == rows.filter { $0.path == path }.reversed())
        #expect(try manifest.journal(of: path, limit: 1).count == 1)
    }

    @Test func `lists the versions that paths got by a rule`() throws {
        var moved = row(3)
        moved.rule = "moved"
        moved.version = 7
        try manifest.write { [moved] writer in
            for row in [row(1), moved, row(2)] { try writer.addJournal(row) }
        }
        let found = try manifest.journalVersions(by: "moved")
        #expect(found.map(\.path) == [moved.path] && found.map(\.version) == [7])
    }

    @Test func `distinguishes a run that never ended from one that did`() throws {
        var counts = RunCounts()
        counts.published = 1
        counts.taken = 2
        counts.deleted = 3
        counts.conflicts = 4
        counts.problems = 5
        counts.sent = 6
        counts.received = .max
        let start = Timestamp(nanoseconds: 5)
        let ids = try manifest.write { writer in
            let first = try writer.beginRun(started: start)
            try writer.endRun(first, ended: start, outcome: "done", exitCode: 3, counts: counts)
            return [first, try writer.beginRun(started: start)]
        }
        #expect(
            try manifest.runs(limit: 9) == [
                RunRow(id: ids[1], started: start),
                RunRow(
                    id: ids[0], started: start, ended: start, outcome: "done", exitCode: 3,
                    counts: counts),
            ])
    }

    @Test func `the end of a run drops the oldest entries of the journal and the runs`() throws {
        let more = 10
        try manifest.write { writer in
            for number in 0..<(Int(ManifestWriter.journalLimit) + more) {
                try writer.addJournal(row(number))
            }
            let run = try writer.beginRun(started: Timestamp(nanoseconds: 0))
            try writer.endRun(
                run, ended: Timestamp(nanoseconds: 1), outcome: "done", exitCode: 0,
                counts: RunCounts())
        }
        let kept = try Samples.paths.flatMap { try manifest.journal(of: $0, limit: .max) }
        #expect(kept.count == Int(ManifestWriter.journalLimit))
        #expect(kept.map(\.baseVersion).min() == UInt64(more))
    }
}
