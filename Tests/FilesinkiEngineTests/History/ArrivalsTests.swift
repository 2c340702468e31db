import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// When versions arrived in a replica.
@Suite struct ArrivalsTests {
    /// Rounds that received versions: their run began at a second, and they were recorded at another one.
    private func arrivals(
        _ rounds: [(versions: [UInt64], began: Int64, at: Int64)]
    ) -> Arrivals {
        var arrivals = Arrivals()
        for round in rounds {
            arrivals.add(
                round.versions, at: Timestamp(seconds: round.at, nanoseconds: 5),
                began: Timestamp(seconds: round.began, nanoseconds: 0))
        }
        return arrivals
    }

    @Test("a version has the time of the one run that received its commit")
    func times() {
        let found = arrivals([
            ([4, 2], 10, 11), ([], 12, 13), ([5], 20, 21), ([9, 7], 30, 31), ([8], 40, 41),
        ])
        let expected: [(UInt64, Int64?)] = [
            // 3 changed nothing here that is known.
            (1, nil), (2, 11), (3, 11), (4, 11), (5, 21), (6, nil), (7, 31),
            // Two runs received parts of it.
            (8, nil), (9, 31), (10, nil),
        ]
        for (version, seconds) in expected {
            #expect(found.range(of: version)?.seconds == seconds, "\(version)")
        }
    }

    @Test(
        "rounds of one run are one range, those of two are not",
        arguments: [
            (10, 10, [1, 9, 20]), (10, 19, [1, 9, 20]), (10, 20, [1, 9, 30]),
            (10, 21, [4, 7, 20, 1, 9, 30]),
        ] as [(Int64, Int64, [Int64])])
    func rounds(_ first: Int64, _ second: Int64, _ expected: [Int64]) {
        let end: Int64 = expected.last ?? 0
        let ranges = arrivals([([4, 7], first, 20), ([1, 9], second, end)]).ranges
        #expect(
            ranges.flatMap { [Int64($0.first), Int64($0.last), $0.seconds] } == expected)
    }

    @Test(
        "the note is read as it was written, without lines that are damaged, and keeps the newest")
    func note() {
        let many = arrivals((0..<700).map { ([UInt64($0)], Int64($0) * 2, Int64($0) * 2 + 1) })
        #expect(many.ranges.count == 500)
        #expect(many.range(of: 199) == nil && many.range(of: 200)?.seconds == 401)
        #expect(Arrivals(many.bytes) == many)
        let text = "1 2 3\nx 2 3\n2 1 3\n4 5\n4 5 6 7\n\n6 6 -7\n"
        let read = Arrivals(Array(text.utf8))
        #expect(String(decoding: read.bytes, as: UTF8.self) == "1 2 3\n6 6 -7\n")
    }

    @Test("what this device made, what was overtaken and what waits has no time")
    func versions() {
        let (own, other) = (Device(id: [1], name: "own"), Device(id: [2], name: "other"))
        let found = arrivals([([3, 6], 10, 11), ([8], 20, 21), ([9, 11], 30, 31)])
        /// The version, its device, and whether it lost a conflict.
        func seconds(_ all: [(UInt64, Device, Bool)], upTo known: UInt64) -> [Int64?] {
            var versions = all.map { version, device, isSuperseded in
                PathVersion(
                    version: version, time: Timestamp(nanoseconds: 0), device: device,
                    change: Change(
                        path: RelativePath(unchecked: [97]), entry: .tombstone, basedOn: 0),
                    isSuperseded: isSuperseded)
            }
            found.describe(&versions, upTo: known, besides: own)
            return versions.map { $0.received?.seconds }
        }
        #expect(seconds([(8, other, false), (5, other, false)], upTo: 8) == [21, 11])
        #expect(seconds([(8, own, false), (5, other, false)], upTo: 8) == [nil, 11])
        #expect(seconds([(6, other, false), (5, other, false)], upTo: 6) == [11, nil])
        #expect(seconds([(6, other, true), (5, other, false)], upTo: 6) == [nil, 11])
        #expect(seconds([(10, other, false), (8, other, false)], upTo: 8) == [nil, 21])
        #expect(seconds([(7, other, false), (1, other, false)], upTo: 9) == [nil, nil])
    }
}
