import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Which packs `check --read-data=PART` reads.
@Suite("Parts of the packs of a store")
struct PackPartTests {
    @Test(
        "accepted forms of a part",
        arguments: [
            ("10%", .share(100_000)), ("100%", .share(1_000_000)), ("0.5%", .share(5000)),
            ("0.0001%", .share(1)), ("99.9999%", .share(999_999)), ("33.3%", .share(333_000)),
            ("1/1", .number(1, of: 1)), ("3/10", .number(3, of: 10)),
            ("1000000/1000000", .number(1_000_000, of: 1_000_000)),
            ("0%", nil), ("0.0%", nil), ("101%", nil), ("100.1%", nil), ("x%", nil), ("%", nil),
            ("-1%", nil), ("+1%", nil), ("1.%", nil), (".5%", nil), ("0.00001%", nil),
            ("1.2.3%", nil), ("10", nil), ("", nil), ("0/3", nil), ("4/3", nil), ("1/0", nil),
            ("1/1000001", nil), ("1/", nil), ("/1", nil), ("1/2/3", nil), ("1/2%", nil),
            ("99999999999999999999%", nil), ("1/99999999999999999999", nil),
        ] as [(String, PackPart?)])
    func text(_ text: String, _ part: PackPart?) {
        #expect(PackPart(text) == part)
    }

    @Test(
        "the numbered parts are all packs, each in one part",
        arguments: [1, 2, 3, 7, 10, 256, 1_000_000])
    func numbers(_ count: Int) {
        var random = SeededRandom(seed: 3)
        let ranges = [1, count / 2 + 1, count].map { PackIDRange(.number($0, of: count), start: 9) }
        let places = [0, UInt32.max] + ranges.map(\.start) + ranges.map { $0.end &- 1 }
        for place in places + (0..<200).map({ _ in UInt32(random.next() >> 32) }) {
            let pack = withUnsafeBytes(of: place.bigEndian) { Array($0) } + [1, 2, 3]
            // Only parts near the place are asked.
            let near = Int((UInt64(place) * UInt64(count)) >> 32) + 1
            let holding = (max(1, near - 2)...min(count, near + 2)).filter {
                PackIDRange(.number($0, of: count), start: 9).contains(pack)
            }
            #expect(holding.count == 1, "\(place)")
        }
        #expect(PackIDRange(.number(1, of: count), start: 9).start == 0)
        #expect(PackIDRange(.number(count, of: count), start: 9).end == 0)
    }

    @Test(
        "shares that follow one another are all packs",
        arguments: [(500_000, 2), (100_000, 10), (333_334, 3), (300_000, 4), (70_000, 15)])
    func shares(_ share: Int, _ runs: Int) {
        var start: UInt32 = 4_000_000_000
        var length: UInt64 = 0
        for _ in 0..<runs {
            let range = PackIDRange(.share(share), start: start)
            #expect(range.start == start)
            let first = withUnsafeBytes(of: start.bigEndian) { Array($0) }
            let behind = withUnsafeBytes(of: range.end.bigEndian) { Array($0) }
            #expect(range.contains(first) && !range.contains(behind))
            start = range.end
            length += range.length
        }
        #expect(length >= 1 << 32)
    }

    @Test func `the next share begins where the last one ended, the first at random`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let position = CheckedPosition(path: folder.path("checked"))
        let clock = ManualClock()
        #expect(position.read(clock.systemContext) != position.read(clock.systemContext))
        position.write(4_294_967_295)
        #expect(position.read(clock.systemContext) == 4_294_967_295)
        try StateFile.replace(position.path, with: Array("4294967296".utf8))
        #expect(position.read(clock.systemContext) != position.read(clock.systemContext))
    }
}
