import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting

/// Some roots whose users edit the same files, and which sync into each other's runs: before a commit
/// is published, another root may publish first, a user may save, the remote may go away, or the run
/// may be killed.
///
/// One seed makes one history: everything happens one after the other, at the requests of the runs.
actor RaceField {
    private let folder: TemporaryFolder
    private let store: MemoryRemote
    private let machines: [Machine]
    private let isWide: Bool
    private var random: SeededRandom
    private var busy: Set<Int> = []
    /// Replicas that have not synced their whole tree since a run was cut off. Files that this run had
    /// received may not be recorded, and runs for single paths do not look there.
    private var cutOff: Set<Int> = []
    private var serial = 0
    private var story: [String] = []
    /// The reported copies, by name. Two roots that resolve the same conflict at
    /// once make the same copy, and each reports it.
    private(set) var reported: Set<String> = []
    private var told: Set<String> = []
    private(set) var runs = 0
    private(set) var lostRaces = 0
    private(set) var kills = 0
    /// What was found wrong, in words.
    private(set) var wrong: [String] = []

    /// How deep runs of others may lie within each other.
    private static let depth = 2

    /// - Parameter isWide: Whether they also load, save at other paths, and save upon a version.
    init(seed: UInt64, isWide: Bool = false) async throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder(inMemory: true)
        let clock = ManualClock()
        let store = MemoryRemote(sleep: clock.systemContext.sleep)
        var machines: [Machine] = []
        for name in ["a", "b", "c", "d"].prefix(Int.random(in: 2...4, using: &random)) {
            let machine = Machine(
                root: folder.path(name), remote: store, systemContext: clock.systemContext,
                clock: clock)
            _ = try await Replica.initialize(machine.options, address: "memory", deviceName: name)
            if machines.isEmpty {
                try machine.write([
                    "keep": .file("keep"), "f": .file("base"), "g.txt": .file("base"),
                ])
            }
            try await machine.sync()
            machines.append(machine)
        }
        self.folder = folder
        self.store = store
        self.machines = machines
        self.random = random
        self.isWide = isWide
    }

    /// Everybody edits, and everybody syncs; then all come to rest, and the sums are compared.
    func race() async throws {
        for number in machines.indices { try edit(number) }
        for number in machines.indices.shuffled(using: &random) { await run(number, depth: 0) }
        try await settle()
        try compare()
    }

    // MARK: Users

    private func edit(_ number: Int) throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            serial += 1
            let machine = machines[number]
            switch Int.random(in: 0..<10, using: &random) {
            case ..<6:
                let name = ["f", "g.txt", "h"][Int.random(in: 0..<3, using: &random)]
                try machine.write([Self.name(name): .file("\(serial) of \(number)")])
            case 6: machine.remove(["f", "g.txt", "h"][Int.random(in: 0..<3, using: &random)])
            case 7: try machine.write(["d": .file("\(serial) of \(number)")])
            default:
                let inside = Self.name("x\(number)")
                if machine.text("d") != nil { machine.remove("d") }
                try machine.write(["d": .directory([inside: .file("\(serial)")])])
            }
        }
        story.append("\(number) edits up to \(serial)")
    }

    private static func name(_ text: String) -> TreeFixture.Name {
        TreeFixture.Name(Array(text.utf8))
    }

    // MARK: Runs

    private func run(_ number: Int, depth: Int) async {
        guard busy.insert(number).inserted else { return }
        defer { busy.remove(number) }
        runs += 1
        var machine = machines[number]
        let racing = RacingRemote(store) { try await self.publishing(number, depth) }
        machine.options.connect = { _ in racing }
        do {
            let (report, path) = try await perform(machine, number)
            if path == nil { cutOff.remove(number) }
            story.append("\(number) ran, copies \(report.copies), away \(report.away != nil)")
            note(report, of: number)
            try await check(machine, number, report, of: path)
        } catch let failure as Failure where Self.expected.contains(failure.code) {
            story.append("\(number) ended: \(failure)")
            cutOff.insert(number)
            await checkCopies(machine, number, isReported: false)
        } catch {
            fail("\(number) failed: \(error)")
        }
    }

    /// How a run may end, when it is killed or what it was asked for is not there.
    private static let expected: Set<Failure.Code> = [
        .interrupted, .exists, .notFound, .badPath, .differs, .away,
    ]

    private func fail(_ text: String) {
        wrong.append(text)
        story.append("WRONG: " + text)
    }

    private func note(_ report: SyncReport, of number: Int) {
        for copy in report.copies.map(\.description) {
            reported.insert(copy)
            if !told.insert("\(number) \(copy)").inserted {
                fail("\(number) reports \(copy) twice")
            }
        }
    }

    /// - Returns: The report, and the path that the run looked after; nil for all.
    private func perform(_ machine: Machine, _ number: Int) async throws -> (SyncReport, String?) {
        guard random.chance(isWide ? 0.5 : 0.2) else { return (try await machine.sync(), nil) }
        serial += 1
        let text = "\(serial) of \(number)"
        let path = isWide ? ["f", "g.txt", "h"][Int.random(in: 0..<3, using: &random)] : "f"
        switch isWide ? Int.random(in: 0..<4, using: &random) : 3 {
        case 0:
            story.append("\(number) loads \(path)")
            return (try await machine.load(path), path)
        case 1:
            let known = try await machine.version(of: path)
            let version = known + (random.chance(0.2) ? 1 : 0)
            story.append("\(number) saves \(path) upon \(version)")
            return (try await machine.save(text, at: path, ifVersion: version).sync, path)
        default:
            story.append("\(number) saves \(path)")
            return (try await machine.save(text, at: path).sync, path)
        }
    }

    /// What is noted as waiting is said, and nothing waits after a run that says it is done. A run for
    /// one path leaves what waited at other paths before it.
    private func check(
        _ machine: Machine, _ number: Int, _ report: SyncReport, of path: String? = nil
    ) async throws {
        await checkCopies(machine, number, isReported: !cutOff.contains(number))
        let prefix = path.map { $0.prefix(1) + " (conflict " } ?? ""
        let pending = try await machine.with { try await $0.status().pending }.filter {
            path == nil || $0.description == path || $0.description.hasPrefix(prefix)
        }
        if report.away == nil, report.stopped == nil, report.problems.isEmpty, !pending.isEmpty {
            fail("\(number) is done, and \(pending) waits")
        }
        if report.away != nil, report.isQueued != !pending.isEmpty {
            fail("\(number) says queued: \(report.isQueued), and \(pending) waits")
        }
        for problem in report.problems { fail("\(number): \(problem.failure)") }
    }

    /// A conflict copy that no report contains was received from others. Where a run was killed,
    /// it may also wait, and the status says so; what it had brought from others may not be recorded.
    private func checkCopies(_ machine: Machine, _ number: Int, isReported: Bool) async {
        do {
            let untold = try machine.names.filter {
                $0.contains(" (conflict ") && !reported.contains($0)
            }
            guard !untold.isEmpty else { return }
            let replica = try await Replica.open(machine.options, writable: false)
            var said = Set(try await replica.list([]).map(\.0.description))
            let pending = try await replica.status().pending
            await replica.close()
            if !isReported {
                said.formUnion(pending.map(\.description))
                for other in machines.indices where other != number {
                    said.formUnion(try machines[other].names)
                }
            }
            for copy in untold where !said.contains(copy) {
                fail("\(number) has \(copy), and nothing says so")
            }
        } catch {
            fail("\(number) cannot be looked at: \(error)")
        }
    }

    /// What happens before a commit of a run is published.
    private func publishing(_ number: Int, _ depth: Int) async throws -> RacingRemote.Event {
        guard depth < Self.depth else { return .none }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40:
            let other = Int.random(in: 0..<machines.count, using: &random)
            guard other != number, !busy.contains(other) else { return .none }
            lostRaces += 1
            if random.chance(0.7) { try edit(other) }
            await run(other, depth: depth + 1)
            return .none
        case 40..<50:
            try edit(number)
            return .none
        case 50..<54: return .awayBefore
        case 54..<58: return .awayAfter
        case 58..<62:
            kills += 1
            return .killedBefore
        case 62..<66:
            kills += 1
            return .killedAfter
        default: return .none
        }
    }

    // MARK: The end

    /// Every replica runs undisturbed until none has anything to do.
    private func settle() async throws {
        for _ in 0..<(2 * machines.count + 3) {
            var published = 0
            for (number, machine) in machines.enumerated() {
                let report = try await machine.sync()
                runs += 1
                published += report.publishedCommits
                note(report, of: number)
                story.append("\(number) settles, copies \(report.copies)")
                try await check(machine, number, report)
            }
            if published == 0 { return }
        }
        fail("they never come to rest")
    }

    private func compare() throws {
        let trees = try machines.map { try $0.tree(times: true) }
        for (number, tree) in trees.enumerated() where tree != trees[0] {
            fail("\(number) has another tree than 0")
        }
        let kept = try machines[0].names.filter { $0.contains(" (conflict ") }
        if kept != reported.sorted() {
            let untold = kept.filter { !reported.contains($0) }
            let gone = reported.filter { !kept.contains($0) }
            fail(
                "\(kept.count) copies, \(reported.count) reported; untold \(untold), gone \(gone)")
        }
        var contents: [String: String] = [:]
        for name in kept {
            guard let text = machines[0].text(name) else { continue }
            if let other = contents.updateValue(name, forKey: text) {
                fail("'\(text)' is kept as \(other) and as \(name)")
            }
        }
        if !wrong.isEmpty { wrong.append("Story:\n" + story.joined(separator: "\n")) }
        story = []
    }
}

