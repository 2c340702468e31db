import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("The files of rules that a deletion in the store sends first")
struct StoreDeletionTests {
    private let world: World

    init() throws { world = try World() }

    /// Two replicas with a secret, and what the first one has changed since, which is not sent.
    private func scene(_ changes: TreeFixture) async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair([
            "d": .directory(["p.env": .file("old")]), "k": .file("keep"),
        ])
        try a.write(changes)
        return (a, b)
    }

    private func path() throws -> RelativePath { try RelativePath("d/p.env") }

    @Test(
        "an ignore file that is not sent yet goes ahead of the deletion",
        arguments: [".filesinkiignore", "d/.filesinkiignore"])
    func ahead(_ file: String) async throws {
        let rule = TreeFixture.Node.file("*.env\n")
        let (a, b) = try await scene(
            file == ".filesinkiignore"
                ? [".filesinkiignore": rule] : ["d": .directory([".filesinkiignore": rule])])
        let path = try path()
        let report = try await a.with {
            try await $0.deleteInStore([path], recursive: false, SyncOptions())
        }
        #expect(report.steps.map { "\($0.path)" }.filter { $0 != "d" }.contains(file))
        #expect(report.publishedCommits == 2 && report.problems.isEmpty)
        let changed = try await world.commits().dropFirst().flatMap(\.changes)
            .map { "\($0.path)" }.filter { $0 != "d" }
        #expect(changed == [file, "d/p.env"])
        try await b.sync()
        #expect(b.text("d/p.env") == "old" && b.text(file) == "*.env\n")
    }

    @Test("a dry run names the ignore file, and sends nothing")
    func planned() async throws {
        let (a, _) = try await scene([".filesinkiignore": .file("*.env\n")])
        let path = try path()
        let before = try await world.commits().count
        let report = try await a.with {
            var options = SyncOptions()
            options.isDryRun = true
            return try await $0.deleteInStore([path], recursive: false, options)
        }
        #expect(report.steps.map { "\($0.path)" } == [".filesinkiignore", "d/p.env"])
        #expect(try await world.commits().count == before)
    }

    @Test("what the store does not have is refused before an ignore file is sent")
    func refused() async throws {
        let (a, _) = try await scene([".filesinkiignore": .file("*.env\n")])
        let other = try RelativePath("d/other.env")
        let before = try await world.commits().count
        let failure = try await a.failure {
            try await $0.deleteInStore([other], recursive: false, SyncOptions())
        }
        #expect(failure?.code == .notFound)
        #expect(try await world.commits().count == before)
    }
}
