import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// A call that gives a file another name fails, after those before it have succeeded.
@Suite struct FailedCallTests {
    struct Moment: Sendable, CustomTestStringConvertible {
        var ability: NameAbility
        var number: Int
        /// Whether all calls after it fail, too, until the next run.
        var isLasting: Bool

        var testDescription: String {
            "\(ability), call \(number)\(isLasting ? " and all later ones" : "")"
        }

        static let all = NameAbility.allCases.flatMap { ability in
            (0..<4).flatMap { number in
                [false, true].map { Moment(ability: ability, number: number, isLasting: $0) }
            }
        }
    }

    /// Counts the calls, and fails at some.
    private final class Failer: Sendable {
        private let state = Mutex((count: 0, hasFailed: false, isRepaired: false))
        let moment: Moment

        init(_ moment: Moment) { self.moment = moment }

        var hasFailed: Bool { state.withLock { $0.hasFailed } }
        func repair() { state.withLock { $0.isRepaired = true } }

        private func around(_ call: () -> Int32) -> Int32 {
            let fails = state.withLock { state in
                defer { state.count += 1 }
                let isMeant =
                    state.count == moment.number
                    || moment.isLasting && state.count > moment.number
                guard isMeant, !state.isRepaired else { return false }
                state.hasFailed = true
                return true
            }
            guard fails else { return call() }
            errno = EIO
            return -1
        }

        var calls: NameCalls {
            let real = NameCalls()
            var calls = NameCalls()
            calls.rename = { from, name, to, newName, flags in
                self.around { real.rename(from, name, to, newName, flags) }
            }
            calls.link = { from, name, to, newName in
                self.around { real.link(from, name, to, newName) }
            }
            return moment.ability.limiting(calls)
        }
    }

    @Test(
        "E2.1 a disk that fails in any call of a step loses nothing",
        arguments: RaceCase.Work.allCases, Moment.all)
    func survives(_ work: RaceCase.Work, _ moment: Moment) throws {
        let failer = Failer(moment)
        let tree = try TemporaryTree(calls: failer.calls)
        if work != .create { try tree.write("old", to: "a.txt") }
        do {
            let outcome = try RaceTests.perform(work, tree.writer, tree)
            #expect(outcome != .surprised && !failer.hasFailed, "\(outcome)")
        } catch let failure as Failure {
            #expect(failer.hasFailed)
            #expect(failure.code == .io && failure.path == Array("a.txt".utf8), "\(failure)")
            // A failure of one call leaves the path as it was, at once.
            if !moment.isLasting {
                #expect(try tree.read("a.txt") == (work == .create ? nil : "old"))
            }
            failer.repair()
            try tree.staging.clear()
            #expect(try tree.read("a.txt") == (work == .create ? nil : "old"))
            // A file that was linked and not yet removed has both names.
            let others = try tree.names().filter { $0 != "a.txt" }
            #expect(others.isEmpty || work == .move && others == ["b.txt"], "\(others)")
        }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a disk that fails while a save is put back does not lose the save",
        arguments: [RaceCase.Work.replace, .replaceByContent, .remove, .move, .makeSymlink],
        Moment.all)
    func keepsSave(_ work: RaceCase.Work, _ moment: Moment) throws {
        let failer = Failer(moment)
        let tree = try TemporaryTree(calls: failer.calls)
        try tree.write("old", to: "a.txt")
        var writer = tree.writer
        writer.probe = { step in
            if step == .allowed { try? tree.save("the user's", to: "a.txt") }
        }
        do {
            #expect(try RaceTests.perform(work, writer, tree) == .surprised)
        } catch let failure as Failure {
            #expect(failer.hasFailed)
            #expect(failure.code == .io && failure.path == Array("a.txt".utf8), "\(failure)")
        }
        failer.repair()
        try tree.staging.clear()
        let contents = try tree.names().compactMap(tree.read)
        #expect(contents.contains("the user's"), "\(contents)")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E3.4 a disk that fails while a database is removed or replaced separates it from no log",
        arguments: [false, true], 0..<6)
    func databases(_ isReplaced: Bool, _ number: Int) throws {
        let failer = Failer(Moment(ability: .all, number: number, isLasting: true))
        let tree = try TemporaryTree(calls: failer.calls, live: HeaderLives())
        try tree.write("LIVE", to: "x")
        for ending in ["-wal", "-shm", "-journal"] { try tree.write(ending, to: "x" + ending) }
        let path = try RelativePath("x")
        do {
            let outcome =
                isReplaced
                ? try tree.writer.install(tree.staged("text"), at: path, expecting: .any)
                : try tree.writer.remove(path, expecting: .any)
            #expect(outcome != .surprised && !failer.hasFailed)
        } catch let failure as Failure {
            #expect(failer.hasFailed && failure.code == .io && failure.path == path.bytes)
            failer.repair()
            try tree.staging.clear()
            #expect(try tree.names() == ["x", "x-journal", "x-shm", "x-wal"])
            #expect(try tree.read("x") == "LIVE" && tree.read("x-wal") == "-wal")
        }
        #expect(try tree.leftovers().isEmpty)
    }

