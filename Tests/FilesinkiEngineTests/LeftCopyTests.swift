import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiEngine

/// A conflict copy that a run has made which came to no end: each of the runs that may come next
/// reports it or says that it waits, and never both, nor twice.
@Suite("Conflict copies of runs that were killed or failed")
struct LeftCopyTests {
    /// What happens to the run that makes the copy.
    enum End: CaseIterable {
        case killedBeforePublishing, killedAfterPublishing
        /// Another commit comes first; the round after it is killed.
        case lostAndKilledBefore, lostAndKilledAfter
        /// The run comes to its end without the remote; the next one is killed.
        case awayAndKilledBefore, awayAndKilledAfter
        /// A save upon a version that is not there.
        case refused
    }

    /// What runs next.
    enum Next: CaseIterable {
        case sync, save, saveElsewhere, load, refusedSave
    }

    private let world: World
    private let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base"), "g": .file("g")])
    }

    private func copies(_ machine: Machine) throws -> [String] {
        try machine.names.filter { $0.contains(" (conflict ") }
    }

    private func pending() async throws -> [String] {
        try await b.with { try await $0.status().pending.map(\.description) }
    }

    private func names(_ report: SyncReport) -> [String] { report.copies.map(\.description) }

    /// Syncs, and something happens before each commit.
    private func sync(_ events: RacingRemote.Event?...) async throws -> [String] {
        let left = Mutex(events)
        let racing = RacingRemote(world.remote) { [a] in
            let event = left.withLock { $0.isEmpty ? RacingRemote.Event.none : $0.removeFirst() }
            guard let event else {
                try a.write(["other": .file("x")])
                try await a.sync()
                return .none
            }
            return event
        }
        var machine = b
        machine.options.connect = { _ in racing }
        do {
            return names(try await machine.sync())
        } catch let failure as Failure where failure.code == .interrupted {
            return []
        }
    }

    private func make(_ end: End) async throws -> [String] {
        switch end {
        case .killedBeforePublishing: return try await sync(.killedBefore)
        case .killedAfterPublishing: return try await sync(.killedAfter)
        case .lostAndKilledBefore: return try await sync(nil, .killedBefore)
        case .lostAndKilledAfter: return try await sync(nil, .killedAfter)
        case .awayAndKilledBefore: return try await sync(.awayBefore) + sync(.killedBefore)
        case .awayAndKilledAfter: return try await sync(.awayBefore) + sync(.killedAfter)
        case .refused: return try await refusedSave(at: "f")
        }
    }

    private func refusedSave(at path: String) async throws -> [String] {
        let failure = await #expect(throws: Failure.self) {
            try await b.save("refused", at: path, ifVersion: 99)
        }
        #expect(failure?.code == .differs)
        return []
    }

    private func run(_ next: Next) async throws -> [String] {
        switch next {
        case .sync: return names(try await b.sync())
        case .save: return names(try await b.save("saved", at: "f").sync)
        case .saveElsewhere: return names(try await b.save("saved", at: "g").sync)
        case .load:
            let report = try await b.with { replica in
                try await replica.load(RelativePath("f"), isOffline: false, SyncOptions()) { _ in }
            }
            return names(try #require(report.sync))
        case .refusedSave: return try await refusedSave(at: "f")
        }
    }

    @Test(
        "E3.2 a copy is reported once, and is pending only where that is reported",
        arguments: End.allCases,
        Next.allCases)
    func copy(end: End, next: Next) async throws {
        try a.write(["f": .file("of a")])
        try await a.sync()
        try b.write(["f": .file("of b")])
        var told = try await make(end)
        let made = try copies(b)
        #expect(made.count == 1)
        // No run reported it, so the status lists it.
        let isPublished = try await world.commits().flatMap(\.changes).contains {
            made.contains($0.path.description)
        }
        if told.isEmpty, !isPublished { #expect(try await pending() == made) }

        told += try await run(next)
        if next != .refusedSave { #expect(told == made) }
        let waits = next == .saveElsewhere && !isPublished ? made : []
        #expect(try await pending() == waits)

        told += names(try await b.sync())
        #expect(told == made)
        #expect(try await pending() == [])
        #expect(
            try await b.with { try await $0.conflicts().compactMap(\.copy?.description) } == made)
        try await world.converge()
        #expect(try copies(a) == made)
    }

    @Test(
        "E3.2 the same for a copy that was made when the run was killed and is not recorded",
        arguments: Next.allCases)
    func unrecorded(next: Next) async throws {
        let made = "f (conflict b 2f5a3c1d)"
        let copy = try RelativePath(made)
        try await keepUnreported(copy)
        try b.write([TreeFixture.Name(Array(made.utf8)): .file("of b")])
        var told = try await run(next)
        if next != .refusedSave { #expect(told == [made]) }
        #expect(try await pending() == (next == .saveElsewhere ? [made] : []))
        told += names(try await b.sync())
        #expect(told == [made])
        #expect(try await pending() == [])
        try await world.converge()
        #expect(try copies(a) == [made])
    }

    private func keepUnreported(_ copy: RelativePath) async throws {
        try await b.with { replica in
            try await replica.perform(SyncEngine.self) { try $0.keepUnreported([copy]) }
        }
    }

    @Test("E3.2 a name that was noted without a copy being made is not reported")
    func neverMade() async throws {
        try await keepUnreported(RelativePath("f (conflict b 2f5a3c1d)"))
        #expect(try await b.sync().copies == [])
        #expect(try await pending() == [])
    }

    @Test(
        "E3.2 what was pending below a folder and is gone is no longer pending after a run for the folder"
    )
    func goneBelowFolder() async throws {
        try b.write(["d": .directory(["x": .file("1")])])
        try await b.sync()
        world.remote.isAway = true
        try b.write(["d": .directory(["new": .file("2")])])
        try await b.sync()
        #expect(try await pending().contains("d/new"))
        b.remove("d/new")
        world.remote.isAway = false
        _ = try await b.with { try await $0.refresh(RelativePath("d"), SyncOptions()) }
        #expect(try await pending() == [])
    }
}
