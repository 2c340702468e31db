import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@Suite("What a delete would do")
struct DeletionPlanTests {
    @Test("a file that was put in place of a folder is sent and deleted, in the plan as in the run")
    func cover() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["d": .directory(["x": .file("x"), "y": .file("y")]), "k": .file("k")])
        try await a.sync()
        a.remove("d")
        try a.write(["d": .file("d")])
        let path = try RelativePath("d")
        var options = SyncOptions()
        options.isDryRun = true
        let plan = try await a.with { [options] in
            try await $0.delete([path], recursive: false, options)
        }
        let report = try await a.with {
            try await $0.delete([path], recursive: false, SyncOptions())
        }
        let listed = plan.steps.map { "\($0.action.word) \($0.path)" }
        #expect(
            listed == [
                "publish d", "publish-deletion d/y", "publish-deletion d/x", "publish-deletion d",
            ])
        let sent = report.steps.filter { $0.action.writesTheirs }
        #expect(sent.map { "\($0.action.word) \($0.path)" } == listed)
        #expect(plan.steps.last?.isFolder == false)
        // What a person has put there is what was deleted last.
        _ = try await a.with { try await $0.undelete(path, SyncOptions()) }
        #expect(a.text("d") == "d")
    }
}
