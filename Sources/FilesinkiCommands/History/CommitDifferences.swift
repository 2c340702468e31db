import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// The differences of all paths that a commit changed, each read when it is asked for: a commit may have changed many.
struct CommitDifferences {
    let session: Session
    let changes: CommitChanges

    var items: [CommitChanges.Item] { changes.items }

    /// The difference of one path. A content that cannot be compared is told in place of its lines, and hides no other one.
    func difference(of item: CommitChanges.Item) async throws -> Difference {
        let oldName = item.before.map { "\(item.pathBefore)@\($0.version)" }
        let newName = item.after.map { _ in "\(item.path)@\(changes.sequence)" }
        var difference = Difference(
            path: item.path, old: [], oldName: oldName ?? Difference.nothing, new: [],
            newName: newName ?? Difference.nothing)
        if let old = item.before?.entry, let new = item.after, old.hasSameContent(as: new) {
            difference.note = Self.note(item, old, new)
            return difference
        }
        do {
            if item.before != nil, let tree = changes.before {
                difference.old = try await session.content(item.pathBefore, in: tree)
            }
            if item.after != nil, let tree = changes.after {
                difference.new = try await session.content(item.path, in: tree)
            }
        } catch let failure as Failure where [.notFound, .limit].contains(failure.code) {
            // It was removed by a prune, or is too large.
            difference.note = item.after == nil ? "deleted" : failure.message
        }
        return difference
    }

    /// What changed of a path that has the same content as before.
    private static func note(_ item: CommitChanges.Item, _ old: Entry, _ new: Entry) -> String {
        if item.pathBefore != item.path {
            let place = item.replaced.map { ", in place of \(item.path)@\($0.version)" }
            return "renamed from \(item.pathBefore)\(place ?? "")"
        }
        return old.modeChange(to: new) ?? old.timeChange(to: new) ?? "the same content"
    }
}

extension Entry {
    /// `mode 644 -> 755`; nil where the mode is the same, or the other entry is of another kind.
    func modeChange(to new: Entry) -> String? {
        guard kind == new.kind, kind != .symlink, kind != .tombstone, mode != new.mode else {
            return nil
        }
        return "mode \(String(mode, radix: 8)) -> \(String(new.mode, radix: 8))"
    }

    /// What is said of two entries that differ in nothing but their time; nil where they are equal, or differ otherwise.
    func timeChange(to new: Entry) -> String? {
        guard hasSameContent(as: new), mode == new.mode, !agrees(with: new) else { return nil }
        return "only the time differs"
    }
}

extension DiffCommand {
    /// Prints what a commit changed, path by path.
    func showCommit(_ number: UInt64, _ session: Session) async throws -> ExitCode {
        let console = session.console
        let differences = CommitDifferences(
            session: session, changes: try await session.replica.changes(ofCommit: number))
        guard !differences.items.isEmpty else {
            console.say(
                "Commit \(number) changed no content in place; filesinki log --commit \(number) shows what it did."
            )
            return .done
        }
        if report.json {
            for item in differences.items {
                try console.output.json(await differences.difference(of: item).json)
            }
        } else if stat {
            var table = DifferenceTable()
            for item in differences.items {
                table.add(try await differences.difference(of: item))
            }
            try table.write(in: console)
        } else {
            try await Pager.stream(in: console) { write in
                for item in differences.items {
                    let difference = try await differences.difference(of: item)
                    for line in difference.lines(console.outputStyle) { try write(line + [0x0A]) }
                }
            }
        }
        return .negative
    }
}

/// What `--stat` prints: a line for each difference.
struct DifferenceTable {
    private var table = TextTable(rightAligned: [1, 2])

    mutating func add(_ difference: Difference) {
        let counts = difference.counts.map { ["+\($0.added)", "-\($0.removed)"] }
        let words = counts ?? [difference.countless, ""]
        table.add(difference.shownName, words[0], words[1])
    }

    func write(in console: Console) throws {
        for line in table.lines { try console.output.line(line) }
    }
}
