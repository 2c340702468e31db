import FilesinkiModel
import Glibc

/// The steps of one run, in an order in which they can be carried out.
///
/// First come the directories that are new here, then conflict copies, renames, deletions inside
/// directories that become something else, then everything else from the root down, and last the
/// other deletions from the leaves up.
package struct Plan: Hashable, Sendable {
    package var steps: [Step]

    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    package var isEmpty: Bool { steps.isEmpty }

    /// How many steps do what.
    package struct Counts: Hashable, Sendable {
        package var agreed = 0
        package var published = 0
        package var taken = 0
        package var writtenToBoth = 0
        package var undecided = 0
        package var left = 0
        package var skipped = 0
        /// Conflict copies; each is also one of the other numbers.
        package var conflictCopies = 0
        /// Files and directories that are deleted from this replica, without those that are renamed.
        package var deletedOurs = 0
        /// Files and directories that are deleted from the remote tree, without those that are renamed.
        package var deletedTheirs = 0
        /// Files that get another name and another content at once in the remote tree, without those that were only moved
        /// to another folder.
        package var replacedTheirs = 0
        /// Files whose content is replaced in this replica.
        package var overwrittenOurs = 0
        /// Files whose content is replaced in the remote tree.
        package var overwrittenTheirs = 0

        package init() {}

        /// What counts against the limit of deletions at the remote: neither the name nor the content is there
        /// afterwards. Here it does not: the device that sent it was asked, and may have renamed first and edited in
        /// later runs.
        package var lostTheirs: Int { deletedTheirs + replacedTheirs }
    }

    package var counts: Counts {
        // What follows its folder keeps its own name.
        var renamed: [RelativePath: Entry] = [:]
        for step in steps {
            guard let old = step.movedFrom, old.name != step.path.name,
                let entry = step.action.entry, entry.kind != .tombstone
            else { continue }
            renamed[old] = entry
        }
        var counts = Counts()
        for step in steps { counts.add(step, renamed) }
        return counts
    }
}

extension Plan.Counts {
    /// Adds what another plan does.
    package mutating func add(_ other: Plan.Counts) {
        let numbers: [WritableKeyPath<Plan.Counts, Int>] = [
            \.agreed, \.published, \.taken, \.writtenToBoth, \.undecided, \.left, \.skipped,
            \.conflictCopies, \.deletedOurs, \.deletedTheirs, \.replacedTheirs,
            \.overwrittenOurs, \.overwrittenTheirs,
        ]
        for number in numbers { self[keyPath: number] += other[keyPath: number] }
    }

    /// - Parameter renamed: What each renamed path is under its new name.
    fileprivate mutating func add(_ step: Step, _ renamed: [RelativePath: Entry]) {
        switch step.action {
        case .agree: agreed += 1
        case .publish: published += 1
        case .take: taken += 1
        case .both: writtenToBoth += 1
        case .undecided: undecided += 1
        case .leave: if step.leavesConflict { left += 1 }
        case .skip: skipped += 1
        }
        if step.isConflictCopy { conflictCopies += 1 }
        if step.isMovedAway { return addOldName(step, renamed[step.path]) }
        guard let entry = step.action.entry else { return }
        let theirs = step.theirs.flatMap { $0.entry.kind == .tombstone ? nil : $0.entry }
        if step.action.writesOurs, let ours = step.ours, !ours.hasSameContent(as: entry) {
            if entry.kind == .tombstone { deletedOurs += 1 } else { overwrittenOurs += 1 }
        }
        if step.action.writesTheirs, let theirs, !theirs.hasSameContent(as: entry) {
            if entry.kind == .tombstone { deletedTheirs += 1 } else { overwrittenTheirs += 1 }
        }
    }

    /// Adds the old name of what is renamed, if its content goes away with it.
    private mutating func addOldName(_ step: Step, _ renamed: Entry?) {
        guard step.action.entry?.kind == .tombstone, let renamed else { return }
        if step.action.writesTheirs, let theirs = step.theirs?.entry, theirs.kind != .tombstone,
            !theirs.hasSameContent(as: renamed)
        {
            replacedTheirs += 1
        }
    }
}

extension Plan: CustomStringConvertible {
    /// One line for each step, as `--dry-run` prints them.
    package var description: String {
        steps.map(\.description).joined(separator: "\n")
    }
}

/// The order of the steps of a plan: the lower first.
private enum Rank: Int {
    /// A directory where nothing is.
    case newFolder
    case conflictCopy
    case rename
    /// A deletion in the local tree, inside a directory that becomes something else.
    case makesRoom
    case other
    case deletion
}

