import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// A file moves to another name, and the user does something at that name, or to one of the folders.
@Suite("Races at the new name of a file")
struct MoveRaceTests {
    /// Whether the file does not have its new name yet at a step.
    private static func isBefore(_ step: TreeWriter.Step, _ ability: NameAbility) -> Bool {
        let early: [TreeWriter.Step] =
            ability == .noFlagsNoLinks
            ? [.begun, .allowed, .planned, .takenOut, .judged] : [.begun, .allowed]
        return early.contains(step)
    }

    /// Moves a file that contains `old`, and lets the user do something once.
    ///
    /// - Parameter act: Returns whether it was done.
    private func move(
        _ old: String, to new: String, in tree: TemporaryTree, at steps: [TreeWriter.Step],
        _ act: @escaping @Sendable () -> Bool
    ) throws -> (outcome: InstallOutcome, hasActed: Bool) {
        let hasActed = Mutex(false)
        var writer = tree.writer
        writer.probe = { step in
            guard steps.contains(step), !hasActed.withLock({ $0 }) else { return }
            let isDone = act()
            hasActed.withLock { $0 = isDone }
        }
        let outcome = try writer.move(
            from: RelativePath(old), to: RelativePath(new), expecting: .stamp(tree.stamp(old)))
        return (outcome, hasActed.withLock { $0 })
    }

    @Test(
        "E2.1 a file that is saved at the new name is not replaced, and the other one keeps its name",
        arguments: NameAbility.allCases, TreeWriter.Step.allCases)
    func savedThere(_ ability: NameAbility, _ step: TreeWriter.Step) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a.txt")
        let (outcome, hasActed) = try move("a.txt", to: "b.txt", in: tree, at: [step]) {
            (try? tree.save("the user's", to: "b.txt")) != nil
        }
        let contents = try tree.names().map { try tree.read($0) ?? "" }
        if !hasActed {
            #expect(outcome != .surprised && contents == ["old"])
        } else if Self.isBefore(step, ability) {
            #expect(outcome == .surprised)
            #expect(try tree.read("a.txt") == "old" && tree.read("b.txt") == "the user's")
        } else {
            // The user saved over the file that had just come there.
            #expect(contents.contains("the user's"))
        }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a file whose new folder disappears keeps its old name",
        arguments: NameAbility.allCases, TreeWriter.Step.allCases)
    func newFolderGone(_ ability: NameAbility, _ step: TreeWriter.Step) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a.txt")
        try tree.makeFolder("d")
        let folder = tree.absolute("d")
        do {
            let (outcome, hasActed) = try move("a.txt", to: "d/b.txt", in: tree, at: [step]) {
                rmdir(folder) == 0
            }
            #expect((outcome == .surprised) == hasActed)
            #expect(try tree.read(hasActed ? "a.txt" : "d/b.txt") == "old")
        } catch let failure as Failure {
            #expect(failure.code == .notFound && failure.path == Array("a.txt".utf8))
            #expect(ability == .noFlagsNoLinks && Self.isBefore(step, ability))
            #expect(try tree.read("a.txt") == "old")
        }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a file whose old folder disappears while it moves has its new name, or is restored above",
        arguments: [false, true])
    func oldFolderGone(_ isTaken: Bool) throws {
        let tree = try TemporaryTree(calls: NameAbility.noFlagsNoLinks.calls)
        try tree.makeFolder("d")
        try tree.write("old", to: "d/a.txt")
        let folder = tree.absolute("d")
        do {
            let (outcome, hasActed) = try move("d/a.txt", to: "b.txt", in: tree, at: [.takenOut]) {
                if isTaken { try? tree.write("the user's", to: "b.txt") }
                return rmdir(folder) == 0
            }
            #expect(outcome != .surprised && hasActed && !isTaken)
        } catch let failure as Failure {
            #expect(failure.code == .notFound && isTaken, "\(failure)")
        }
        try tree.staging.clear()
        #expect(try tree.names() == (isTaken ? ["a.txt", "b.txt"] : ["b.txt"]))
        #expect(try tree.read(isTaken ? "a.txt" : "b.txt") == "old")
        if isTaken { #expect(try tree.read("b.txt") == "the user's") }
    }

    @Test(
        "E2.1 a file that is deleted as soon as it has its new name does not count as moved",
        arguments: NameAbility.allCases)
    func deletedThere(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a.txt")
        let new = tree.absolute("b.txt")
        let (outcome, hasActed) = try move(
            "a.txt", to: "b.txt", in: tree, at: [.takenOut, .placed]
        ) { unlink(new) == 0 }
        #expect(hasActed && outcome == .surprised)
        // With a link, the file still has its old name.
        #expect(try tree.names() == (ability == .noFlags ? ["a.txt"] : []))
        #expect(try tree.leftovers().isEmpty)
    }
}
