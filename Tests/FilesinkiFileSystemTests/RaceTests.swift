import FilesinkiHashing
import FilesinkiModel
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// A user saves a file at one moment of one step: wherever that is, the save must survive.
struct RaceCase: Sendable, CustomTestStringConvertible {
    enum Work: String, CaseIterable {
        case create, replace, replaceByContent, remove, move, makeSymlink
    }
    enum Save: String, CaseIterable { case byRename, inPlace, twice, byDeletion, folder }

    var work: Work
    var save: Save
    var moment: TreeWriter.Step
    var ability = NameAbility.all
    var testDescription: String { "\(work), saved \(save) when \(moment), \(ability)" }

    static func all(_ abilities: [NameAbility]) -> [RaceCase] {
        Work.allCases.flatMap { work in
            Save.allCases.flatMap { save in
                TreeWriter.Step.allCases.flatMap { moment in
                    abilities.map {
                        RaceCase(work: work, save: save, moment: moment, ability: $0)
                    }
                }
            }
        }
    }
}

@Suite struct RaceTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test("a save at any moment survives", arguments: RaceCase.all([.all]))
    func survives(_ race: RaceCase) throws {
        try expectSurvival(race, tree)
    }

    @Test(
        "E2.1 a save at any moment survives with fewer kinds of rename",
        arguments: RaceCase.all([.noExchange, .noFlags, .noFlagsNoLinks]))
    func survivesWithoutFlags(_ race: RaceCase) throws {
        try expectSurvival(race, TemporaryTree(calls: race.ability.calls))
    }

    private func expectSurvival(_ race: RaceCase, _ tree: TemporaryTree) throws {
        if race.work != .create { try tree.write("old", to: "a.txt") }
        let saver = Saver(tree, race)
        var writer = tree.writer
        writer.probe = { saver.step($0) }
        let outcome = try Self.perform(race.work, writer, tree)
        if let error = saver.error { throw error }
        try expectSaves(saver, race, outcome, tree)
        #expect(try tree.leftovers().isEmpty)
    }

    @Test
    func `a write into a file that was just installed is an edit, and the next scan finds it`()
        throws
    {
        var writer = tree.writer
        let tree = tree
        writer.probe = { step in
            if step == .placed { try? tree.write("edited", to: "a.txt") }
        }
        let outcome = try Self.perform(.create, writer, tree)
        guard case .done(let noted) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try tree.read("a.txt") == "edited")
        #expect(try tree.stamp("a.txt") != noted.stamp)
    }

    @Test func `another file placed over one that was just installed counts as not based on it`()
        throws
    {
        var writer = tree.writer
        let tree = tree
        writer.probe = { step in
            if step == .placed { try? tree.save("another", to: "a.txt") }
        }
        let outcome = try Self.perform(.create, writer, tree)
        guard case .overtaken(let placed) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try tree.read("a.txt") == "another")
        #expect(try tree.stamp("a.txt") != placed.stamp)
    }

    @Test("a save while a file moves keeps its old name only", arguments: NameAbility.allCases)
    func movesBack(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a.txt")
        var writer = tree.writer
        writer.probe = { step in
            if step == .allowed { try? tree.save("the user's", to: "a.txt") }
        }
        #expect(try Self.perform(.move, writer, tree) == .surprised)
        #expect(try tree.names() == ["a.txt"])
        #expect(try tree.read("a.txt") == "the user's")
    }

    @Test("a folder never moves to a name that exists", arguments: NameAbility.allCases)
    func movesFolderBeside(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.makeFolder("d")
        try tree.makeFolder("empty")
        try tree.makeFolder("full")
        try tree.write("inside", to: "full/x")
        try tree.write("text", to: "file")
        let inode = try tree.stamp("empty").inode
        for name in ["empty", "full", "file"] {
            let outcome = try tree.writer.move(
                from: RelativePath("d"), to: RelativePath(name), expecting: .any)
            #expect(outcome == .surprised, "\(name)")
        }
        #expect(try tree.names() == ["d", "empty", "file", "full"])
        #expect(try tree.stamp("empty").inode == inode)
    }

    @Test("another folder that is moved meanwhile is moved back", arguments: NameAbility.allCases)
    func movesFolderBack(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.makeFolder("d")
        try tree.makeFolder("new")
        try tree.write("inside", to: "new/x")
        var writer = tree.writer
        writer.probe = { step in
            guard step == .allowed else { return }
            rename(tree.absolute("d"), tree.absolute("former"))
            rename(tree.absolute("new"), tree.absolute("d"))
        }
        let outcome = try writer.move(
            from: RelativePath("d"), to: RelativePath("e"), expecting: .stamp(tree.stamp("d")))
        #expect(outcome == .surprised)
        #expect(try tree.names() == ["d", "former"])
        #expect(try tree.read("d/x") == "inside")
    }

    @Test(
        "mode and time are not set on a file that has just been saved",
        arguments: ["by a rename", "in place", "by a folder", "by a deletion"])
    func attributes(_ save: String) throws {
        try tree.write("old", to: "a.txt", mode: 0o600)
        let tree = tree
        var writer = tree.writer
        writer.probe = { step in
            guard step == .allowed else { return }
            switch save {
            case "by a rename": try? tree.save("the user's", to: "a.txt")
            case "in place": try? tree.write("the user's", to: "a.txt")
            case "by a folder":
                tree.remove("a.txt")
                try? tree.makeFolder("a.txt")
            default: tree.remove("a.txt")
            }
        }
        let outcome = try writer.setAttributes(
            RelativePath("a.txt"), mode: 0o640, modified: Timestamp(nanoseconds: 7),
            expecting: .any)
        #expect(outcome == .surprised)
        let status = try tree.root.status(RelativePath("a.txt"))
        #expect(status?.mode != 0o640)
        #expect(status?.stamp.modified != Timestamp(nanoseconds: 7))
    }

    private func expectSaves(
        _ saver: Saver, _ race: RaceCase, _ outcome: InstallOutcome, _ tree: TemporaryTree
    ) throws {
        let files = try tree.names().filter { name in
            try tree.root.status(RelativePath(name))?.kind == .file
        }
        let contents = try files.map { try tree.read($0) ?? "" }
        for save in saver.saves {
            #expect(contents.contains(save), "\(save) in \(contents)")
        }
        // What is recorded as this step's work is never the user's: a scan would not find the save.
        if case .done(let noted) = outcome {
            for (name, content) in zip(files, contents) where saver.saves.contains(content) {
                #expect(try tree.stamp(name) != noted.stamp, "\(name)")
            }
        }
        guard saver.hasActed else {
            #expect(outcome != .surprised)
            return
        }
        if race.save == .folder, saver.madeFolder {
            let folders = try tree.names().filter { !files.contains($0) }
            #expect(try folders.contains { try tree.names($0).contains("inside") })
        }
    }

    static func perform(
        _ work: RaceCase.Work, _ writer: TreeWriter, _ tree: TemporaryTree
    ) throws -> InstallOutcome {
        let path = try RelativePath("a.txt")
        switch work {
        case .create:
            return try writer.install(tree.staged("ours"), at: path, expecting: .absent)
        case .replace:
            return try writer.install(
                tree.staged("ours"), at: path, expecting: .stamp(tree.stamp("a.txt")))
        case .replaceByContent:
            let old = Expected.content(ContentHasher.hash(Array("old".utf8)), size: 3)
            return try writer.install(tree.staged("ours"), at: path, expecting: old)
        case .remove:
            return try writer.remove(path, expecting: .stamp(tree.stamp("a.txt")))
        case .move:
            return try writer.move(
                from: path, to: RelativePath("b.txt"), expecting: .stamp(tree.stamp("a.txt")))
        case .makeSymlink:
            return try writer.makeSymlink(
                target: Array("nowhere".utf8), at: path, modified: Timestamp(nanoseconds: 1),
                expecting: .stamp(tree.stamp("a.txt")))
        }
    }
}

