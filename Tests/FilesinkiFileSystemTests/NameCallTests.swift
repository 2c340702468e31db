import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// A user's save directly before or after each call that gives a file another name.
@Suite struct NameCallTests {
    /// A save at one of the calls.
    struct Moment: Sendable, CustomTestStringConvertible {
        var ability: NameAbility
        var number: Int
        var isBefore: Bool

        var testDescription: String {
            "\(ability), \(isBefore ? "before" : "after") call \(number)"
        }

        /// The last window is open where there are neither flags nor links: see `place`.
        static let all = [NameAbility.all, .noExchange, .noFlags].flatMap { ability in
            (0..<6).flatMap { number in
                [true, false].map { Moment(ability: ability, number: number, isBefore: $0) }
            }
        }
    }

    /// Counts the calls that succeed, and saves at one of them.
    private final class Saver: Sendable {
        private let count = Mutex(0)
        let moment: Moment
        let save: @Sendable () -> Void

        init(_ moment: Moment, save: @escaping @Sendable () -> Void) {
            self.moment = moment
            self.save = save
        }

        func around(_ call: () -> Int32) -> Int32 {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number == moment.number, moment.isBefore { save() }
            let result = call()
            let error = errno
            if number == moment.number, !moment.isBefore { save() }
            errno = error
            return result
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
        "E2.1 a save before or after any system call survives", arguments: RaceCase.Work.allCases,
        Moment.all)
    func survives(_ work: RaceCase.Work, _ moment: Moment) throws {
        let place = Mutex<TemporaryTree?>(nil)
        let saved = Mutex(false)
        let saver = Saver(moment) {
            guard let tree = place.withLock({ $0 }) else { return }
            do {
                try tree.save("the user's", to: "a.txt")
                saved.withLock { $0 = true }
            } catch { Issue.record(error) }
        }
        let tree = try TemporaryTree(calls: saver.calls)
        place.withLock { $0 = tree }
        defer { place.withLock { $0 = nil } }
        if work != .create { try tree.write("old", to: "a.txt") }
        let outcome = try perform(work, tree)
        let contents = try tree.names().map { try tree.read($0) ?? "" }
        if saved.withLock({ $0 }) { #expect(contents.contains("the user's"), "\(outcome)") }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 some errors mean that the file system cannot do it, others that it failed",
        arguments: [
            (EINVAL, true, true), (ENOSYS, true, true), (EOPNOTSUPP, true, true),
            (EPERM, false, true), (EMLINK, false, true), (EIO, false, false),
            (ENOENT, false, false), (EEXIST, false, false), (ENOSPC, false, false),
        ])
    func errors(_ number: Int32, _ isUnknownFlag: Bool, _ isNoLink: Bool) {
        #expect(SystemError(number).isUnknownFlag == isUnknownFlag)
        #expect(SystemError(number).isNoLink == isNoLink)
    }

    @Test("E2.1 an unsupported flag is tried once")
    func asksOnce() throws {
        let asked = Mutex(0)
        var calls = NameAbility.noFlags.calls
        let limited = calls.rename
        calls.rename = { from, name, to, newName, flags in
            if flags != 0 { asked.withLock { $0 += 1 } }
            return limited(from, name, to, newName, flags)
        }
        let tree = try TemporaryTree(calls: calls)
        for number in 0..<5 {
            let path = try RelativePath("f\(number)")
            let text = "content \(number)"
            #expect(
                try tree.writer.install(tree.staged("old"), at: path, expecting: .absent)
                    != .surprised)
            #expect(
                try tree.writer.install(tree.staged(text), at: path, expecting: .any)
                    != .surprised)
            #expect(try tree.read("f\(number)") == text)
        }
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("E2.1 every step works with fewer kinds of rename", arguments: NameAbility.allCases)
    func works(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        let path = try RelativePath("a.txt")
        for work in RaceCase.Work.allCases {
            tree.remove("a.txt")
            tree.remove("b.txt")
            if work != .create { try tree.write("old", to: "a.txt") }
            let outcome = try perform(work, tree)
            #expect(outcome != .surprised, "\(work)")
            let isThere = try tree.root.status(path) != nil
            #expect(isThere == (work != .remove && work != .move), "\(work)")
            #expect(try tree.leftovers().isEmpty, "\(work)")
        }
        try tree.makeFolder("d")
        try tree.write("x", to: "d/x")
        let from = try RelativePath("d")
        let moved = try tree.writer.move(
            from: from, to: RelativePath("e"), expecting: .stamp(tree.stamp("d")))
        #expect(moved != .surprised)
        #expect(try tree.read("e/x") == "x")
        try tree.write("adopted", to: "given")
        let adopted = try tree.staging.adopt(tree.absolute("given"))
        try adopted.finish(mode: 0o644, modified: Timestamp(nanoseconds: 1), sync: false)
        let kept = try tree.writer.install(adopted, at: RelativePath("taken"), expecting: .absent)
        #expect(kept != .surprised)
        #expect(try tree.read("taken") == "adopted")
    }

    private func perform(_ work: RaceCase.Work, _ tree: TemporaryTree) throws -> InstallOutcome {
        try RaceTests.perform(work, tree.writer, tree)
    }
}