/// The steps in an order in which they can be carried out: see ``Plan``.
func ordered(_ steps: [Step]) -> [Step] {
    let replaced = Set(
        steps.lazy.filter { step in
            guard let entry = step.action.entry, let ours = step.ours, step.action.writesOurs
            else { return false }
            return entry.kind != .tombstone && entry.kind != ours.kind
                && (entry.kind == .directory || ours.kind == .directory)
        }.map(\.path))
    return sorted(steps) { rank($0, replaced) }
}

/// What a step is sorted by. The bytes of its path are elsewhere, so that copies of it are cheap.
private struct SortKey {
    var rank: Int
    /// Where the path is among the bytes of all paths.
    var start: Int
    var count: Int
    /// Which step it is.
    var index: Int
}

private func sorted(_ steps: [Step], by rank: (Step) -> Rank) -> [Step] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(steps.count * 64)
    var keys: [SortKey] = []
    keys.reserveCapacity(steps.count)
    for (index, step) in steps.enumerated() {
        keys.append(
            SortKey(
                rank: rank(step).rawValue, start: bytes.count, count: step.path.bytes.count,
                index: index))
        bytes.append(contentsOf: step.path.bytes)
    }
    bytes.withUnsafeBytes { all in
        keys.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            let one = UnsafeRawBufferPointer(rebasing: all[left.start..<left.start + left.count])
            let two = UnsafeRawBufferPointer(rebasing: all[right.start..<right.start + right.count])
            let isReversed =
                left.rank == Rank.makesRoom.rawValue || left.rank == Rank.deletion.rawValue
            return isReversed ? compare(two, one) < 0 : compare(one, two) < 0
        }
    }
    return keys.map { steps[$0.index] }
}

private func rank(_ step: Step, _ replaced: Set<RelativePath>) -> Rank {
    guard let entry = step.action.entry else { return .other }
    let isInsideReplaced =
        !replaced.isEmpty && step.path.ancestors.contains(where: replaced.contains)
    if entry.kind == .tombstone {
        return isInsideReplaced && step.action.writesOurs ? .makesRoom : .deletion
    }
    if isInsideReplaced || replaced.contains(step.path) { return .other }
    if step.isConflictCopy { return .conflictCopy }
    if step.origin != nil { return .rename }
    let isNew = entry.kind == .directory && step.ours == nil && step.action.writesOurs
    return isNew ? .newFolder : .other
}

extension Plan {
    /// Gives the plan as bytes, piece by piece: equal for equal plans, different for different ones.
    /// Their hash is the plan's id, by which a user approves it.
    ///
    /// Numbers are 8 bytes, little endian. A text or path is its length and its bytes. An optional
    /// value follows a byte that is 0 when the value is nil, else 1.
    package func forEachCanonicalPiece(_ body: ([UInt8]) -> Void) {
        var piece = CanonicalBytes()
        piece.add(UInt64(steps.count))
        for step in steps {
            piece.add(step)
            if piece.bytes.count >= CanonicalBytes.pieceLength {
                body(piece.bytes)
                piece.bytes.removeAll(keepingCapacity: true)
            }
        }
        body(piece.bytes)
    }
}

private struct CanonicalBytes {
    /// A piece is given away when it has become this long.
    static let pieceLength = 64 << 10

    var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ text: some Collection<UInt8>) {
        add(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func add(_ entry: Entry) {
        bytes.append(entry.kind.rawValue)
        add(UInt64(entry.mode))
        add(UInt64(bitPattern: entry.kind == .directory ? 0 : entry.modified.nanoseconds))
        add(UInt64(bitPattern: entry.size))
        entry.content.withBytes { bytes.append(contentsOf: $0) }
        add(entry.target)
    }

    mutating func add<Value>(_ value: Value?, _ body: (inout CanonicalBytes, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    mutating func add(_ step: Step) {
        add(step.path.bytes)
        add(step.action.word.utf8)
        add(step.action.entry) { $0.add($1) }
        // Only the run that has fetched the commit knows of the other name; the plan that it names is the same later.
        add((step.reason == .otherName ? Reason.created : step.reason).word.utf8)
        add(step.base) { $0.add($1.entry) }
        add(step.ours) { $0.add($1) }
        add(step.theirs) { bytes, theirs in
            bytes.add(theirs.version)
            bytes.add(theirs.entry)
        }
        add(step.origin) { $0.add($1.bytes) }
        if case .undecided(let conflict) = step.action {
            add(Strategy(conflict.links).description.utf8)
        }
    }
}
