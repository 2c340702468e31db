import FilesinkiModel

/// The promises, one step each, as ``SlotProbe`` tries them at one place of a remote.
struct ProbeTrial: Sendable {
    struct Step: Sendable {
        var name: String
        var promise: String
        /// What goes wrong where it does not hold.
        var consequence: String
        /// Returns what was tried, as a sentence; throws ``SlotProbe/Broken`` when it did not hold.
        var body: @Sendable (ProbeTrial) async throws -> String

        func check(holds: Bool, _ detail: String) -> ProbeReport.Check {
            .init(
                name: name, promise: promise, holds: holds, detail: detail,
                consequence: consequence)
        }
    }

    let remotes: [any Remote]
    /// The folder of the trial, without a slash at its end.
    let place: String
    let writers: Int
    let rounds: Int

    func remote(_ number: Int) -> any Remote { remotes[number % remotes.count] }

    func slot(_ round: Int) throws(Failure) -> ObjectKey {
        try ObjectKey("\(place)/log/\(round)/c")
    }

    private func object(_ number: Int) throws(Failure) -> ObjectKey {
        try ObjectKey("\(place)/packs/\(number)")
    }

    /// Bytes that differ from number to number, and from place to place.
    private func content(_ number: Int, size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 / 256 + $0 &* 7 + number &* 31 + 1) }
    }

    func putAndGet() async throws -> String {
        let sizes = [0, 1, 4096, 70_000]
        for (number, size) in sizes.enumerated() {
            let bytes = content(number, size: size)
            for writer in 0..<2 { try await remote(writer).put(bytes, to: object(number)) }
            guard try await remote(2).get(object(number), range: nil) == bytes else {
                throw SlotProbe.Broken(detail: "An object of \(size) bytes came back as another.")
            }
        }
        return "Objects of \(sizes.count) sizes were put twice and read through another connection."
    }

    /// Cuts uploads at several places; where there is no connection to cut there is nothing to try.
    func cutUploads() async throws -> String {
        guard let cuttable = remote(0).unwrapped(as: (any CuttableRemote).self) else {
            return "No connection could be cut."
        }
        let bytes = content(7, size: 300_000)
        for (number, count) in [1, 4096, 299_999].enumerated() {
            let key = try ObjectKey("\(place)/packs/cut\(number)")
            await cuttable.putCut(bytes, to: key, after: count)
            guard try await remote(1).get(key, range: nil) == nil else {
                throw SlotProbe.Broken(detail: "An upload that was cut is there to be read.")
            }
            try await remote(2).put(bytes, to: key)
            await cuttable.putCut(bytes, to: key, after: count)
            guard try await remote(1).get(key, range: nil) == bytes else {
                throw SlotProbe.Broken(detail: "An upload that was cut spoilt what was there.")
            }
        }
        return "Uploads were cut at 3 places, and nothing of them was seen."
    }

    func readRanges() async throws -> String {
        let bytes = content(9, size: 10_000)
        try await remote(0).put(bytes, to: object(9))
        for range: Range<Int> in [0..<1, 17..<4999, 9_990..<10_000, 9_990..<20_000] {
            let wanted = Array(bytes[range.clamped(to: bytes.indices)])
            let asked = Int64(range.lowerBound)..<Int64(range.upperBound)
            guard try await remote(1).get(object(9), range: asked) == wanted else {
                throw SlotProbe.Broken(detail: "Bytes \(range) of an object came back as others.")
            }
        }
        return "Parts at the beginning, in the middle and over the end were read."
    }

    func readMissing() async throws -> String {
        for name in ["nothing", "packs/nothing", "log/1000000/c"] {
            let key = try ObjectKey("\(place)/\(name)")
            guard try await remote(0).get(key, range: nil) == nil else {
                throw SlotProbe.Broken(detail: "A key that was never written was read.")
            }
        }
        return "Keys that were never written were read as missing."
    }

    func listAll() async throws -> String {
        var wanted = try (0..<rounds).map(slot)
        wanted += try [0, 1, 2, 3, 9].map(object)
        wanted.sort()
        for limit in [wanted.count + 1, 3] {
            let found = try await keys(limit: limit)
            guard found == wanted else {
                throw SlotProbe.Broken(
                    detail:
                        "A list by pages of \(limit) showed \(found.count) of \(wanted.count) objects."
                )
            }
        }
        return "\(wanted.count) objects were listed at once and in small pages."
    }

    private func keys(limit: Int) async throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        while true {
            let page = try await remote(0).list(
                prefix: place + "/", after: found.last, limit: limit)
            guard let last = page.last?.key else { return found }
            // A remote that ignores where to go on would be asked for ever.
            if let before = found.last, last <= before { return found }
            found += page.map(\.key)
        }
    }

    /// Removes everything below the place.
    func cleanUp() async throws {
        let found = try await keys(limit: 100)
        for key in found { try await remote(0).delete(key) }
        for key in found.prefix(2) { try await remote(1).delete(key) }
        guard try await keys(limit: 100).isEmpty else {
            throw SlotProbe.Broken(detail: "Deleted objects were still listed.")
        }
    }
}
