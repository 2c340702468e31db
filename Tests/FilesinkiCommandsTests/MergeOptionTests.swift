import FilesinkiCommands
import Testing

@Suite("options of merge")
struct MergeOptionTests {
    private func world(_ base: String, _ here: String, _ there: String) throws -> World {
        let world = try World()
        for (name, text) in [("b", base), ("h", here), ("t", there)] {
            try world.write(Array(text.utf8), to: name)
        }
        return world
    }

    @Test(
        "names of columns are without the blanks around them",
        arguments: ["id,name", "id, name", " id ,\tname "])
    func keyColumns(_ names: String) async throws {
        let world = try world(
            "id,name,v\n1,a,1\n1,b,1\n", "id,name,v\n1,a,2\n1,b,1\n", "id,name,v\n1,a,1\n1,b,2\n")
        let outcome = try await world.run(
            "merge", "--type", "csv", "--key-columns", names, "b", "h", "t")
        #expect(outcome.text == "id,name,v\n1,a,2\n1,b,2\n", "\(outcome.talk)")
    }

    @Test(
        "columns that do not identify the rows, or that there are none of, are named in the reason",
        arguments: ["id", "x", "id,x"])
    func otherColumns(_ names: String) async throws {
        let world = try world("id,v\n1,a\n1,b\n", "id,v\n1,a\n1,c\n", "id,v\n1,d\n1,b\n")
        let outcome = try await world.run(
            "merge", "--strategy", "csv", "--key-columns", names, "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(
            outcome.talk.contains("The chosen columns do not identify the rows."), "\(outcome.talk)"
        )
    }
}
