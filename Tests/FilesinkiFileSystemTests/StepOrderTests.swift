import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// What each step does, in order. A run can be killed between any two of these points, and in mode
/// ``SyncMode/each`` a name is on disk before the file that it replaces is deleted.
@Suite struct StepOrderTests {
    enum Work: String, CaseIterable {
        case create, replace, replaceUnexpected, link, remove, removeUnexpected, move, moveFolder
        case makeFolder, removeFolder, setAttributes
    }

    private static let replaceAside =
        "begun allowed planned planned takenOut judged placed sync:d dropped sync:d"

    private static let orders: [(Work, NameAbility, String)] = [
        (.create, .all, "begun allowed placed sync:d"),
        (.replace, .all, "begun allowed planned takenOut judged sync:d dropped sync:d"),
        (.replace, .noExchange, replaceAside),
        (.replace, .noFlags, replaceAside),
        (.replaceUnexpected, .all, "begun allowed planned takenOut putBack sync:d"),
        (.replaceUnexpected, .noExchange, "begun allowed planned planned takenOut sync:d"),
        (.link, .all, "begun allowed planned takenOut judged sync:d dropped sync:d"),
        (.remove, .all, "begun allowed planned takenOut judged sync:d dropped"),
        (.removeUnexpected, .all, "begun allowed planned takenOut sync:d"),
        (.move, .all, "begun allowed takenOut sync:d sync:e"),
        (
            .move, .noFlags,
            "begun allowed takenOut planned takenOut judged sync:d dropped sync:d sync:e"
        ),
        (.move, .noFlagsNoLinks, "begun allowed planned takenOut judged placed sync:d sync:e"),
        (.moveFolder, .all, "begun allowed takenOut sync:d sync:e"),
        (.makeFolder, .all, "begun sync:d"),
        (.removeFolder, .all, "begun sync:d"),
        (.setAttributes, .all, "begun allowed"),
    ]

    @Test("syncs a name before it deletes what the name replaces", arguments: orders)
    func order(_ work: Work, _ ability: NameAbility, _ expected: String) throws {
        #expect(try steps(of: work, .each, ability) == expected)
    }

    @Test("a batch is synced by its caller, once", arguments: Work.allCases)
    func batch(_ work: Work) throws {
        #expect(try !steps(of: work, .batch, .all).contains("sync"))
    }

    /// The points that a step passes, and the folders that it syncs.
    private func steps(
        of work: Work, _ mode: SyncMode, _ ability: NameAbility
    ) throws -> String {
        let steps = Mutex<[String]>([])
        var calls = ability.calls
        let sync = calls.sync
        calls.sync = { (folder: borrowing FileHandle) throws(SystemError) in
            let place = folder.place?.split(separator: "/").last.map(String.init)
            steps.withLock { $0.append("sync:\(place ?? "-")") }
            try sync(folder)
        }
        let tree = try TemporaryTree(calls: calls)
        for folder in ["d", "e", "d/s"] { try tree.makeFolder(folder) }
        if work != .create { try tree.write("old", to: "d/a") }
        var writer = TreeWriter(root: tree.root, staging: tree.staging, sync: mode)
        writer.probe = { step in steps.withLock { $0.append("\(step)") } }
        let isUnexpected = work == .replaceUnexpected || work == .removeUnexpected
        #expect(try (perform(work, writer, tree) == .surprised) == isUnexpected)
        if isUnexpected { #expect(try tree.read("d/a") == "old") }
        #expect(try tree.leftovers().isEmpty)
        return steps.withLock { $0.joined(separator: " ") }
    }

    private func perform(
        _ work: Work, _ writer: TreeWriter, _ tree: TemporaryTree
    ) throws -> InstallOutcome {
        let path = try RelativePath("d/a")
        // As long as the file, so that only the bytes differ.
        let other = Expected.content(ContentHasher.hash(Array("new".utf8)), size: 3)
        switch work {
        case .create: return try writer.install(tree.staged("new"), at: path, expecting: .absent)
        case .replace: return try writer.install(tree.staged("new"), at: path, expecting: .any)
        case .replaceUnexpected:
            return try writer.install(tree.staged("new"), at: path, expecting: other)
        case .link:
            return try writer.makeSymlink(
                target: [97], at: path, modified: Timestamp(nanoseconds: 1), expecting: .any)
        case .remove: return try writer.remove(path, expecting: .any)
        case .removeUnexpected: return try writer.remove(path, expecting: other)
        case .move: return try writer.move(from: path, to: RelativePath("e/b"), expecting: .any)
        case .moveFolder:
            return try writer.move(
                from: RelativePath("d/s"), to: RelativePath("e/s"), expecting: .any)
        case .makeFolder: return try writer.makeDirectory(RelativePath("d/n"), mode: 0o700)
        case .removeFolder: return try writer.removeDirectory(RelativePath("d/s"))
        case .setAttributes:
            return try writer.setAttributes(
                path, mode: 0o600, modified: Timestamp(nanoseconds: 1), expecting: .any)
        }
    }
}
