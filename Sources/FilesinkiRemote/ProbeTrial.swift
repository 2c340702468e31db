import FilesinkiModel

/// A guarantee did not hold.
struct BrokenGuarantee: Error {
    /// What happened, as a sentence.
    var detail: String
}

/// The steps of a ``SlotProbe``, each of which tests one guarantee in one folder of a remote.
struct ProbeTrial: Sendable {
    struct Step: Sendable {
        var name: String
        /// The guarantee, as a sentence.
        var guarantee: String
        /// What goes wrong without it, as a sentence.
        var consequence: String
        /// Returns what was tested, as a sentence; throws ``BrokenGuarantee``.
        var body: @Sendable (ProbeTrial) async throws -> String

        func check(holds: Bool, _ detail: String) -> ProbeReport.Check {
            .init(
                name: name, guarantee: guarantee, holds: holds, detail: detail,
                consequence: consequence)
        }
    }

    /// In their order; those of one list are tested at the same time.
    static let steps: [[Step]] = [
        [race], [objects, ranges, absence], [listing],
        // After the listing, which lists all objects of the others.
        [interruption],
    ]

    static let race = Step(
        name: "one-winner",
        guarantee: "Of several writers to one slot, exactly one wins, and its bytes never change.",
        consequence: "Of two devices that sync at once, one would lose its changes."
    ) { try await $0.raceForSlots() }

    private static let objects = Step(
        name: "objects", guarantee: "Objects are read back as they were stored.",
        consequence: "Contents would arrive damaged and be rejected."
    ) { try await $0.putAndGet() }

    private static let ranges = Step(
        name: "ranges", guarantee: "A part of an object can be read.",
        consequence: "Single files could not be read from a pack."
    ) { try await $0.readRanges() }

    private static let absence = Step(
        name: "absence", guarantee: "A missing object is reported as missing.",
        consequence: "The end of the log would not be found."
    ) { try await $0.readMissing() }

    private static let listing = Step(
        name: "listing",
        guarantee: "A listing is complete, in order, and can be read in pages.",
        consequence: "Devices and packs would be overlooked."
    ) { try await $0.listAll() }

    private static let interruption = Step(
        name: "whole-or-nothing",
        guarantee: "An interrupted upload is not visible and damages nothing.",
        consequence: "A broken connection would leave a part of an object."
    ) { try await $0.cutUploads() }

    /// The last step, which also removes what the others wrote.
    static let deletion = Step(
        name: "deletion",
        guarantee: "Deleted objects are gone, and deleting a missing object succeeds.",
        consequence: "Objects that are no longer needed could not be removed."
    ) { trial in
        try await trial.removeObjects()
        return "All test objects were removed."
    }

    let remotes: [any Remote]
    /// The folder of the trial, without a slash at its end.
    let folder: String
    let rounds: Int
    /// What each writer publishes in each race: bytes of another value and of another number than the others'.
    private let published: [[UInt8]]
    /// Called when another part of the trial is done.
    var onProgress: @Sendable () -> Void = {}

    /// - Parameter writers: How many race for each slot; 1 where one device alone publishes.
    init(remotes: [any Remote], folder: String, writers: Int, rounds: Int) {
        self.remotes = remotes
        self.folder = folder
        self.rounds = rounds
        published = (0..<writers).map {
            [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: Self.shortestPublished + $0)
        }
    }

    private var writers: Int { published.count }

    /// How many parts the trial has: each slot, each further step, and the deletion.
    var parts: Int { rounds + Self.steps.joined().count }

    /// How many bytes the first writer publishes.
    private static let shortestPublished = 3000
    /// The sizes of the objects that are stored, by their numbers from 0.
    private static let sizes = [0, 1, 4096, 70_000]
    /// The size of object 9, of which parts are read.
    private static let rangedSize = 10_000
    /// The objects to which uploads are cut, by their numbers, with their sizes.
    private static let cutObjects = [(2, sizes[2]), (3, sizes[3]), (9, rangedSize)]
    /// The size of an upload that is cut: more than a server holds back before it writes to a file, and small enough that
    /// the whole trial fits into half a megabyte, since a remote that is nearly full is tested, too.
    private static let cutSize = 40_000

    /// How many requests besides those of the races are under way at once.
    private static let parallel = 8
    /// How many slots are raced for at once: over a slow link one race after another takes minutes. More would
    /// keep the writers of one slot waiting for connections, and so apart.
    private static let parallelRaces = 4
    /// How often each reader sees a slot that it watches.
    private static let sightings = 2

    private func remote(_ number: Int) -> any Remote { remotes[number % remotes.count] }

    private func slot(_ round: Int) throws(Failure) -> ObjectKey {
        try ObjectKey("\(folder)/log/\(round)/c")
    }

    private func object(_ number: Int) throws(Failure) -> ObjectKey {
        try ObjectKey("\(folder)/packs/\(number)")
    }

