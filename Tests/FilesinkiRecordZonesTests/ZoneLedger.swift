import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore

@testable import FilesinkiRecordZones

/// What a device has of a zone at one moment.
struct ZoneView: Sendable {
    /// How the former generations ended for the device.
    var way = ""
    var isGone = false
    /// The last commit that the device knows.
    var sequence: UInt64 = 0
    var items: [String: Item<RecordState>] = [:]
    var tags: [String: ChangeTag] = [:]

    var generation: UInt64 { UInt64(way.count) + 1 }

    func record(_ name: String) -> Record? { items[name]?.ours.record }
}

extension RecordZone {
    /// All records, also deleted ones.
    func view() throws -> ZoneView {
        var view = ZoneView(
            way: try way(), isGone: try isGone(),
            sequence: try database.logPosition()?.token.sequence ?? 0)
        for item in try database.items() {
            guard let name = item.key.recordName?.text else { continue }
            view.items[name] = item
            view.tags[name] = ChangeTag(item, generation: view.generation)
        }
        return view
    }
}

extension Record {
    /// The values, by the names of their fields.
    var values: [String: FieldValue] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.key.text, $0.value.value) })
    }
}

/// What devices were told and have published, beside what they have: it says what must not happen.
///
/// It knows the operations, and what each had before it. Whatever else it knows is what a user or the store's log can
/// show. It does not know how records are merged, but which merge may let go of a value by the table of policies.
struct ZoneLedger {
    /// What waits on a device to be published of a record.
    private struct Intent {
        /// Of the last operation.
        var policy: SavePolicy
        /// Whether a save was among the operations.
        var isEdit = false
        /// The fields that were set or removed, also with a record that was saved again after its deletion.
        var touched: Set<String> = []
        /// The values that were there before, or were received since, and gave way.
        var replaced: [String: Set<FieldValue>] = [:]
    }

    private(set) var views: [ZoneView]
    /// What is wrong.
    private(set) var problems: [String] = []
    private var intents: [[String: Intent]]
    /// What each device has kept of deleted zones, as lines.
    private var kept: [Set<Substring>]
    /// What each change tag of each record stands for; nil inside for a deleted record.
    private(set) var tags: [String: [String: [String: FieldValue]?]] = [:]
    private var logs = ZoneLogs()

    init(devices: Int) {
        views = Array(repeating: ZoneView(), count: devices)
        intents = Array(repeating: [:], count: devices)
        kept = Array(repeating: [], count: devices)
    }

    private mutating func expect(_ isRight: Bool, _ problem: @autoclosure () -> String) {
        if !isRight { problems.append(problem()) }
    }

    // MARK: Operations

    /// Operations on different records were applied on a device, in one call.
    mutating func didApply(
        _ operations: [RecordOperation], _ results: [RecordResult], isAtomic: Bool, on index: Int,
        now: ZoneView
    ) {
        let before = views[index]
        var expected = before.items.mapValues { $0.ours.record?.values }
        let hasFailed = results.contains { $0.error != nil }
        for (operation, result) in zip(operations, results) {
            let name = operation.name.text
            let present = before.record(name)?.values
            let mustFail = mustFail(operation, present, before.tags[name])
            if let error = result.error {
                let isWith = isAtomic && (error as? Failure)?.code == .declined
                expect(mustFail != false || isWith, "\(name) was refused: \(error)")
            } else {
                expect(!(isAtomic && hasFailed), "\(name) is done, its batch is not")
                expect(mustFail != true, "\(name) was not refused: \(operation)")
                expected[name] = .some(values(operation, over: present))
                note(operation, over: present, on: index)
            }
        }
        for name in Set(expected.keys).union(now.items.keys) {
            let (wanted, found) = (expected[name] ?? nil, now.record(name)?.values)
            expect(wanted == found, "\(name) is \(found as Any) instead of \(wanted as Any)")
        }
        didSee(now, on: index)
    }

    /// Whether an operation must be refused; nil if it may be.
    private func mustFail(
        _ operation: RecordOperation, _ present: [String: FieldValue]?, _ tag: ChangeTag?
    ) -> Bool? {
        switch operation.existence {
        case .mustExist where present == nil: return true
        case .mustNotExist where present != nil: return true
        default: break
        }
        guard let given = operation.tag else { return false }
        if present == nil { return operation.kind == .save }
        if given == tag?.description { return false }
        guard let meant = tags[operation.name.text]?[given] else { return nil }
        // A tag of before the publication names the same state.
        return meant == present ? nil : true
    }

    private func values(
        _ operation: RecordOperation, over present: [String: FieldValue]?
    ) -> [String: FieldValue]? {
        guard operation.kind == .save else { return nil }
        var values = operation.replacesAll ? [:] : present ?? [:]
        for (field, value) in operation.fields { values[field.text] = value }
        return values
    }

