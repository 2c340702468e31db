import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords

/// A change of a record that a subscription may be about.
package enum SubscribedChange: String, CaseIterable, Sendable {
    case create, update, delete
}

/// A wish to be told when other devices change certain records. It is of one zone on one device.
package struct Subscription: Hashable, Sendable {
    /// 1 to 48 of `a-z 0-9 _ -`.
    package let name: String
    package let type: RecordType
    /// As the user wrote it.
    package let predicate: String
    package let changes: [SubscribedChange]
    /// Whether it fires once only.
    package let isOnce: Bool
    /// What is run with `sh` when it fires; nil for nothing.
    package let command: String?
    /// Whether it has fired.
    package var hasFired = false

    /// - Throws: `Failure` with code `usage` for an invalid name or predicate, or without any change.
    package init(
        name: String, type: RecordType, predicate: String, changes: [SubscribedChange],
        isOnce: Bool, command: String?
    ) throws(Failure) {
        do throws(Failure) { try RecordPlace.check(name: name) } catch {
            throw Failure(
                .usage, path: name, "Invalid name of a subscription.", remedy: error.remedy)
        }
        guard !changes.isEmpty else {
            throw Failure(
                .usage, path: name, "The subscription is about no change.",
                remedy: "Name one of create, update, delete.")
        }
        _ = try PredicateParser.parse(predicate)
        self.name = name
        self.type = type
        self.predicate = predicate
        self.changes = SubscribedChange.allCases.filter(changes.contains)
        self.isOnce = isOnce
        self.command = command
    }

    /// Whether a change of a record is one that the subscription is about. A record that is saved has to
    /// match as it is now, one that is deleted as it was.
    ///
    /// - Parameter now: In milliseconds since 1970.
    func isAbout(_ former: Record?, _ present: Record?, now: Int64) -> SubscribedChange? {
        let change: SubscribedChange =
            present == nil ? .delete : former == nil ? .create : .update
        guard changes.contains(change), let record = present ?? former, record.type == type,
            let predicate = try? PredicateParser.parse(predicate),
            predicate.matches(record, now: now)
        else { return nil }
        return change
    }
}

/// A subscription that fired: all its changes of one exchange.
package struct Firing: Hashable, Sendable {
    package var subscription: String
    package var changes: [(change: SubscribedChange, name: RecordName)]

    package static func == (left: Firing, right: Firing) -> Bool {
        left.subscription == right.subscription && left.encoded == right.encoded
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(subscription)
        hasher.combine(encoded)
    }

    /// A line for each record.
    var encoded: [UInt8] {
        Array(changes.map { "\($0.change.rawValue) \($0.name.text)" }.joined(separator: "\n").utf8)
    }

    init(_ subscription: String, _ changes: [(change: SubscribedChange, name: RecordName)]) {
        self.subscription = subscription
        self.changes = changes
    }

    init(_ subscription: String, encoded: [UInt8]) {
        let lines = String(decoding: encoded, as: UTF8.self).split(separator: "\n")
        self.init(
            subscription,
            lines.compactMap { line in
                let end = line.firstIndex(of: " ") ?? line.endIndex
                guard let change = SubscribedChange(rawValue: String(line[..<end])),
                    let name = try? RecordName(String(line[end...].dropFirst()))
                else { return nil }
                return (change, name)
            })
    }
}