    /// Bytes that differ from number to number and from position to position.
    private func content(_ number: Int, size: Int) -> [UInt8] {
        let row = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7 + number &* 31 + 1) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + row.count)
        // Each row begins one byte later than the one before it.
        while bytes.count < size {
            let start = bytes.count / row.count % row.count
            bytes += row[start...] + row[..<start]
        }
        bytes.removeLast(bytes.count - size)
        return bytes
    }

    private func putAndGet() async throws -> String {
        _ = try await mapConcurrently(Array(Self.sizes.enumerated()), limit: Self.parallel) {
            number, size in
            let bytes = content(number, size: size)
            for writer in 0..<2 { try await remote(writer).put(bytes, to: object(number)) }
            guard try await remote(2).get(object(number), range: nil) == bytes else {
                throw BrokenGuarantee(detail: "An object of \(size) bytes came back different.")
            }
        }
        return
            "Stored objects of \(Self.sizes.count) sizes twice and read them over another connection."
    }

    /// Cuts uploads at several positions, if the remote has a connection to cut: of objects that are absent then and can
    /// be stored, and of objects that are there already and stay.
    private func cutUploads() async throws -> String {
        // Cutting it harms no other connection, and nothing uses it afterwards.
        guard let cuttable = remote(remotes.count - 1).unwrapped(as: (any CuttableRemote).self)
        else { return "There is no connection to cut." }
        let bytes = content(7, size: Self.cutSize)
        let counts = [1, 4096, Self.cutSize - 1]
        let new = try counts.map { try ObjectKey("\(folder)/packs/cut\($0)") }
        let present = try Self.cutObjects.map { number, size in
            (key: try object(number), bytes: content(number, size: size))
        }
        await cuttable.putCut(
            zip(new + present.map(\.key), counts + counts).map {
                CutUpload(bytes, to: $0, after: $1)
            })
        _ = try await mapConcurrently(new, limit: Self.parallel) { key in
            guard try await remote(1).get(key, range: nil) == nil else {
                throw BrokenGuarantee(detail: "An interrupted upload is visible.")
            }
            try await remote(2).put(bytes, to: key)
            guard try await remote(1).get(key, range: nil) == bytes else {
                throw BrokenGuarantee(detail: "An interrupted upload damaged a later one.")
            }
        }
        _ = try await mapConcurrently(present, limit: Self.parallel) { key, bytes in
            guard try await remote(1).get(key, range: nil) == bytes else {
                throw BrokenGuarantee(detail: "An interrupted upload damaged an object.")
            }
        }
        return "Cut uploads at \(counts.count) positions; no part of them was visible."
    }

    private func readRanges() async throws -> String {
        let bytes = content(9, size: Self.rangedSize)
        try await remote(0).put(bytes, to: object(9))
        let ranges = [0..<1, 17..<4999, 9_990..<10_000, 9_990..<20_000]
        _ = try await mapConcurrently(ranges, limit: Self.parallel) { range in
            let expected = Array(bytes[range.clamped(to: bytes.indices)])
            let requested = Int64(range.lowerBound)..<Int64(range.upperBound)
            guard try await remote(1).get(object(9), range: requested) == expected else {
                throw BrokenGuarantee(detail: "Bytes \(range) of an object came back different.")
            }
        }
        return "Read parts at the beginning, in the middle and past the end."
    }

    private func readMissing() async throws -> String {
        let names = ["nothing", "packs/nothing", "log/1000000/c"]
        _ = try await mapConcurrently(names, limit: Self.parallel) { name in
            let key = try ObjectKey("\(folder)/\(name)")
            guard try await remote(0).get(key, range: nil) == nil else {
                throw BrokenGuarantee(detail: "An object that was never written was read.")
            }
        }
        return "Objects that were never written are missing."
    }

    private func listAll() async throws -> String {
        var expected = try (0..<rounds).map(slot)
        expected += try [0, 1, 2, 3, 9].map(object)
        expected.sort()
        // What each page has to contain is known, so none waits for the one before it.
        let pages = [expected.count + 1, 3].flatMap { limit in
            stride(from: 0, through: expected.count, by: limit).map { (limit, $0) }
        }
        _ = try await mapConcurrently(pages, limit: Self.parallel) { [expected] limit, start in
            let page = try await remote(0).list(
                prefix: folder + "/", after: start == 0 ? nil : expected[start - 1], limit: limit)
            guard page.map(\.key) == Array(expected[start...].prefix(limit)) else {
                throw BrokenGuarantee(
                    detail:
                        "A listing in pages of \(limit) is not that of the \(expected.count) objects."
                )
            }
        }
        return "Listed \(expected.count) objects at once and in small pages."
    }

    private func keys(limit: Int) async throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        while true {
            let page = try await remote(0).list(
                prefix: folder + "/", after: found.last, limit: limit)
            guard let last = page.last?.key else { return found }
            // A remote that ignores `after` would return the same page forever.
            if let previous = found.last, last <= previous { return found }
            found += page.map(\.key)
        }
    }

    /// Removes everything below the folder.
    func removeObjects() async throws {
        let found = try await keys(limit: 100)
        _ = try await mapConcurrently(found, limit: Self.parallel) {
            try await remote(0).delete($0)
        }
        _ = try await mapConcurrently(Array(found.prefix(2)), limit: Self.parallel) {
            try await remote(1).delete($0)
        }
        guard try await keys(limit: 100).isEmpty else {
            throw BrokenGuarantee(detail: "Deleted objects were still listed.")
        }
        // A server may finish a cut upload after its deletion, under a name that is never listed.
        await remote(0).unwrapped(as: (any TestFolderRemote).self)?.removeTestFolder(folder)
    }
}

