package import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite
import FilesinkiText

extension RecordDatabase {
    /// The subscriptions, in the order of names.
    func subscriptions() throws -> [Subscription] {
        let statement = try cache.statement(
            """
            SELECT name, type, predicate, changes, once, has_fired, command FROM subscription
            ORDER BY name
            """)
        defer { statement.reset() }
        var found: [Subscription] = []
        while try statement.step() {
            let changes = statement.text(3).split(separator: ",").compactMap {
                SubscribedChange(rawValue: String($0))
            }
            var subscription = try Subscription(
                name: statement.text(0), type: RecordType(statement.text(1)),
                predicate: statement.text(2), changes: changes, isOnce: statement.integer(4) == 1,
                command: statement.isNull(6) ? nil : statement.text(6))
            subscription.hasFired = statement.integer(5) == 1
            found.append(subscription)
        }
        return found
    }

    /// Records which subscriptions other devices' changes fire.
    func fire(_ changes: [ReceivedChange<RecordState>], event: Int64, at time: Timestamp) throws {
        let now = time.nanoseconds / 1_000_000
        for subscription in try subscriptions()
        where !(subscription.isOnce && subscription.hasFired) {
            let found = changes.compactMap { change in
                let (former, present) = (change.former.record, change.present.record)
                return (present ?? former).flatMap { record in
                    subscription.isAbout(former, present, now: now).map { ($0, record.name) }
                }
            }
            guard !found.isEmpty else { continue }
            let add = try cache.statement(
                "INSERT INTO firing (event, subscription, changes, command) VALUES (?, ?, ?, ?)")
            add.bind(event, at: 1)
            add.bind(subscription.name, at: 2)
            bind(Firing(subscription.name, found).encoded, to: add, at: 3)
            if let command = subscription.command {
                add.bind(command, at: 4)
            } else {
                add.bindNull(at: 4)
            }
            try add.execute()
            let mark = try cache.statement(
                "UPDATE subscription SET has_fired = 1 WHERE name = ? AND has_fired = 0")
            mark.bind(subscription.name, at: 1)
            try mark.execute()
        }
        let old = try cache.statement("DELETE FROM firing WHERE event <= ? AND command IS NULL")
        old.bind(event - Self.keptEvents, at: 1)
        try old.execute()
    }

    /// What fired with an event, in the order of names.
    func firings(of event: Int64) throws(Failure) -> [Firing] {
        let statement = try cache.statement(
            "SELECT subscription, changes FROM firing WHERE event = ? ORDER BY id")
        defer { statement.reset() }
        statement.bind(event, at: 1)
        var found: [Firing] = []
        while try statement.step() {
            found.append(Firing(statement.text(0), encoded: Array(statement.bytes(1))))
        }
        return found
    }

    /// Takes the oldest command that is to be run: no other process takes it, too.
    func takeCommand() throws(Failure) -> (command: String, firing: Firing)? {
        let statement = try cache.statement(
            """
            SELECT id, command, subscription, changes FROM firing WHERE command IS NOT NULL
            ORDER BY id LIMIT 1
            """)
        var found: (row: Int64, command: String, firing: Firing)?
        if try statement.step() {
            found = (
                statement.integer(0), statement.text(1),
                Firing(statement.text(2), encoded: Array(statement.bytes(3)))
            )
        }
        statement.reset()
        guard let found else { return nil }
        let take = try cache.statement("UPDATE firing SET command = NULL WHERE id = ?")
        take.bind(found.row, at: 1)
        try take.execute()
        return (found.command, found.firing)
    }
}

extension RecordZone {
    /// The subscriptions of this device, in the order of names.
    package func subscriptions() throws -> [Subscription] { try database.subscriptions() }

    /// Adds a subscription to this device; changes that are here already do not fire it.
    ///
    /// - Throws: `Failure` with code `exists` for a name that is used.
    package func subscribe(_ subscription: Subscription) throws {
        let remove = "filesinki rec subscribe rm\(place.choice) "
        try database.write {
            guard try !database.subscriptions().contains(where: { $0.name == subscription.name })
            else {
                throw Failure(
                    .exists, path: subscription.name, "A subscription has this name.",
                    remedy: "Choose another one, or remove it with \(remove)"
                        + "\(ShellWord.shown(subscription.name.utf8)).")
            }
            let add = try database.cache.statement(
                """
                INSERT INTO subscription (name, type, predicate, changes, once, has_fired, command)
                VALUES (?, ?, ?, ?, ?, 0, ?)
                """)
            add.bind(subscription.name, at: 1)
            add.bind(subscription.type.text, at: 2)
            add.bind(subscription.predicate, at: 3)
            add.bind(subscription.changes.map(\.rawValue).joined(separator: ","), at: 4)
            add.bind(subscription.isOnce ? 1 : 0, at: 5)
            if let command = subscription.command {
                add.bind(command, at: 6)
            } else {
                add.bindNull(at: 6)
            }
            try add.execute()
        }
    }

    /// Removes a subscription, and the commands of it that were not run yet.
    ///
    /// - Returns: Whether there was one.
    package func unsubscribe(_ name: String) throws -> Bool {
        try database.write {
            guard try database.subscriptions().contains(where: { $0.name == name }) else {
                return false
            }
            for table in [
                "DELETE FROM subscription WHERE name = ?",
                "UPDATE firing SET command = NULL WHERE subscription = ?",
            ] {
                let statement = try database.cache.statement(table)
                statement.bind(name, at: 1)
                try statement.execute()
            }
            return true
        }
    }

    /// What fired with an event.
    package func firings(of event: ItemEvent) throws -> [Firing] {
        try database.firings(of: event.token.number)
    }

    /// Takes the oldest command of a subscription that fired; nil when there is none. It is run at most once,
    /// whatever becomes of the process that took it.
    package func takeCommand() throws -> (command: String, firing: Firing)? {
        try database.write { try database.takeCommand() }
    }
}
