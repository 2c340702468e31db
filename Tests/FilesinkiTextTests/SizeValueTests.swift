import FilesinkiText
import Testing

@Suite struct SizeValueTests {
    @Test(
        "numbers of bytes as people write them",
        arguments: [
            ("0", 0), ("500", 500), ("500B", 500), ("1K", 1000), ("1KB", 1000), ("1 kb", 1000),
            ("1Ki", 1024), ("1 KiB", 1024), ("4ki", 4096), ("1.5G", 1_500_000_000),
            ("1.5Gi", 1_610_612_736), ("20 GB", 20_000_000_000), ("2M", 2_000_000),
            ("2Mi", 2_097_152), ("3T", 3_000_000_000_000), ("1Ti", 1_099_511_627_776),
            ("1P", 1_000_000_000_000_000), ("9Pi", 10_133_099_161_583_616), (".5K", 500),
            ("0.0004K", 0), ("0.0006K", 1),
        ] as [(String, Int64)])
    func read(_ text: String, _ bytes: Int64) {
        #expect(SizeValue.bytes(of: text) == bytes)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "K", "-1", "+1", "1E", "1KK", "1Kx", "x1", "1.2.3", "1 2", "1,5K", "٣", "iB",
            "10000P", "99999999999999999999", "1e3", "0x10", "1 Ki B", "nan", "inf",
        ])
    func refused(_ text: String) {
        #expect(SizeValue.bytes(of: text) == nil)
    }
}