    /// An exchange, a rename to a free name, a link and the rename of a folder.
    private static let meanings: [(Int32, String)] = [
        (ENOENT, "missing error error error"), (EEXIST, "error taken taken taken"),
        (ENOTEMPTY, "error error error taken"), (ENOTDIR, "error error error taken"),
        (EISDIR, "error error error taken"), (EINVAL, "unsupported unknown unknown error"),
        (ENOSYS, "unsupported unknown unknown error"),
        (EOPNOTSUPP, "unsupported unknown unknown error"), (EPERM, "error error unknown error"),
        (EMLINK, "error error unknown error"), (EIO, "error error error error"),
        (ENOSPC, "error error error error"), (0, "done free free free"),
    ]

    @Test("E2.1 what an error of each call means", arguments: meanings)
    func meaning(_ number: Int32, _ expected: String) throws {
        var calls = NameCalls()
        calls.rename = { _, _, _, _, _ in
            errno = number
            return number == 0 ? 0 : -1
        }
        calls.link = { _, _, _, _ in
            errno = number
            return number == 0 ? 0 : -1
        }
        let tree = try TemporaryTree(calls: calls)
        let staging = tree.staging
        func word(_ call: () throws(SystemError) -> Bool?) -> String {
            do throws(SystemError) {
                let isFree = try call()
                return isFree.map { $0 ? "free" : "taken" } ?? "unknown"
            } catch {
                return error.number == number ? "error" : "another error"
            }
        }
        var words: [String] = []
        do throws(SystemError) {
            words.append("\(try staging.exchange([97], with: [98], in: staging.folder))")
        } catch { words.append("error") }
        words.append(
            word { () throws(SystemError) in try staging.renameToFree(-1, [97], -1, [98]) })
        words.append(word { () throws(SystemError) in try staging.link(-1, [97], -1, [98]) })
        words.append(
            word { () throws(SystemError) in
                try staging.renameFolder(-1, [97], staging.folder, [98])
            })
        #expect(words.joined(separator: " ") == expected)
    }

    @Test("E2.1 a staged file is placed at a free name only", arguments: NameAbility.allCases)
    func places(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("taken", to: "taken")
        try tree.makeFolder("folder")
        try tree.link("nowhere", at: "link")
        let folder = try tree.root.openParent(of: RelativePath("taken"))
        for (name, isFree) in [("taken", false), ("folder", false), ("link", false), ("new", true)]
        {
            let staged = try tree.staged("ours")
            let found = try tree.staging.place(staged.name, at: Array(name.utf8), in: folder)
            #expect(found == isFree, "\(name)")
            let isGone = try withExtendedLifetime(staged) { try tree.leftovers().isEmpty }
            #expect(isGone == isFree, "\(name)")
        }
        #expect(try tree.names() == ["folder", "link", "new", "taken"])
        #expect(try tree.read("taken") == "taken" && tree.read("new") == "ours")
        #expect(try tree.leftovers().isEmpty)
    }
}

/// Files that begin with `LIVE` are live; nothing is replaced in place.
private struct HeaderLives: LiveFiles {
    func isLive(_ header: [UInt8]) -> Bool { header.starts(with: "LIVE".utf8) }

    func snapshot(at path: String) throws(Failure) -> (any LiveSnapshot)? { nil }

    func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool { false }
}
