import FilesinkiModel
import FilesinkiRules
import Testing

@Suite struct BandwidthLimitTests {
    @Test(
        "a limit is one rate, or one for each direction",
        arguments: [
            ("2M", 2_000_000, 2_000_000), ("16Ki", 16384, 16384), ("512K:10M", 512_000, 10_000_000),
            ("off:1M", nil, 1_000_000), ("1M:off", 1_000_000, nil), ("off", nil, nil),
            ("20000", 20_000, 20_000), ("1.5M", 1_500_000, 1_500_000),
        ] as [(String, Int64?, Int64?)])
    func parsed(text: String, sending: Int64?, receiving: Int64?) throws {
        let limit = try BandwidthLimit(parsing: text)
        #expect(limit.sending == sending)
        #expect(limit.receiving == receiving)
        #expect(try BandwidthLimit(parsing: limit.description) == limit)
    }

    @Test(
        "anything else, and what is too slow for a server, is refused",
        arguments: [
            "", "fast", "-1M", "0", "16383", "1M:", ":1M", "1M:2M:3M", "OFF", "1M/s", "1e400",
            "2 Q",
        ])
    func refused(text: String) {
        let failure = #expect(throws: Failure.self) { try BandwidthLimit(parsing: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.message == "Invalid bandwidth limit: '\(text)'.")
    }

    @Test func `only a file of a device has it, the replica's before the user's`() {
        let synced = RulesLoad(synced: Array("bwlimit = \"1M\"\n".utf8))
        #expect(synced.rules.bandwidth == BandwidthLimit())
        #expect(
            synced.problems.map(\.message)
                == ["Line 1: 'bwlimit' is a setting of one device, not of all."])
        let files = ["1M", "2M:off"].map { rate in
            RulesLoad.DeviceFile(path: "/c", bytes: Array("bwlimit = \"\(rate)\"\n".utf8))
        }
        let device = RulesLoad(synced: nil, device: files)
        #expect(device.problems.isEmpty)
        #expect(device.rules.bandwidth.description == "2000000:off")
    }
}
