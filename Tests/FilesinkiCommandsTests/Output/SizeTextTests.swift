import Testing

@testable import FilesinkiCommands

@Suite("Sizes for people")
struct SizeTextTests {
    @Test(
        "a size is shown in the largest unit of which there is one, also after rounding",
        arguments: [
            (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"),
            (1050, "1.1 kB"), (9949, "9.9 kB"), (9950, "10 kB"), (99_499, "99 kB"),
            (999_499, "999 kB"), (999_500, "1.0 MB"), (999_999, "1.0 MB"), (1_000_000, "1.0 MB"),
            (999_499_999, "999 MB"), (999_500_000, "1.0 GB"), (1_500_000_000, "1.5 GB"),
            (999_999_999_999, "1.0 TB"), (Int64.max, "9.2 EB"), (-999, "-999 B"),
            (-1500, "-1.5 kB"), (-999_999, "-1.0 MB"), (Int64.min, "-9.2 EB"),
        ] as [(Int64, String)])
    func units(_ bytes: Int64, _ text: String) {
        #expect(SizeText.text(bytes) == text)
    }
}