/// The user.
private final class Saver: Sendable {
    private struct State {
        var saves: [String] = []
        var error: (any Error)?
        var hasActed = false
        /// Saved twice.
        var isDone = false
        var madeFolder = false
    }

    private let tree: TemporaryTree
    private let race: RaceCase
    private let state = Mutex(State())

    init(_ tree: TemporaryTree, _ race: RaceCase) {
        self.tree = tree
        self.race = race
    }

    var saves: [String] { state.withLock { $0.saves } }
    var error: (any Error)? { state.withLock { $0.error } }
    var hasActed: Bool { state.withLock { $0.hasActed } }
    var madeFolder: Bool { state.withLock { $0.madeFolder } }

    func step(_ step: TreeWriter.Step) {
        // A second save comes with the first chance after the first one.
        let isFirst = step == race.moment && !hasActed
        let isSecond = race.save == .twice && hasActed && !isDone
        guard isFirst || isSecond else { return }
        do {
            try act(isFirst ? 0 : 1)
        } catch {
            state.withLock { $0.error = error }
        }
        state.withLock { state in
            state.isDone = state.hasActed
            state.hasActed = true
        }
    }

    private var isDone: Bool { state.withLock { $0.isDone } }

    private func act(_ number: Int) throws {
        let text = number == 0 ? "the user's" : "the user's second"
        switch race.save {
        case .byRename, .twice:
            try tree.save(text, to: "a.txt")
            // A second save to the same name replaces the first by the user's own will.
            state.withLock { $0.saves = [text] }
        case .inPlace:
            // A program follows a link that it finds at the name; that is no save of the name.
            if try tree.root.status(RelativePath("a.txt"))?.kind == .symlink { return }
            try tree.write(text, to: "a.txt")
            state.withLock { $0.saves = [text] }
        case .byDeletion:
            unlink(tree.absolute("a.txt"))
        case .folder:
            unlink(tree.absolute("a.txt"))
            try tree.makeFolder("a.txt")
            try tree.write("x", to: "a.txt/inside")
            state.withLock { $0.madeFolder = true }
        }
    }
}
