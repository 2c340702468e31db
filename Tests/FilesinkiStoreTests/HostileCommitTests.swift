import FilesinkiHashing
import FilesinkiModel
import Testing

@testable import FilesinkiStore

/// Commits that no honest writer makes: what cannot be is refused by name, the rest is applied.
@Suite("Hostile commits")
struct HostileCommitTests {
    /// A commit of three rows, `a`, `b` and `c`, changed by `forge` before it is stored.
    private func read(
        _ forge: (inout StoredCommit) -> Void
    ) async throws -> Commit {
        let fixture = try StoreFixture()
        let forged = try Envelope.seal(Self.forged(fixture, forge), as: .commit)
        try await fixture.replace(fixture.slot(1), by: forged)
        return try #require(try await fixture.log.read(1))
    }

    /// The commit that `read` stores, before compression.
    static func forged(
        _ fixture: StoreFixture, after parent: ChangeToken? = nil,
        _ forge: (inout StoredCommit) -> Void
    ) throws -> [UInt8] {
        let content = StoreFixture.content("x")
        let changes = try ["a", "b", "c"].map {
            try StoreFixture.change($0, StoreFixture.file(content))
        }
        let stored = try fixture.coder.encode(
            StoreFixture.draft(changes, inline: [content]), after: parent ?? fixture.log.genesis,
            id: StoreFixture.commitID(1))
        var message: StoredCommit = try parsed(
            Envelope.open(stored, as: .commit, key: "k"), key: "k")
        forge(&message)
        return try serialized(message)
    }

    private func paths(_ commit: Commit) -> [String] { commit.changes.map(\.path.description) }

    private func setPaths(_ message: inout StoredCommit, _ paths: [[UInt8]]) {
        message.changes.paths = PathColumn.encode(paths)
    }

    @Test(
        "an invalid path is refused by name, and the rest applied",
        arguments: [
            "../x", "/etc/x", "a/../../x", "a//b", "./a", "", ".", "..", "a/", ".filesinki/x",
            ".FILESINKI", ".filesinki ", ".filesınki", "a\0b", String(repeating: "n", count: 256),
            String(repeating: "d/", count: 2048) + "x",
        ])
    func badPath(path: String) async throws {
        let bytes = Array(path.utf8)
        let commit = try await read {
            setPaths(&$0, [Array("a".utf8), bytes, Array("c".utf8)])
        }
        #expect(paths(commit) == ["a", "c"])
        #expect(commit.refused.map(\.path) == [bytes])
        #expect(commit.refused.map(\.failure.code) == [.badPath])
    }

    @Test("a move from an invalid path is refused")
    func badOrigin() async throws {
        let commit = try await read {
            $0.movedRows = [1]
            $0.movedFrom = PathColumn.encode([Array("../x".utf8)])
        }
        #expect(paths(commit) == ["a", "c"])
        #expect(commit.refused.map(\.failure.code) == [.badPath])
    }

    @Test(
        "setuid, setgid and sticky bits are removed",
        arguments: [
            UInt32(0o4755), 0o2755, 0o1777, 0o177755, 0xFFFF_F1ED,
        ])
    func modes(mode: UInt32) async throws {
        let commit = try await read { $0.changes.modes[1] = mode }
        #expect(commit.changes[1].entry.mode == UInt16(mode & 0o777))
    }

    /// Each forgery spoils row 1 and only that.
    static let rowForgeries: [(String, @Sendable (inout StoredCommit) -> Void)] = [
        ("an unknown kind", { $0.changes.kinds = field([0x11, 0x17, 0x11]) }),
        ("no kind", { $0.changes.kinds = field([0x11, 0x10, 0x11]) }),
        ("unknown bits in the kind", { $0.changes.kinds = field([0x11, 0x51, 0x11]) }),
        ("a size of 2⁶³", { $0.changes.sizes[1] = 1 << 63 }),
        ("a size of 2⁶⁴ − 1", { $0.changes.sizes[1] = .max }),
        (
            "a second of two thousand million nanoseconds",
            {
                $0.changes.nanoseconds[1] = 2_000_000_000
            }
        ),
        ("a base that is the commit itself", { $0.changes.versions[1] = 1 }),
        ("a base in the future", { $0.changes.versions[1] = .max }),
        ("a merge with a commit that is not yet", { ($0.mergedRows, $0.mergedWith) = ([1], [1]) }),
        (
            "a symlink without a target",
            { message in
                message.changes.kinds = field([0x11, 0x13, 0x11])
            }
        ),
        (
            "a file without content",
            { message in
                message.changes.kinds = field([0x11, 0x01, 0x11])
                message.changes.contents = field(Array(array(message.changes.contents).prefix(64)))
            }
        ),
        (
            "a symlink to NUL",
            { message in
                message.changes.kinds = field([0x11, 0x33, 0x11])
                message.changes.targets = [field([0x61, 0])]
            }
        ),
        (
            "a symlink to an endless target",
            { message in
                message.changes.kinds = field([0x11, 0x33, 0x11])
                message.changes.targets = [field([UInt8](repeating: 0x61, count: 4096))]
            }
        ),
    ]

    @Test(
        "an invalid row is refused and the rest applied",
        arguments: rowForgeries.indices)
    func badRow(index: Int) async throws {
        let (name, forge) = Self.rowForgeries[index]
        let commit = try await read(forge)
        #expect(paths(commit) == ["a", "c"], "\(name)")
        #expect(commit.refused.map(\.path) == [Array("b".utf8)], "\(name)")
    }