    private mutating func note(
        _ operation: RecordOperation, over present: [String: FieldValue]?, on index: Int
    ) {
        guard operation.kind == .save || present != nil else { return }
        let name = operation.name.text
        let values = values(operation, over: present) ?? [:]
        var intent = intents[index][name] ?? Intent(policy: operation.policy)
        intent.policy = operation.policy
        if operation.kind == .save { intent.isEdit = true }
        for field in Set(values.keys).union((present ?? [:]).keys) {
            let former = present?[field]
            guard former != values[field] else { continue }
            intent.touched.insert(field)
            if let former { intent.replaced[field, default: []].insert(former) }
        }
        intents[index][name] = intent
    }

    // MARK: Tags

    /// A device shows records after a step: no tag may have stood for something else.
    private mutating func didSee(_ view: ZoneView, on index: Int) {
        for (name, tag) in view.tags {
            let values = view.record(name)?.values
            for (text, former) in tags[name] ?? [:] where former != values {
                expect(
                    !tag.matches(text),
                    "the tag \(text) of \(name) was of \(former as Any), "
                        + "now \(tag) is \(values as Any)")
            }
            tags[name, default: [:]].updateValue(values, forKey: tag.description)
        }
        views[index] = view
        intents[index] = intents[index].filter { view.items[$0.key]?.isPending ?? false }
    }

    // MARK: Exchanges

    /// A device has exchanged, or done to the zone what its entry in the catalogue says.
    mutating func didExchange(_ device: RecordDevice, on index: Int, in world: RecordWorld)
        async throws
    {
        let (before, now) = (views[index], try await device.zone.view())
        didReceiveDeletions(until: now.generation, on: index)
        for generation in 1...max(now.generation, logs.last) {
            for change in try await logs.read(generation, in: world) { check(change, by: index) }
        }
        let isSame = now.way.hasPrefix(before.way)
        let passed = isSame ? String(now.way.dropFirst(before.way.count)) : "d"
        if passed.contains("d") || now.isGone && !before.isGone {
            try await checkDropped(before, device, index)
        } else {
            for (name, item) in before.items {
                try await checkKept(name, item, before, now, device)
            }
            didMerge(now, on: index)
        }
        for (name, item) in now.items where item.version > 0 && !item.isPending && !now.isGone {
            let log = logs.record(name, in: now.generation) ?? nil
            expect(
                now.sequence < logs.sequence(in: now.generation)
                    || log?.values == item.ours.record?.values,
                "\(name) is \(item.ours.record?.values as Any), "
                    + "and \(log?.values as Any) in the log")
        }
        didSee(now, on: index)
    }

    /// What others deleted, and what an edit keeps, is a new record, and each of its fields is set: those that it had
    /// here, and those that came in the same exchange, before the deletion.
    private mutating func didReceiveDeletions(until last: UInt64, on index: Int) {
        let view = views[index]
        for generation in view.generation...max(view.generation, last) {
            let sequence = generation > view.generation ? 0 : view.sequence
            for (name, former) in logs.deletions(in: generation, after: sequence) {
                let fields = view.record(name)?.values.keys.map(\.self) ?? []
                intents[index][name]?.touched.formUnion(former.union(fields))
            }
        }
    }

    /// Each value that a device had and has no more gave way to others, and what was not sent is in the history.
    private mutating func checkKept(
        _ name: String, _ item: Item<RecordState>, _ before: ZoneView, _ now: ZoneView,
        _ device: RecordDevice
    ) async throws {
        let lost = (item.ours.record?.values ?? [:]).filter {
            now.record(name)?.values[$0.key] != $0.value
        }
        guard !lost.isEmpty else { return }
        let losers = try await device.zone.losers(item.key).compactMap(\.held.record?.values)
        for (field, value) in lost where !losers.contains(where: { $0[field] == value }) {
            let gaveWay = (before.generation...now.generation).contains { generation in
                // Another device may have sent it, and a third one replaced it, in a log that this one has only read.
                let isSent =
                    generation == before.generation && item.version > 0
                    && item.base.record?.values[field] == value
                    || logs.hasHad(value, name, field, in: generation)
                return isSent
                    && (generation...now.generation).contains { later in
                        guard let log = logs.record(name, in: later) else { return false }
                        return log?.values[field] != value
                    }
            }
            expect(
                gaveWay,
                "\(value) of \(name).\(field) is lost on \(device.zone.place.device.name), "
                    + "and in no history")
        }
    }

