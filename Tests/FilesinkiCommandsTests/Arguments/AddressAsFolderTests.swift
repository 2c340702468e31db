import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("An address in the place of a folder")
struct AddressAsFolderTests {
    private static let what = "This is the address of a store, not a folder. "

    /// A command, and what it says.
    static let lines: [(String, String)] = [
        (
            "init https://desk:8390",
            "https://desk:8390: " + what
                + "Run filesinki init DIR --remote https://desk:8390, or filesinki clone "
                + "https://desk:8390 DIR for the files of a store that is there; "
                + "for a folder of this name write ./https://desk:8390."
        ),
        (
            "init --root desk:store",
            "desk:store: " + what
                + "Run filesinki init DIR --remote desk:store, or filesinki clone desk:store DIR "
                + "for the files of a store that is there; for a folder of this name write ./desk:store."
        ),
        (
            "clone other desk:store",
            "desk:store: " + what + "The address comes first: filesinki clone desk:store other; "
                + "for a folder of this name write ./desk:store."
        ),
        (
            "clone desk:store s3://x/y",
            "s3://x/y: " + what + "Give the folder to create behind the one address; "
                + "for a folder of this name write ./s3://x/y."
        ),
    ]

    @Test("is refused with what was meant, and nothing is made", arguments: lines)
    func refused(_ line: String, _ words: String) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
        #expect(outcome.code == .usage && outcome.talk == "filesinki: \(words)\n", "\(outcome)")
        #expect(world.names() == [])
    }

    @Test func `a folder that is there, or is written with its dot, is one`() async throws {
        let world = try World()
        try world.makeFolder("a:b")
        try await world.done("init", "a:b")
        try await world.done("init", "./c:d")
        #expect(["a:b", "c:d"].map { world.names(in: $0) } == [[".filesinki"], [".filesinki"]])
    }

    @Test func `an address before the folder of init belongs behind --remote`() async throws {
        let outcome = try await World().run("init", "desk:store", "work")
        #expect(outcome.code == .usage, "\(outcome)")
        #expect(
            outcome.talk.contains("Give the store's address with --remote desk:store."),
            "\(outcome)")
    }
}
