import FilesinkiCommands
import Testing

@Suite("The proposed merge of a conflict")
struct MarkedConflictTests {
    /// The merge that `show --conflict merge` prints at replica `b`.
    private func merge(
        _ name: String, _ base: String, here: String, there: String
    ) async throws -> String {
        let world = try await ReplicaTests.pair()
        try world.write(base, to: "a/\(name)")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        try world.write(there, to: "a/\(name)")
        try world.write(here, to: "b/\(name)")
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        return try await world.run("show", "--root", "b", "--conflict", "merge", name).text
    }

    @Test func `of a format with names it has markers only at what both sides changed`()
        async throws
    {
        let json = try await merge(
            "x.json", "{\n  \"port\": 1,\n  \"name\": \"demo\",\n  \"tag\": 0\n}\n",
            here: "{\n  \"port\": 2,\n  \"tag\": 0\n}\n",
            there: "{\n  \"port\": 3,\n  \"name\": \"demo\",\n  \"tag\": 5\n}\n")
        let port = "<<<<<<< here\n  \"port\": 2,\n=======\n  \"port\": 3,\n>>>>>>> there\n"
        #expect(json == "{\n\(port)  \"tag\": 5\n}\n")
        let csv = try await merge(
            "x.csv", "id,price\n1,1\n2,2\n3,3\n", here: "id,price\n1,1\n2,20\n4,4\n",
            there: "id,price\n1,1\n2,22\n3,3\n5,5\n")
        #expect(
            csv == "id,price\n1,1\n<<<<<<< here\n2,20\n=======\n2,22\n>>>>>>> there\n4,4\n5,5\n")
    }

    @Test func `of another text it has markers by lines, as git has`() async throws {
        let text = try await merge("x.txt", "1\n2\n", here: "1\nhere\n", there: "1\nthere\n")
        #expect(text == "1\n<<<<<<< here\nhere\n=======\nthere\n>>>>>>> there\n")
    }
}
