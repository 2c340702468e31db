package import FilesinkiModel

/// The references between the records of a zone, after a batch of saves and deletions: pure functions over
/// what a caller looks up.
package struct ReferenceGraph {
    /// The most records that refer to one target and are deleted with it.
    package static let maximumReferrers = 750

    private let saved: [RecordName: Record]
    /// The names of saved records by the targets with which they are deleted.
    private let savedByOwner: [RecordName: Set<RecordName>]
    private let deleted: Set<RecordName>
    private let lookup: (RecordName) -> Record?
    private let referrers: (RecordName) -> [RecordName]
    private let otherZone: (RecordName) -> String?

    /// - Parameters:
    ///   - saves: The records of the batch; the last of those with one name counts.
    ///   - deletions: The names that the batch deletes; they have no record even if it saves one.
    ///   - lookup: The record of a name before the batch.
    ///   - referrers: The names of the records that, before the batch, refer to a name and are deleted with
    ///     it. Names that occur twice, or do not do so after the batch, do no harm.
    ///   - otherZone: Where else the record of a name is, for the message; nil for nowhere.
    package init(
        saves: [Record], deletions: [RecordName], lookup: @escaping (RecordName) -> Record?,
        referrers: @escaping (RecordName) -> [RecordName],
        otherZone: @escaping (RecordName) -> String? = { _ in nil }
    ) {
        saved = Dictionary(saves.map { ($0.name, $0) }) { _, last in last }
        deleted = Set(deletions)
        var byOwner: [RecordName: Set<RecordName>] = [:]
        for (name, record) in saved where !deleted.contains(name) {
            for target in Self.owners(of: record) { byOwner[target, default: []].insert(name) }
        }
        savedByOwner = byOwner
        self.lookup = lookup
        self.referrers = referrers
        self.otherZone = otherZone
    }

    /// Checks the references of the batch's saves, in the order of names.
    ///
    /// - Throws: `Failure` with code `usage` for a reference to a missing record (`reference-violation`) and for a
    ///   cycle of records that would be deleted with each other; with code `limit` for too many that would
    ///   be deleted with one target.
    package func check() throws(Failure) {
        for name in savedNames { try checkTargets(name) }
        try checkOwners()
    }

    /// As ``check()``, without missing records.
    package func checkOwners() throws(Failure) {
        let names = savedNames
        try checkCycles(names)
        try checkCounts(names)
    }

    /// The batch's saves that refer to a missing record, in the order of names, each with its failure: all at once,
    /// as checking all again without the first one would cost too much in a large batch.
    package func violations() -> [(name: RecordName, failure: Failure)] {
        savedNames.compactMap { name in
            do throws(Failure) { try checkTargets(name) } catch { return (name, error) }
            return nil
        }
    }

    private var savedNames: [RecordName] {
        saved.keys.filter { !deleted.contains($0) }.sorted()
    }

    /// What the deletions of the batch take with them: the names that are deleted, too, in the order of names,
    /// and without those of the batch itself.
    package func cascade() -> [RecordName] {
        var known: Set<RecordName> = []
        return deleted.flatMap { cascade(of: $0, beside: &known) }.sorted()
    }

    /// What the deletion of one record takes with it, in the order of names.
    ///
    /// - Parameter known: Records that are deleted already, with all that they take: so many deletions cost no more
    ///   than what they take together. The record, and what is found, are added.
    package func cascade(
        of name: RecordName, beside known: inout Set<RecordName>
    ) -> [RecordName] {
        var found: [RecordName] = []
        var waiting = [name]
        known.insert(name)
        while let target = waiting.popLast() {
            for name in owned(by: target) where known.insert(name).inserted {
                found.append(name)
                waiting.append(name)
            }
        }
        return found.sorted()
    }

    // MARK: - After the batch

    private func record(_ name: RecordName) -> Record? {
        deleted.contains(name) ? nil : saved[name] ?? lookup(name)
    }

    /// The targets with which a record is deleted, in the order of names.
    private func owners(of name: RecordName) -> [RecordName] {
        record(name).map(Self.owners) ?? []
    }

    private static func owners(of record: Record) -> [RecordName] {
        Set(record.references.filter { $0.action == .deleteSelf }.map(\.target)).sorted()
    }

    /// The records that are deleted with a target, without those that the batch deletes.
    private func owned(by target: RecordName) -> Set<RecordName> {
        let others = referrers(target).filter { owners(of: $0).contains(target) }
        return (savedByOwner[target] ?? []).union(others)
    }

    // MARK: - Checks

    private func checkTargets(_ name: RecordName) throws(Failure) {
        for target in (saved[name]?.references ?? []).map(\.target) where record(target) == nil {
            if !deleted.contains(target), let zone = otherZone(target) {
                throw Failure(
                    .usage, path: name.text,
                    "reference-violation: '\(name)' refers to '\(target)', which is in \(zone); a "
                        + "reference is to a record of the same zone.",
                    remedy: "Save both in one zone, or keep the name as a string.")
            }
            let reason =
                deleted.contains(target) ? "is deleted in the same batch" : "does not exist"
            throw Failure(
                .usage, path: name.text,
                "reference-violation: '\(name)' refers to '\(target)', which \(reason).",
                remedy: "Save '\(target)' in the same batch, or remove the reference.")
        }
    }

    private func checkCycles(_ names: [RecordName]) throws(Failure) {
        // Records from which no cycle is reached.
        var finished: Set<RecordName> = []
        for name in names {
            var path = [name]
            var rest = [owners(of: name)]
            var onPath: Set<RecordName> = [name]
            while let last = path.last {
                guard let next = rest[rest.count - 1].popLast() else {
                    finished.insert(last)
                    onPath.remove(last)
                    path.removeLast()
                    rest.removeLast()
                    continue
                }
                if onPath.contains(next) { throw Self.cycle(path.drop { $0 != next } + [next]) }
                if finished.contains(next) { continue }
                path.append(next)
                rest.append(owners(of: next))
                onPath.insert(next)
            }
        }
    }

    private static func cycle(_ names: some Sequence<RecordName>) -> Failure {
        let names = Array(names)
        // A long cycle is cut in its middle.
        var shown = names.map(\.text)
        if shown.count > 12 { shown.replaceSubrange(6..<(shown.count - 6), with: ["…"]) }
        return Failure(
            .usage, path: names.first?.text ?? "",
            "reference-violation: each of these would be deleted with the next: "
                + shown.joined(separator: " -> ") + ".",
            remedy: "Let one of them refer to the next without delete.")
    }

    private func checkCounts(_ names: [RecordName]) throws(Failure) {
        for target in Set(names.flatMap(owners)).sorted() {
            let count = owned(by: target).count
            guard count > Self.maximumReferrers else { continue }
            throw Failure(
                .limit, path: target.text,
                "\(count) records would be deleted with '\(target)'; at most 750 are allowed.",
                remedy: "Let some of them refer to it without delete.")
        }
    }
}