extension Machine {
    /// What `load` does, without the content.
    fileprivate func load(_ path: String) async throws -> SyncReport {
        let report = try await with { replica in
            try await replica.load(try RelativePath(path), isOffline: false, SyncOptions()) { _ in }
        }
        return report.sync ?? SyncReport()
    }

    /// The version of a path that this replica has seen; 0 for none.
    fileprivate func version(of path: String) async throws -> UInt64 {
        try await with { try await $0.list([try RelativePath(path)]).first?.1.version ?? 0 }
    }
}

/// A remote to which something may happen whenever a commit is published.
final class RacingRemote: RemoteWrapper {
    enum Event { case none, awayBefore, awayAfter, killedBefore, killedAfter }

    let wrapped: any Remote
    private let event: @Sendable () async throws -> Event

    init(_ remote: any Remote, event: @escaping @Sendable () async throws -> Event) {
        wrapped = remote
        self.event = event
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let killed = Failure(.interrupted, "The run was killed.", remedy: "This is a test.")
        let away = Failure(.away, "The remote is away.", remedy: "This is a test.")
        switch try await event() {
        case .none: return try await wrapped.publish(bytes, to: slot)
        case .awayBefore: throw away
        case .killedBefore: throw killed
        case .awayAfter:
            _ = try await wrapped.publish(bytes, to: slot)
            throw away
        case .killedAfter:
            _ = try await wrapped.publish(bytes, to: slot)
            throw killed
        }
    }
}
