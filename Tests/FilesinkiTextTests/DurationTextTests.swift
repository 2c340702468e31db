import FilesinkiText
import Testing

@Suite("Lengths of time")
struct DurationTextTests {
    @Test(
        "accepted forms",
        arguments: [
            ("90", 90), ("30s", 30), ("15m", 900), ("2h", 7200), ("7d", 604_800), ("0", 0),
            ("1w", 604_800), ("-1", nil), ("h", nil), ("", nil), ("1y", nil), ("1.5h", nil),
            ("9223372036854775807d", nil),
        ] as [(String, Int64?)])
    func length(_ text: String, _ seconds: Int64?) {
        #expect(DurationText.seconds(of: text) == seconds)
    }

    @Test("a number without a unit can be refused")
    func unit() {
        #expect(DurationText.seconds(of: "30", needsUnit: true) == nil)
        #expect(DurationText.seconds(of: "30d", needsUnit: true) == 2_592_000)
    }
}
