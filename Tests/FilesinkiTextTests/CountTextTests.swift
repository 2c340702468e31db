import FilesinkiText
import Testing

@Suite struct CountTextTests {
    @Test(
        "there are commas between thousands, and one thing is singular",
        arguments: [
            (0, "0 files"), (1, "1 file"), (2, "2 files"), (999, "999 files"),
            (1000, "1,000 files"), (12_345, "12,345 files"), (123_456, "123,456 files"),
            (1_000_000, "1,000,000 files"), (-1, "-1 files"), (-999, "-999 files"),
            (-1000, "-1,000 files"), (.max, "9,223,372,036,854,775,807 files"),
            (.min, "-9,223,372,036,854,775,808 files"),
        ] as [(Int, String)])
    func counts(_ count: Int, _ text: String) {
        #expect(CountText.text(count, "file") == text)
    }
}
