import FilesinkiCommands
import Testing

/// What `explain` says of a file that came back with its folder.
@Suite struct RestoredVersionsTests {
    @Test func `the version is that of the file, not that of the folder or of the commit`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        for text in ["2\n", "three\n"] {
            try world.write(text, to: "a/sub/new")
            try await world.done("sync", "a")
        }
        try await world.done("delete", "--root", "a", "-r", "sub")
        try await world.done("undelete", "--root", "a", "sub")
        try await world.done("delete", "--root", "a", "-r", "sub")
        try await world.done("restore", "--root", "a", "sub", "--commit", "3")
        // The folder and its first file are of version 1.
        for (path, version) in [("sub/new", 3), ("sub/two", 1), ("sub", 1)] {
            let outcome = try await world.run("explain", "--root", "a", path)
            let actions = outcome.lines.filter { $0.contains(" as version ") }
            try #require(actions.count == 2, "\(outcome.text)")
            #expect(actions[0].contains("restored version \(version) as version 7"), "\(actions)")
            #expect(actions[1].contains("undeleted version \(version) as version 5"), "\(actions)")
        }
        let json = try await world.run("explain", "--root", "a", "sub/new", "--json")
        let action = json.lines.first { $0.contains(#""action":"undelete""#) }
        #expect(action?.contains(#""base_version":3,"version":5"#) == true, "\(json.text)")
    }
}
