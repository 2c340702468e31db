import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What `log` says of a commit.
@Suite struct CommitSummaryTests {
    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    /// The summary of the newest commit after `change`.
    private func summary(
        of tree: TreeFixture, _ change: (Machine) throws -> Void
    ) async throws -> CommitSummary {
        let world = try World()
        let machine = try await world.replicas("a", holding: tree)[0]
        try change(machine)
        try await machine.sync { $0.maxDelete = .count(100) }
        return try #require(try await machine.with { try await $0.commits(limit: 1) }.first)
    }

    /// A change in one word and its paths.
    private func text(_ change: CommitSummary.NamedChange) -> String {
        switch change.kind {
        case .added: "A \(change.path)"
        case .modified: "M \(change.path)"
        case .deleted: "D \(change.path)"
        case .renamed(let from, let files):
            "R \(from) -> \(change.path)" + (files.map { " (\($0))" } ?? "")
        case .renamedAndEdited(let from): "M \(from) -> \(change.path)"
        }
    }

    @Test func `counts and names what was added, edited and deleted`() async throws {
        let summary = try await summary(
            of: ["f": .file("1"), "g": .file("2"), "k": .file("k"), "l": .file("l")]
        ) { machine in
            try machine.write(["f": .file("edited"), "new": .directory(["n": .file("3")])])
            machine.remove("g")
        }
        #expect(summary.changes.map(text) == ["M f", "D g", "A new/n"])
        #expect(
            [summary.modified, summary.deleted, summary.added, summary.renamed] == [1, 1, 1, 0])
        #expect(summary.count == 3)
    }

    @Test func `the newest commits are read without those before them`() async throws {
        let world = try World()
        let machine = try await world.replicas("a", holding: ["f": .file("1")])[0]
        for text in ["2", "3"] {
            try machine.write(["f": .file(text)])
            try await machine.sync()
        }
        let all = try await machine.with { try await $0.commits(limit: nil) }
        let first = try ObjectKey("zones/files/log/00000000000000000001/c")
        world.store.objects[first] = nil
        let newest = try await machine.with { try await $0.commits(limit: 2) }
        #expect(newest.map(\.sequence) == all.prefix(2).map(\.sequence))
        await #expect(throws: Failure.self) {
            _ = try await machine.with { try await $0.commits(limit: nil) }
        }
    }

    @Test func `a renamed folder is one change with the number of its files`() async throws {
        let summary = try await summary(
            of: [
                "top": .directory([
                    "d": .directory([
                        "x": .file("one"), "y": .file("two"), "s": .directory(["z": .file("3")]),
                    ])
                ]), "k": .file("k"),
            ]
        ) { $0.rename("top/d", "top/e") }
        #expect(summary.changes.map(text) == ["R top/d -> top/e (3)"])
        #expect(summary.renamed == 3)
        #expect(summary.deleted == 0)
    }

    @Test(
        "what is edited in a renamed folder has a line of its own, and the folder none if all is",
        arguments: [
            (["x"], ["R d -> e (2)", "M d/x -> e/x"]),
            (["x", "s/z"], ["R d -> e (1)", "M d/s/z -> e/s/z", "M d/x -> e/x"]),
            (["x", "y", "s/z"], ["M d/s/z -> e/s/z", "M d/x -> e/x", "M d/y -> e/y"]),
        ] as [([String], [String])])
    func editedInRenamedFolder(_ edited: [String], _ expected: [String]) throws {
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 1))
        var changes: [Change] = []
        for name in ["", "/s"] {
            changes.append(Change(path: path("e" + name), entry: folder, basedOn: 0))
            changes.append(Change("d" + name, nil))
        }
        for name in ["x", "y", "s/z"] {
            let reason = edited.contains(name) ? Reason.renamedAndEditedWord : ""
            changes.append(Change("e/" + name, name, movedFrom: "d/" + name, reason: reason))
            changes.append(Change("d/" + name, nil))
        }
        let summary = CommitSummary(Commit(3, changes))
        #expect(summary.changes.map(text) == expected)
        #expect([summary.modified, summary.renamed] == [edited.count, 3 - edited.count])
        #expect([summary.added, summary.deleted] == [0, 0])
        let folderOnly = CommitSummary(Commit(3, changes), inside: path("d/s"))
        #expect(folderOnly.count == 1)
    }

    @Test func `what is deleted in a renamed folder is a deletion`() async throws {
        let summary = try await summary(
            of: [
                "d": .directory([
                    "x": .file("one"), "gone": .file("two"), "s": .directory(["z": .file("3")]),
                    "t": .directory(["y": .file("4")]),
                ]), "k": .file("k"),
            ]
        ) { machine in
            machine.rename("d", "e")
            machine.remove("e/gone")
            machine.remove("e/t")
        }
        #expect(
            summary.changes.map(text) == ["R d -> e (2)", "D d/gone", "D d/t", "D d/t/y"])
        #expect([summary.renamed, summary.deleted, summary.added] == [2, 3, 0])
    }

    @Test func `the first eight changes are named, all are counted`() async throws {
        var tree: TreeFixture = ["kept": .file("k")]
        for number in 0..<9 { tree[.init(Array("old\(number)".utf8))] = .file("\(number)") }
        let summary = try await summary(of: tree) { machine in
            for number in 0..<9 {
                machine.remove("old\(number)")
                try TreeFixture([.init(Array("\(number)".utf8)): .file("new \(number)")])
                    .write(to: machine.root)
            }
            try machine.write(["z": .directory(["a": .file("last")])])
        }
        #expect(summary.changes.map(text) == (0..<8).map { "A \($0)" })
        #expect(summary.deleted == 9 && summary.added == 10 && summary.count == 19)
    }

    @Test func `a file that gets another name is not the rename of its folder`() async throws {
        let summary = try await summary(
            of: ["d": .directory(["x": .file("one"), "y": .file("two")]), "k": .file("k")]
        ) { $0.rename("d/x", "d/z") }
        #expect(summary.changes.map(text) == ["R d/x -> d/z"])
        #expect([summary.renamed, summary.deleted, summary.added] == [1, 0, 0])
    }

    @Test
    func
        `files that leave a folder with others in it are named, and so is a folder that leaves one`()
        async throws
    {
        let summary = try await summary(
            of: [
                "d": .directory([
                    "x": .file("one"), "y": .file("two"), "z": .file("three"),
                    "s": .directory(["i": .file("inner")]),
                ]), "e": .directory(["v": .file("five")]),
            ]
        ) { machine in
            for name in ["x", "y", "s"] { machine.rename("d/\(name)", "e/\(name)") }
        }
        #expect(summary.changes.map(text) == ["R d/s -> e/s (1)", "R d/x -> e/x", "R d/y -> e/y"])
        #expect([summary.renamed, summary.deleted, summary.added] == [3, 0, 0])
    }

    @Test func `a file that moves to another folder is not the rename of its folder`() async throws
    {
        let summary = try await summary(
            of: [
                "d": .directory(["x": .file("one"), "y": .file("two")]),
                "e": .directory(["v": .file("five")]),
            ]
        ) { $0.rename("d/x", "e/w") }
        #expect(summary.changes.map(text) == ["R d/x -> e/w"])
        #expect(summary.renamed == 1)
    }

    @Test(
        "a change that names an old name is a rename where the commit changes that name, or replaces nothing",
        arguments: [
            // The edit of a file that an earlier commit renamed, and its merge.
            (2, Reason.renamedAndEditedWord, nil, "M e/x"), (2, "auto:text", nil, "M e/x"),
            (2, "", nil, "M e/x"),
            // Onto a file, and both in one commit.
            (2, "", "d/x", "R d/x -> e/x"), (0, "", "d/x", "R d/x -> e/x"),
            (0, Reason.renamedAndEditedWord, "d/x", "M d/x -> e/x"),
            (2, "auto:text", "d/x", "M d/x -> e/x"),
            // A commit was published in parts: the old name is in another one.
            (0, "", nil, "R d/x -> e/x"),
        ] as [(UInt64, String, String?, String)])
    func editsOfRenamedFiles(
        _ basedOn: UInt64, _ reason: String, _ deleted: String?, _ expected: String
    ) throws {
        var edited = Change("e/x", "x", movedFrom: "d/x", reason: reason)
        edited.basedOn = basedOn
        let summary = CommitSummary(Commit(3, [edited] + (deleted.map { [Change($0, nil)] } ?? [])))
        #expect(summary.changes.map(text) == [expected])
        #expect(summary.modified == (expected.hasPrefix("M") ? 1 : 0))
        #expect(summary.renamed + summary.modified == 1)
    }
}
