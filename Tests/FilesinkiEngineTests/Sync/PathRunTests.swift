import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// A run for a path that a rule ignores, in a folder that is here.
@Suite struct PathRunTests {
    private let world: World

    init() throws { world = try World() }

    /// `b` ignores `photos/`, and has not received what is new in it.
    private func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair([
            "photos": .directory(["old": .file("old")]), "k": .file("keep"),
        ])
        try a.write([
            "photos": .directory([
                "new": .file("new"), "other": .file("other"),
                "2024": .directory(["deep": .file("deep")]),
            ])
        ])
        try await a.sync()
        try b.write([
            ".filesinkiignore": .file("photos/\n"),
            "photos": .directory(["mine": .file("private")]),
        ])
        return (a, b)
    }

    @Test("a file that only the store has is loaded into an ignored folder that is here")
    func loaded() async throws {
        let (a, b) = try await scene()
        // First with the folder in the base, then without it, as a run has seen the rule.
        #expect(try await b.load("photos/new") == "new")
        try await b.sync()
        #expect(b.text("photos/new") == "new")
        #expect(try await b.load("photos/other") == "other")
        #expect(try await b.load("photos/2024/deep") == "deep")
        #expect(b.text("photos/other") == "other" && b.text("photos/2024/deep") == "deep")
        for machine in [a, b] { try await machine.sync() }
        #expect(a.text("photos/mine") == nil && b.text("photos/mine") == "private")
        #expect(a.text("photos/old") == "old" && a.text("photos/new") == "new")
    }

    @Test(
        "a file that was loaded and removed is loaded again, and its removal is sent nowhere",
        arguments: [false, true])
    func loadedAgain(withFolder: Bool) async throws {
        let (a, b) = try await scene()
        try await b.sync()
        let commits = try await world.commits().count
        let path = withFolder ? "photos/2024/deep" : "photos/new"
        for _ in 0..<2 {
            #expect(try await b.load(path) == (withFolder ? "deep" : "new"))
            b.remove(path)
            if withFolder { b.remove("photos/2024") }
        }
        for machine in [b, a] { try await machine.sync() }
        #expect(a.text(path) != nil && b.text(path) == nil)
        #expect(try await b.load(path) == a.text(path))
        #expect(try await world.commits().count == commits)
    }

    @Test("so is one that was removed before a run has seen the rule")
    func removedBefore() async throws {
        let (a, b) = try await world.pair(["k": .file("keep")])
        b.remove("k")
        try b.write([".filesinkiignore": .file("k\n")])
        #expect(try await b.load("k") == "keep")
        for machine in [b, a] { try await machine.sync() }
        #expect(a.text("k") == "keep" && b.text("k") == "keep")
    }

    @Test("the folder that a file is loaded into is neither changed nor sent")
    func folder() async throws {
        let (_, b) = try await scene()
        try await b.sync()
        b.setMode("photos", 0o700)
        let known = try await world.commits().count
        #expect(try await b.load("photos/new") == "new")
        #expect(try await b.load("photos/other") == "other")
        let tree = try b.tree()
        b.setMode("photos", 0o700)
        #expect(try b.tree() == tree)
        try await b.sync()
        #expect(try await world.commits().count == known)
    }

    @Test("what the store does not have is not found in an ignored folder")
    func absent() async throws {
        let (_, b) = try await scene()
        try await b.sync()
        for name in ["photos/nosuch", "photos/no/such"] {
            let path = try RelativePath(name)
            let failure = try await b.failure {
                try await $0.load(path, isOffline: false, SyncOptions()) { _ in }
            }
            #expect(failure?.code == .notFound, "\(name)")
        }
        #expect(b.text("photos/mine") == "private")
    }
}