    @Test("of two rows for one path the last counts and the first is refused")
    func duplicates() async throws {
        let commit = try await read { message in
            setPaths(&message, [Array("a".utf8), Array("c".utf8), Array("a".utf8)])
            message.changes.modes = [0o600, 0o644, 0o755]
        }
        #expect(paths(commit) == ["c", "a"])
        #expect(commit.changes.last?.entry.mode == 0o755)
        #expect(commit.refused.map(\.path) == [Array("a".utf8)])
    }

    @Test("an overflow of times wraps and does not trap")
    func times() async throws {
        let commit = try await read { $0.changes.seconds = [.max, .max, .min] }
        #expect(commit.changes.count == 3)
    }

    @Test("superseded contents beyond the list of reasons have no reason")
    func fewReasons() async throws {
        let commit = try await read { message in
            message.superseded = message.changes
            message.supersededReasons = ["newest"]
            message.superseded.versions = [0, 0, 0]
        }
        #expect(commit.superseded.map(\.path.description) == ["a", "b", "c"])
        #expect(commit.superseded.map(\.reason) == ["newest", "", ""])
    }

    @Test("a content that does not match its hash is refused")
    func falseContent() async throws {
        let commit = try await read { $0.inline[0].data = field(Array("y".utf8)) }
        #expect(commit.inline.isEmpty)
        #expect(commit.refused.count == 1)
        #expect(commit.inlineContent(StoreFixture.content("x").id) == nil)
    }

    /// Each forgery spoils the whole commit.
    private static let commitForgeries:
        [(String, Failure.Code, @Sendable (inout StoredCommit) -> Void)] = [
            ("another number", .corrupt, { $0.sequence = 2 }),
            ("number 0", .corrupt, { $0.sequence = 0 }),
            ("another store", .wrongStore, { $0.store = field([1, 2, 3]) }),
            ("another zone", .wrongStore, { $0.zone = "other" }),
            ("a short id", .corrupt, { $0.id = field([1]) }),
            ("a short parent", .corrupt, { $0.parent = field([1]) }),
            ("a short device", .corrupt, { $0.author.id = field([1]) }),
            ("four billion rows", .corrupt, { $0.changes.count = .max }),
            ("a row too few", .corrupt, { $0.changes.count = 2 }),
            ("a column too short", .corrupt, { $0.changes.modes.removeLast() }),
            ("a column too long", .corrupt, { $0.changes.sizes.append(1) }),
            ("a missing content", .corrupt, { $0.changes.contents = field([]) }),
            ("a target too many", .corrupt, { $0.changes.targets = [field([0x61])] }),
            ("more shared than there is", .corrupt, { $0.changes.paths.shared[0] = 1 }),
            ("a shared length of 2³² − 1", .corrupt, { $0.changes.paths.shared[2] = .max }),
            ("a rest of 2³² − 1", .corrupt, { $0.changes.paths.rest[2] = .max }),
            ("bytes left over", .corrupt, { $0.changes.paths.bytes = field(Array("abcd".utf8)) }),
            (
                "an origin without a row", .corrupt,
                {
                    $0.movedFrom = PathColumn.encode([[0x61]])
                }
            ),
            ("a reason without a row", .corrupt, { $0.reasons = ["x"] }),
            ("a pack with a short id", .corrupt, { $0.packs = [StoredPack()] }),
        ]

    @Test(
        "an inconsistent commit is refused as a whole",
        arguments: commitForgeries.indices)
    func badCommit(index: Int) async throws {
        let (name, code, forge) = Self.commitForgeries[index]
        let failure = await failure { try await read(forge) }
        #expect(failure?.code == code, "\(name)")
    }

    @Test("a commit whose few bytes expand to very many paths is refused")
    func pathBomb() async throws {
        let rows = 100_000
        let failure = await failure {
            try await read { message in
                let first = [UInt8](repeating: 0x61, count: 4096)
                var changes = StoredRows()
                changes.count = UInt32(rows)
                changes.paths.shared = [0] + Array(repeating: 4096, count: rows - 1)
                changes.paths.rest = [4096] + Array(repeating: 0, count: rows - 1)
                changes.paths.bytes = field(first)
                changes.kinds = field(Array(repeating: 4, count: rows))
                changes.modes = Array(repeating: 0, count: rows)
                changes.seconds = Array(repeating: 0, count: rows)
                changes.nanoseconds = Array(repeating: 0, count: rows)
                changes.sizes = Array(repeating: 0, count: rows)
                changes.versions = Array(repeating: 0, count: rows)
                message.changes = changes
            }
        }
        #expect(failure?.code == .corrupt)
    }

    @Test("a newer format is reported as such")
    func newerFormat() async throws {
        let fixture = try StoreFixture()
        var stored = try fixture.coder.encode(
            StoreFixture.draft(), after: fixture.log.genesis, id: StoreFixture.commitID(1))
        stored[3] = UInt8(ascii: "2")
        try await fixture.replace(fixture.slot(1), by: stored)
        let failure = await failure { try await fixture.log.read(1) }
        #expect(failure?.code == .newerFormat)
        #expect(failure?.remedy == "Update filesinki.")
    }

    @Test("an invalid record is refused", arguments: [[], [0], Array("hello".utf8)])
    func garbage(bytes: [UInt8]) async throws {
        let fixture = try StoreFixture()
        try await fixture.replace(fixture.slot(1), by: bytes)
        let failure = await failure { try await fixture.log.read(1) }
        #expect(failure?.code == .corrupt)
    }
}
