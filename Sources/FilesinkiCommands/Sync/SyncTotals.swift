import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// What a run did, in numbers: `Sent 2 files (1.2 kB), received 1, merged 1, deleted 1.`
///
/// Folders are counted only where there is nothing else to count.
struct SyncTotals {
    private var sent = Count()
    private var received = Count()
    private var merged = Count()
    private var renamed = Count()
    private var deleted = Count()
    /// The files that both sides renamed, each to another name.
    private var doubled = 0
    /// The folders that both sides renamed, with the names that each has now.
    private var doubledFolders: [RelativePath: Set<RelativePath>] = [:]
    /// How many of the doubled files are in such folders.
    private var doubledInside = 0
    private var problems = 0
    private var isPlan: Bool

    /// - Parameter given: The steps of the run that are not in its report.
    init(_ report: SyncReport, given: SyncTotals? = nil) {
        self = given ?? SyncTotals(isPlan: report.isDryRun)
        isPlan = report.isDryRun
        problems = report.problems.count
        add(report.steps)
    }

    init(isPlan: Bool) { self.isPlan = isPlan }

    mutating func add(_ steps: [Step]) {
        for step in steps { add(step) }
    }

    var isEmpty: Bool {
        problems == 0 && [sent, received, merged, renamed, deleted].allSatisfy(\.isEmpty)
    }

    /// One sentence.
    var text: String {
        let parts = [
            (sent, "sent", "send"), (received, "received", "receive"), (merged, "merged", "merge"),
            (renamed, "renamed", "rename"), (deleted, "deleted", "delete"),
        ]
        let hasFiles = parts.contains { $0.0.files > 0 }
        var words: [String] = []
        for (count, done, planned) in parts {
            let noun = words.isEmpty
            guard let number = count.text(withNoun: noun, foldersToo: !hasFiles) else { continue }
            words.append("\(isPlan ? planned : done) \(number)")
        }
        let doesAnything = !words.isEmpty
        if problems > 0 { words.append(CountText.text(problems, "problem")) }
        let text = words.joined(separator: ", ") + "."
        return isPlan && doesAnything
            ? "Would \(text)" : text.prefix(1).uppercased() + text.dropFirst()
    }

    /// Says that files are there twice, under the names that the two sides gave them; nil for fewer than two, which
    /// have lines of their own.
    var doubledText: String? {
        guard doubled > 1 else { return nil }
        let files = CountText.text(doubled, "file")
        let kept = isPlan ? "both names would be kept" : "both names were kept"
        guard doubledInside == doubled, doubledFolders.count == 1,
            let (folder, names) = doubledFolders.first, names.count == 2
        else { return "Both sides renamed the same \(files), to different names: \(kept)." }
        let list = names.sorted().map(\.description).joined(separator: " and ")
        return
            "Both sides renamed the folder \(folder), to \(list): \(kept), with \(files) in each."
    }

    private mutating func addDoubled(_ step: Step, of source: RelativePath?) {
        renamed.add(step, bytes: 0)
        guard !step.isFolder else { return }
        // One of the two names comes from the other side.
        let counts = step.action.writesOurs
        if counts { doubled += 1 }
        guard let source, let (old, new) = Self.renamedFolder(source, step.path) else { return }
        doubledFolders[old, default: []].insert(new)
        if counts { doubledInside += 1 }
    }

    /// The folder whose rename moved a file, under both names; nil for a file that was renamed itself.
    private static func renamedFolder(
        _ old: RelativePath, _ new: RelativePath
    ) -> (old: RelativePath, new: RelativePath)? {
        var (old, new) = (old, new)
        var isInside = false
        while old.name == new.name, let oldParent = old.parent, let newParent = new.parent {
            (old, new) = (oldParent, newParent)
            isInside = true
        }
        return isInside ? (old, new) : nil
    }

    private mutating func add(_ step: Step) {
        guard let entry = step.action.entry, !step.isConflictCopy, !step.isMovedAway else { return }
        if entry.kind == .tombstone { return deleted.add(step, bytes: 0) }
        switch step.reason {
        case .merged: merged.add(step, bytes: 0)
        case .edit where step.mergedMode != nil: merged.add(step, bytes: 0)
        case .renamed: renamed.add(step, bytes: 0)
        case .bothNames(let source): addDoubled(step, of: source)
        case .otherName: addDoubled(step, of: nil)
        case .renamedAndEdited:
            renamed.add(step, bytes: 0)
            addContent(of: step, entry)
        default: addContent(of: step, entry)
        }
    }

    private mutating func addContent(of step: Step, _ entry: Entry) {
        if step.action.writesOurs, !step.sendsUnderOtherName {
            received.add(step, bytes: entry.size)
        } else {
            sent.add(step, bytes: entry.size)
        }
    }

    private struct Count {
        var files = 0
        var folders = 0
        var bytes = ByteSum()

        var isEmpty: Bool { files == 0 && folders == 0 }

        mutating func add(_ step: Step, bytes size: Int64) {
            if step.isFolder { folders += 1 } else { files += 1 }
            bytes.add(size)
        }

        /// The number, with its noun and its bytes; nil where there is nothing to say.
        func text(withNoun: Bool, foldersToo: Bool) -> String? {
            let count = foldersToo ? folders : files
            guard count > 0 else { return nil }
            let noun = foldersToo ? "folder" : "file"
            let number = withNoun ? CountText.text(count, noun) : CountText.text(count)
            return number + (bytes.text.isEmpty ? "" : " (\(bytes.text))")
        }
    }
}

/// A sum of sizes, held to what 64 bits can count.
private struct ByteSum {
    private var value: Int64 = 0

    mutating func add(_ size: Int64) {
        let (sum, overflow) = value.addingReportingOverflow(size)
        value = overflow ? .max : sum
    }

    /// Empty for none.
    var text: String { value > 0 ? SizeText.text(value) : "" }
}

/// Steps of which there are too many to list, by what happened: `sent  new  1,204 files  88 MB`.
struct StepCounts {
    private var kinds: [Kind: (count: Int, bytes: ByteSum)] = [:]

    mutating func add(_ steps: [Step], isPlan: Bool) {
        for step in steps where !step.isMovedAway {
            let kind = Kind(
                direction: step.direction(isPlan: isPlan), change: step.reason.change,
                isFolder: step.isFolder)
            kinds[kind, default: (0, ByteSum())].count += 1
            kinds[kind]?.bytes.add(step.action.entry?.size ?? 0)
        }
    }

    /// Lines in the columns of ``StepLine``, beside which they stand.
    var lines: [String] {
        let kinds = kinds.sorted { $0.key.order < $1.key.order }
        var table = TextTable(rightAligned: [1])
        for (kind, total) in kinds {
            table.add(
                CountText.text(total.count, kind.isFolder ? "folder" : "file"), total.bytes.text)
        }
        return zip(kinds, table.lines).map { kind, text in
            StepLine.head(kind.key.direction, kind.key.change) + text
        }
    }

    private struct Kind: Hashable {
        var direction: String
        var change: String
        var isFolder: Bool

        var order: String {
            "\(direction == "sent" || direction == "send" ? 0 : 1)\(isFolder)\(change)"
        }
    }
}
