import FilesinkiModel
import Testing

@testable import FilesinkiEngine

/// The last commit of each device.
@Suite struct LastDeviceCommitsTests {
    private func note(_ lines: [(UInt8, UInt64)]) -> LastDeviceCommits {
        let text = lines.map { device, sequence in
            hexadecimal([UInt8](repeating: device, count: 16)) + " \(sequence) \(sequence * 10)\n"
        }
        return LastDeviceCommits(Array(text.joined().utf8))
    }

    private func sequence(_ device: UInt8, in found: LastDeviceCommits) -> UInt64? {
        found.items[[UInt8](repeating: device, count: 16)]?.sequence
    }

    @Test func `a later commit of a device replaces an earlier one, not the other way round`() {
        let found = note([(1, 7), (2, 5), (1, 9), (2, 4), (3, 1)])
        #expect([1, 2, 3, 4].map { sequence($0, in: found) } == [9, 5, 1, nil])
        var merged = note([(1, 8), (2, 6)])
        merged.merge(found)
        #expect([1, 2, 3].map { sequence($0, in: merged) } == [9, 6, 1])
    }

    @Test func `the text makes the round trip, without malformed lines`() {
        let found = note([(1, 7), (2, 5)])
        #expect(LastDeviceCommits(found.bytes) == found)
        #expect(LastDeviceCommits(found.bytes + Array("zz 1 1\n00 x 1\n00 1\n".utf8)) == found)
    }
}
