import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// `prefer:DEVICE`: the version that a device wrote wins, on whatever device the sync runs.
@Suite struct PreferredDeviceTests {
    private let world: World
    private let (a, b): (Machine, Machine)

    /// Three devices, of which `a` has published its edit and `b` has one, too.
    init() async throws {
        world = try World()
        let made = try await world.replicas("a", "b", "c", holding: ["f": .file("base")])
        (a, b) = (made[0], made[1])
        try a.write(["f": .file("of a")])
        try b.write(["f": .file("of b")])
        try await a.sync()
    }

    private func sync(_ machine: Machine, _ strategy: String) async throws -> SyncReport {
        let strategy = try Strategy(parsing: strategy)
        return try await machine.sync { $0.strategy = strategy }
    }

    @Test(arguments: [("a", "of a"), ("b", "of b")])
    func `the version of the device is taken, there or here`(
        _ device: String, _ text: String
    ) async throws {
        let report = try await sync(b, "prefer:\(device), keep-both")
        #expect(report.notices.isEmpty, "\(report.notices)")
        try await a.sync()
        #expect(try a.tree() == ["f": .file(text)])
        #expect(try b.tree() == ["f": .file(text)])
    }

    @Test func `a device that wrote neither version declines without a word`() async throws {
        let report = try await sync(b, "prefer:c, here, keep-both")
        #expect(report.notices.isEmpty)
        #expect(b.text("f") == "of b")
    }

    @Test func `the writer is also known if the run that fetched its commit did not resolve it`()
        async throws
    {
        _ = try await sync(b, "leave")
        _ = try await sync(b, "prefer:a, keep-both")
        #expect(try b.tree() == ["f": .file("of a")])
    }

    @Test func `an unknown name is reported with the known ones, and the next link decides`()
        async throws
    {
        let report = try await sync(b, "prefer:laptop, here")
        #expect(b.text("f") == "of b")
        let words = report.notices.map(\.failure.message)
        #expect(
            words == [
                "'prefer:laptop' does not decide: No device has this name. Known devices: a, b, c."
            ])
    }

    @Test func `of two devices of one name the distinct names tell which is meant`() {
        let (one, other) = (Device(id: [1, 2], name: "x"), Device(id: [3, 4], name: "x"))
        let path = RelativePath(unchecked: Array("f".utf8))
        let conflict = Conflict(path: path, base: nil, ours: nil, theirs: nil)
        let writers = ConflictWriters(own: one, theirs: [path: other], known: [one, other])
        guard case .declined(let reasons) = writers.version(by: "x", of: conflict) else {
            Issue.record("x is ambiguous")
            return
        }
        #expect(reasons == ["Two devices have this name. Known devices: x-0102, x-0304."])
        guard case .resolved(let found, _) = writers.version(by: "x-0304", of: conflict) else {
            Issue.record("x-0304 is one of them")
            return
        }
        #expect(found.outcome == .theirs)
    }

    @Test func `doctor names a preferred device that nobody knows`() async throws {
        try a.write([".filesinki.toml": .file("strategy = 'prefer:b, prefer:old, keep-both'")])
        let diagnoses = await Doctor(a.options, .real).diagnose(canReach: true)
        let found = diagnoses.filter { $0.name == "rules" && $0.level == .error }
        #expect(
            found.map(\.message) == ["No device has the name 'old', which a strategy prefers."])
        #expect(found.first?.remedy == "Use one of a, b, c.")
    }
}
