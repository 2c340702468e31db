import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRules
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Settings that cannot be read stop every run before it sends what they may keep private.
@Suite struct UnreadableSettingsTests {
    private let world: World
    private static let good = "gitignore = true\n"
    private static let broken = [
        "gitignore = true\non-delete = keep\n", "gitignore = \"yes\"\n", "gitingore = true\n",
        "[x]\ngitignore = true\n", "[[rule]]\nmatch = \"a\"\ngitignore = true\n",
        "gitignore = true\ngitignore = true\n", "gitignore = true\nmax-delete = true\n",
    ]

    init() throws { world = try World() }

    private func pair() async throws -> (Machine, Machine) {
        try await world.pair([".filesinki.toml": .file(Self.good), ".gitignore": .file(".env\n")])
    }

    private func published() async throws -> Set<String> {
        let changes = try await world.commits().dropFirst().flatMap { $0.changes + $0.superseded }
        return Set(changes.map { "\($0.path)" })
    }

    /// What a program without this check could have published.
    private func forgeSettings(_ text: String) async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let log = try CommitLog(remote: world.store, zone: "files", store: format)
        let last = try #require(try await world.commits().last)
        let bytes = Array(text.utf8)
        let path = try RelativePath(".filesinki.toml")
        let known = try await world.commits().last { $0.changes.contains { $0.path == path } }
        let draft = CommitDraft(
            device: Device(id: [UInt8](repeating: 9, count: 16), name: "old"),
            time: Timestamp(seconds: 1_700_000_000, nanoseconds: 0),
            changes: [
                Change(
                    path: path,
                    entry: .file(
                        ContentHasher.hash(bytes), size: Int64(bytes.count), mode: 0o644,
                        modified: Timestamp(nanoseconds: 0)),
                    basedOn: known?.sequence ?? 0)
            ],
            inline: [InlineContent(id: ContentHasher.hash(bytes), bytes: bytes)], packs: [],
            superseded: [], operation: "sync")
        try await log.forge(
            draft, after: last.token, id: [UInt8](repeating: UInt8(last.sequence), count: 16))
    }

    @Test(arguments: broken, [false, true])
    func `no run goes on, and none sends the file`(_ text: String, _ isPlan: Bool) async throws {
        let (a, _) = try await pair()
        try a.write([".filesinki.toml": .file(text), ".env": .file("secret"), "n": .file("1")])
        let failure = await #expect(throws: Failure.self) {
            try await a.sync { $0.isDryRun = isPlan }
        }
        #expect(failure?.code == .usage && failure?.cause is UnreadableSettings)
        #expect(failure?.message.contains("Line ") == true)
        await #expect(throws: Failure.self) { try await a.save("2", at: "n") }
        await #expect(throws: Failure.self) { try await a.syncChanges("n", hinted: true) }
        #expect(try await published().isEmpty && a.text("n") == "1")
        try await a.with { try await #expect($0.status().unreadableSettings != nil) }

        try a.write([".filesinki.toml": .file(Self.good + "max-delete = 9\n")])
        try await a.sync()
        #expect(try await published() == [".filesinki.toml", "n"])
    }

    @Test(arguments: ["sync", "watch"])
    func `a broken version is received, and so is its correction`(_ run: String) async throws {
        let (a, b) = try await pair()
        func sync() async throws -> SyncReport {
            run == "sync"
                ? try await b.sync() : try await b.syncChanges("n", hinted: true).report
        }
        try await forgeSettings("gitignore = true\non-delete = keep\n")
        try b.write([".env": .file("secret"), "n": .file("1")])
        let report = try await sync()
        #expect(report.stopped?.cause is UnreadableSettings)
        await #expect(throws: Failure.self) { try await sync() }
        #expect(try await published() == [".filesinki.toml"])

        try await forgeSettings(Self.good)
        #expect(try await sync().stopped == nil)
        #expect(b.text(".filesinki.toml") == Self.good)
        #expect(try await published() == [".filesinki.toml", "n"])
        try await a.sync()
        #expect(a.text("n") == "1" && a.text(".env") == nil)
    }

    @Test func `a version here that is not TOML replaces none, and none replaces it`() async throws
    {
        let (a, b) = try await pair()
        try a.write([".filesinki.toml": .file(Self.good + "max-delete = 9\n")])
        try await a.sync()
        try b.write([".filesinki.toml": .file("no TOML\n"), ".env": .file("secret")])
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.cause is UnreadableSettings)
        #expect(b.text(".filesinki.toml") == "no TOML\n")
        try b.write([".filesinki.toml": .file(Self.good + "max-delete = 9\n")])
        try await b.sync()
        #expect(try await published() == [".filesinki.toml"])
    }

    /// git warns of a symbolic link, reads a folder as no rules without a word, and waits at a pipe; then a person looks at what is
    /// staged. Here nobody looks before it is sent, so each of them stops the run: whoever put it there, a user, or a container that
    /// mounts a file which is not there, means rules to hold, and so does a device that published some.
    @Test(arguments: [
        TreeFixture.Node.symlink("rules"), .directory(["rules": .file(".env\n")]), .special,
        .bytes([0xFF, 0xFE, 0x2E, 0x00, 0x65, 0x00], mode: 0o644, modified: nil),
    ])
    func `what is no file in the place of an ignore file stops it, until a file comes`(
        _ node: TreeFixture.Node
    ) async throws {
        let (a, b) = try await pair()
        try b.write(["rules": .file(".env\n"), ".filesinkiignore": node])
        try b.write([".env": .file("secret")])
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.cause is UnreadableSettings)
        #expect(failure?.path == Array(".filesinkiignore".utf8))
        #expect(try await published().isEmpty)
        b.remove(".filesinkiignore")
        try a.write([".filesinkiignore": .file(".env\n")])
        try await a.sync()
        #expect(try await b.sync().stopped == nil)
        #expect(try await published() == [".filesinkiignore", "rules"])
    }

    @Test func `a line that does not ignore what it seems to is said`() async throws {
        let (_, b) = try await pair()
        try b.write([".filesinkiignore": .file("*.o\n./.env\n")])
        let notices = try await b.sync().notices.map { "\($0.path): \($0.failure.message)" }
        #expect(
            notices == [
                ".filesinkiignore: Line 2 ignores nothing, because no path begins with a dot and a slash."
            ])
    }

    @Test func `a line as other programs read it is said, unless the root has what it names`()
        async throws
    {
        let (_, b) = try await pair()
        try b.write([".filesinkiignore": .file("- *.key\nName *.key\n*.key, *.pem\n*.{a,b}\n")])
        let notices = try await b.sync().notices.map(\.failure.message)
        #expect(
            notices == [
                "Line 1 begins with a minus, and ignores names that begin with one only.",
                "Line 2 begins with a word as in Unison, which is part of a name here.",
                "Line 3 has several patterns, which are one here, and ignores names with all of them only.",
                "Line 4 has alternatives in braces, which are no pattern here, and ignores names with braces only.",
            ])
        try b.write(["d": .directory(["Name x.key": .file("1"), "x.{a,b}": .file("2")])])
        let left = try await b.sync().notices.map(\.failure.message)
            .filter { $0.hasPrefix("Line") }
        #expect(left == [notices[0], notices[2]])
    }

    @Test func `a line with a blank in front, and a path of the machine, are said`() async throws {
        let (_, b) = try await pair()
        let name = ".filesinkiignore"
        try b.write([".filesinkiignore": .file("*.o\n  lead.txt\n\(b.root)/x\n")])
        let notices = try await b.sync().notices.map(\.failure.description)
        #expect(
            notices == [
                "\(name): Line 2 begins with a blank, and ignores names that begin with one only. Remove the blank; for a "
                    + "name that begins with one, write a backslash before it.",
                "\(name): Line 3 ignores nothing: a slash in front means the folder of the file, not that of the machine. "
                    + "Write the path below the folder of the file.",
            ])
        // A path of the root may have this name: then the line is as it is meant.
        let inside = b.root.split(separator: "/").reversed().reduce(TreeFixture.Node.file("")) {
            .directory([.init(Array($1.utf8)): $0])
        }
        guard case .folder(let tree, _) = inside else { return }
        try b.write(tree)
        #expect(try await b.sync().notices.count == 1)
    }

    @Test func `settings of this device stop it, too`() async throws {
        let (a, b) = try await pair()
        try a.write(["n": .file("1")])
        try await a.sync()
        try b.write([".filesinki": .directory(["config.toml": .file("gitignore = 1\n")])])
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.cause is UnreadableSettings)
        #expect(b.text("n") == nil)
    }
}