    /// What a device received is merged by the policy of what waits then. A later save with another policy does not
    /// answer for what gave way, so it is checked now, and counts as replaced.
    private mutating func didMerge(_ now: ZoneView, on index: Int) {
        for (name, item) in now.items where item.isPending {
            let theirs = item.base.record
            guard theirs != nil || item.version > 0 else { continue }
            check(
                name, theirs, item.ours.record, by: index,
                "\(now.generation).\(now.sequence) and after")
            for (field, value) in theirs?.values ?? [:]
            where item.ours.record?.values[field] != value {
                intents[index][name]?.replaced[field, default: []].insert(value)
            }
        }
    }

    /// What goes with a zone is an event, and what was not sent is in the file beside it.
    private mutating func checkDropped(
        _ before: ZoneView, _ device: RecordDevice, _ index: Int
    ) async throws {
        let names = before.items.keys.filter { before.record($0) != nil }
        guard !names.isEmpty else { return }
        var token = try await device.zone.position()
        token.number = 0
        let events = try await device.zone.events(after: token)
        let gone = events.filter { [.deleted, .purged].contains($0.reason) }.flatMap(\.keys)
        let lines = try device.kept(Int(before.generation))
        for name in names {
            expect(gone.contains { $0.recordName?.text == name }, "no event says that \(name) went")
            guard let item = before.items[name], item.isPending, let record = item.ours.record
            else { continue }
            let isKept = lines.contains { line in
                line.contains("\"name\":\"\(name)\"")
                    && record.values.allSatisfy { field, value in
                        line.contains("\"\(field)\":{\"type\":\"int\",\"value\":\(value.number)}")
                    }
            }
            expect(isKept, "\(name) was not sent, and is not kept: \(record.values)")
        }
        kept[index].formUnion(lines)
    }

    // MARK: The log

    /// A device has published something: it had reason for it, and a stamp changes only with its value.
    private mutating func check(_ change: ZoneLogs.Change, by index: Int) {
        if change.isKnown {
            check(change.name, change.former, change.record, by: index, change.place)
        }
        for (field, old) in change.former?.fields ?? [:] {
            guard let now = change.record?.fields[field], now.value == old.value else { continue }
            expect(
                now.stamp == old.stamp,
                "\(change.place): \(old.value) of \(change.name).\(field.text) has another stamp")
        }
    }

    /// A device may let go of a published value that it had and replaced, or as its policy allows.
    ///
    /// - Parameter place: Where it did: in which commit, or behind which one.
    private mutating func check(
        _ name: String, _ former: Record?, _ record: Record?, by index: Int, _ place: String
    ) {
        let intent = intents[index][name]
        if former == nil, record != nil {
            expect(
                intent?.isEdit == true,
                "\(place): \(name) was deleted, and comes back unchanged")
        }
        let ours = views[index].record(name)
        for (field, old) in former?.fields ?? [:] where record?[field] != old.value {
            if intent?.replaced[field.text]?.contains(old.value) == true { continue }
            let isTouched = intent?.touched.contains(field.text) == true && record != nil
            let isAllowed =
                switch intent?.policy {
                case nil, .unchanged: false
                case .merge: isTouched && ours?.fields[field].map { $0.stamp > old.stamp } ?? true
                case .changedKeys: isTouched
                case .allKeys: true
                }
            expect(
                isAllowed,
                "\(place): \(old.value) of \(name).\(field.text) gave way to "
                    + "\(record?[field] as Any), policy \(intent?.policy.rawValue ?? "none")")
        }
    }

    // MARK: The end

    /// All devices have the same, and it is what the log has.
    mutating func checkEnd(_ devices: [RecordDevice]) async throws {
        var entries: [String] = []
        for device in devices { entries.append(try await device.entry.text) }
        expect(Set(entries).count == 1, "the catalogues differ: \(entries)")
        for (index, view) in views.enumerated() {
            let files = try (1...view.generation + 10).map { try devices[index].kept(Int($0)) }
            let gone = kept[index].subtracting(files.joined())
            expect(gone.isEmpty, "\(index) has lost what it had kept: \(gone)")
            let waiting = view.items.filter(\.value.isPending).keys.sorted()
            expect(waiting.isEmpty, "\(index) has not sent \(waiting)")
            expect(
                view.way == views[0].way && view.isGone == views[0].isGone, "\(index) is elsewhere")
            for name in Set(view.items.keys).union(views[0].items.keys) {
                let (one, other) = (views[0].record(name)?.values, view.record(name)?.values)
                expect(one == other, "\(name) is \(one as Any) and, on \(index), \(other as Any)")
            }
        }
    }
}

extension FieldValue {
    /// The number; all values of the histories are some.
    fileprivate var number: Int64 { if case .integer(let number) = self { number } else { 0 } }
}