// The race for slots.
extension ProbeTrial {
    /// What one task of a race saw.
    private enum Observation: Sendable {
        case outcome(writer: Int, PublishOutcome)
        /// The slot's bytes, as a reader saw them while others wrote; nil if it saw it empty only.
        case seen([UInt8]?)
        /// The slot changed, or was seen in part; what happened, as a sentence.
        case broken(String)
    }

    /// Whether a slot's bytes are those of a writer.
    private func isPublished(_ bytes: [UInt8]) -> Bool {
        let writer = bytes.count - Self.shortestPublished
        return published.indices.contains(writer) && published[writer] == bytes
    }

    private func raceForSlots() async throws -> String {
        guard writers > 1 else { return try await fillSlots() }
        _ = try await mapConcurrently(Array(0..<rounds), limit: Self.parallelRaces) {
            try await raceForSlot(slot($0))
            onProgress()
        }
        return "\(writers) writers raced for each of \(rounds) slots."
    }

    /// Fills each slot, and tries to fill it again: a run that was killed may have been told of neither.
    private func fillSlots() async throws -> String {
        let own = published[0]
        // What another run would publish.
        let other = own + [1]
        for round in 0..<rounds {
            let slot = try slot(round)
            guard try await remote(0).publish(own, to: slot) == .mine,
                try await remote(1).get(slot, range: nil) == own
            else {
                throw BrokenGuarantee(
                    detail: "A slot does not contain the bytes of its only writer.")
            }
            guard try await remote(1).publish(other, to: slot) == .theirs(own) else {
                throw BrokenGuarantee(detail: "A full slot was filled again.")
            }
            onProgress()
        }
        return "Filled \(rounds) slots and tried to fill them again; one device publishes there."
    }

    private func raceForSlot(_ slot: ObjectKey) async throws {
        let observations = try await withThrowingTaskGroup(of: Observation.self) { group in
            for reader in remotes.indices {
                group.addTask { try await watchSlot(slot, over: remote(reader)) }
            }
            for writer in 0..<writers {
                group.addTask {
                    let outcome = try await remote(writer)
                        .publish(published[writer], to: slot)
                    return .outcome(writer: writer, outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Nobody writes any more: each connection has to show what each one has shown.
        let finals = try await mapConcurrently(remotes, limit: remotes.count) {
            try await $0.get(slot, range: nil)
        }
        var checked: [[UInt8]?] = []
        for final in finals where !checked.contains(final) {
            try checkRace(observations, final: final)
            checked.append(final)
        }
    }

    private func checkRace(
        _ observations: [Observation], final: [UInt8]?
    ) throws(BrokenGuarantee) {
        var winners: [Int] = []
        for observation in observations {
            switch observation {
            case .outcome(let writer, .mine): winners.append(writer)
            case .outcome(_, .theirs(let bytes)):
                guard bytes == final else {
                    throw .init(detail: "A writer that lost received other bytes than the slot's.")
                }
            case .seen(let bytes?) where bytes != final: throw .init(detail: Self.changed)
            case .seen: break
            case .broken(let detail): throw .init(detail: detail)
            }
        }
        guard winners.count == 1 else {
            throw .init(
                detail: "\(winners.count) of \(writers) writers won the same slot.")
        }
        guard winners.map({ published[$0] }) == [final] else {
            throw .init(detail: "A slot does not contain the bytes of the writer that won it.")
        }
    }

    private static let changed = "A slot changed after it had been read."

    /// Reads the slot repeatedly, from before it is filled until its bytes were seen several times.
    private func watchSlot(_ slot: ObjectKey, over remote: any Remote) async throws -> Observation {
        var first: [UInt8]?
        var seen = 0
        // Bounded in case no writer ever wins.
        for _ in 0..<1000 where seen < Self.sightings {
            try Task.checkCancellation()
            let now = try await remote.get(slot, range: nil)
            if let now, now != first, !isPublished(now) {
                return .broken("A slot was visible before it was complete.")
            }
            if let first, now != first { return .broken(Self.changed) }
            first = first ?? now
            seen += now == nil ? 0 : 1
            // A remote that never waits would keep the writers from their turn.
            if now == nil { await Task.yield() }
        }
        return .seen(first)
    }
}
