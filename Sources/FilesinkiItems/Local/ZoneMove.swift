package import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

/// The way from the generation of a zone that this device has to a later one.
package struct ZoneMove: Sendable {
    /// How the generations before the target ended: see ``ItemDatabase/way()``.
    package var way: String
    package var cause: ZoneCause
    /// The last commit of this device's generation that the device knew which ended it.
    package var sequence: UInt64
    /// Whether the zone can be used in the target.
    package var isLive: Bool

    package init(way: String, cause: ZoneCause, sequence: UInt64, isLive: Bool) {
        self.way = way
        self.cause = cause
        self.sequence = sequence
        self.isLive = isLive
    }
}

extension ItemDatabase {
    /// How the former generations of the zone ended for this device: a letter for each, `r` for a reset and
    /// `d` for any other cause.
    package func way() throws(Failure) -> String {
        String(decoding: try setting("way") ?? [], as: UTF8.self)
    }

    /// Which log of the zone the items are of: 1 for the first.
    package func generation() throws(Failure) -> UInt64 {
        UInt64(try setting("way")?.count ?? 0) + 1
    }

    /// Whether the zone was deleted, and not created again since.
    package func isGone() throws(Failure) -> Bool { try setting("gone") != nil }
}

extension ItemZone {
    /// Whether the zone was deleted, and not created again since, as far as this device knows.
    package func isGone() throws -> Bool { try database.isGone() }

    /// Records whether the zone can be used in its present generation.
    package func setGone(_ isGone: Bool) throws {
        guard try database.isGone() != isGone else { return }
        try database.write { try database.set("gone", isGone ? [1] : nil) }
    }

    /// How the former generations of the zone ended for this device.
    package func way() throws -> String { try database.way() }

    /// Takes the way of another store, which takes the place of the known one.
    package func adopt(way: String) throws {
        try database.write { try database.set("way", Array(way.utf8)) }
        try followGeneration()
    }

    /// Leaves the present generation for a later one, in one transaction. A reset keeps the items, and
    /// everything waits to be published in the new log; else the items go.
    ///
    /// - Parameter keep: Called in the transaction with what would be nowhere else: what was not published,
    ///   and what the device that ended the generation had not seen.
    /// - Returns: False when another process has done it.
    package func move(
        _ move: ZoneMove, from former: String, keep: ([Item<State>]) throws -> Void
    ) throws -> Bool {
        let isDone = try database.write { () throws -> Bool in
            guard try database.way() == former else { return false }
            if move.cause == .reset {
                try unpublishItems()
            } else {
                try keep(database.items().filter { $0.isKept(since: move.sequence) })
                try dropItems(move.cause)
            }
            try database.setLogPosition(nil)
            try database.connection.execute("DELETE FROM publishing")
            for counter in ZoneCounter.allCases { try database.set(counter.rawValue, nil) }
            try database.set("way", Array(move.way.utf8))
            try database.set("pruned", nil)
            try database.set("gone", move.isLive ? nil : [1])
            return true
        }
        try followGeneration()
        return isDone
    }

    /// Makes every item wait. It keeps its base, so that what was or will be changed here is merged as before. Commits of
    /// the former log have no meaning in the new one, also for what gave way and waits.
    private func unpublishItems() throws {
        for var item in try database.items() {
            item.version = 0
            try database.store(item)
        }
        try database.connection.execute("UPDATE superseded SET version = 0 WHERE published = 0")
    }

    /// Removes every item from this device.
    private func dropItems(_ cause: ZoneCause) throws {
        var changes: [ReceivedChange<State>] = []
        for var item in try database.items() {
            if !item.ours.isRemoved {
                changes.append(
                    ReceivedChange(key: item.key, former: item.ours, present: .removed(at: 0)))
            }
            (item.ours, item.base, item.version) = (.removed(at: 0), .removed(at: 0), 0)
            try Kind.didChange(item, in: database)
        }
        try database.removeItems()
        try database.connection.execute("UPDATE superseded SET published = 1")
        try database.removeAllWaitingAssets()
        let reason: ChangeReason = cause == .purged ? .purged : .deleted
        try database.recordEvent(reason, changes.map(\.key), at: now)
        guard !changes.isEmpty else { return }
        try Kind.didReceive(changes, event: database.position().number, in: database, at: now)
    }
}

extension Item {
    /// Whether a device that ended the zone at a commit did not know the item as it is here.
    fileprivate func isKept(since sequence: UInt64) -> Bool {
        !ours.isRemoved && (isPending || version > sequence)
    }
}
