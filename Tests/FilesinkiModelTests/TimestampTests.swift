import FilesinkiModel
import Testing

@Suite struct TimestampTests {
    private static let billion: Int64 = 1_000_000_000

    @Test(
        "a time is whole seconds, rounded down, and what is beyond them",
        arguments: [
            (0, 0, 0), (1, 0, 1), (999_999_999, 0, 999_999_999), (billion, 1, 0),
            (billion + 1, 1, 1), (-1, -1, 999_999_999), (-billion, -1, 0),
            (-billion - 1, -2, 999_999_999), (-billion + 1, -1, 1),
        ] as [(Int64, Int64, Int64)])
    func parts(_ nanoseconds: Int64, _ seconds: Int64, _ remainder: Int64) {
        let time = Timestamp(nanoseconds: nanoseconds)
        #expect(time.seconds == seconds)
        #expect(time.remainder == remainder)
        #expect(Timestamp(seconds: seconds, nanoseconds: remainder) == time)
    }

    @Test(
        "a time beyond 64 bits of nanoseconds is the first or the last one",
        arguments: [
            (Int64.max, 0, Int64.max), (Int64.min, 0, Int64.min),
            (9_223_372_036, 854_775_807, Int64.max), (9_223_372_036, 854_775_806, Int64.max - 1),
            (9_223_372_036, 854_775_808, Int64.max), (9_223_372_037, 0, Int64.max),
            (-9_223_372_036, 0, -9_223_372_036_000_000_000), (-9_223_372_038, 0, Int64.min),
        ] as [(Int64, Int64, Int64)])
    func clamped(_ seconds: Int64, _ nanoseconds: Int64, _ expected: Int64) {
        #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds).nanoseconds == expected)
    }

    @Test func `times are ordered`() {
        let times = [Int64.min, -1, 0, 1, Int64.max].map { Timestamp(nanoseconds: $0) }
        #expect(times.shuffled().sorted() == times)
        #expect(!(times[1] < times[1]))
    }
}

@Suite struct DeviceTests {
    private func device(_ first: UInt8, _ name: String) -> Device {
        Device(id: [first, 0xBC] + [UInt8](repeating: 0, count: 14), name: name)
    }

    @Test func `a distinct name has four digits of the id, once`() {
        #expect(device(0xA6, "laptop").distinctName == "laptop-a6bc")
        #expect(device(0xA6, "laptop-a6bc").distinctName == "laptop-a6bc")
        #expect(device(0xA6, "laptop-a6bd").distinctName == "laptop-a6bd-a6bc")
        #expect(Device(id: [], name: "x").distinctName == "x-")
    }

    @Test func `only a name that several devices have is made distinct`() {
        let (one, two, other) = (device(1, "pc"), device(2, "pc"), device(3, "phone"))
        let names = Device.names(of: [one, two, other])
        #expect(names == [one.id: "pc-01bc", two.id: "pc-02bc", other.id: "phone"])
        // The same device twice is one.
        #expect(Device.names(of: [other, other]) == [other.id: "phone"])
        #expect(Device.names(of: []) == [:])
        // Of a device that was renamed, the first name counts.
        #expect(Device.names(of: [device(1, "old"), device(1, "new")]) == [one.id: "old"])
    }
}

@Suite struct PrintableTests {
    @Test(
        "text stays as it is, and whatever could move a cursor or hide is escaped",
        arguments: [
            ("plain é 🙂 /-_", "plain é 🙂 /-_"), ("", ""), ("a\\b", "a\\x5cb"),
            ("a\nb\tc", "a\\x0ab\\x09c"), ("\u{1B}[31m", "\\x1b[31m"), ("\u{7F}", "\\x7f"),
            ("\u{85}", "\\xc2\\x85"), ("\u{202E}gpj", "\\xe2\\x80\\xaegpj"),
            ("\u{200B}", "\\xe2\\x80\\x8b"), ("\u{2028}", "\\xe2\\x80\\xa8"),
            ("\u{2029}", "\\xe2\\x80\\xa9"), ("\u{FEFF}", "\\xef\\xbb\\xbf"), ("\0", "\\x00"),
            ("e\u{301}", "e\u{301}"), ("\u{A0}", "\u{A0}"),
        ])
    func text(_ text: String, _ shown: String) {
        #expect(Array(printable(Array(text.utf8)).utf8) == Array(shown.utf8))
    }

    @Test(
        "bytes that are no UTF-8 are escaped one by one, those around them are not",
        arguments: [
            ([0xFF], "\\xff"), ([0x61, 0x80, 0x62], "a\\x80b"), ([0xC3], "\\xc3"),
            ([0xC3, 0x28], "\\xc3("), ([0xC0, 0xAF], "\\xc0\\xaf"), ([0xC1, 0x81], "\\xc1\\x81"),
            ([0xE2, 0x82], "\\xe2\\x82"), ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
            ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"), ([0xF5, 0x61], "\\xf5a"),
            ([0xE2, 0x82, 0xAC], "€"), ([0xF0, 0x9F, 0x99, 0x82, 0xF0], "🙂\\xf0"),
            ([0xC2, 0xA9], "©"), ([0xDF, 0xBF], "\u{7FF}"), ([0xEF, 0xBF, 0xBD], "\u{FFFD}"),
        ] as [([UInt8], String)])
    func bytes(_ bytes: [UInt8], _ shown: String) {
        #expect(printable(bytes) == shown)
    }

    @Test func `different bytes are shown differently`() {
        let pairs = (0...255).flatMap { first in
            [0x41, 0x5C, 0x80, 0xC3, 0xA9, 0x78].map { [UInt8(first), UInt8($0)] }
        }
        #expect(Set(pairs.map { Array(printable($0).utf8) }).count == Set(pairs).count)
    }
}

@Suite struct FailureTests {
    @Test(
        "a failure is its place, its message and its remedy, on one line",
        arguments: [
            ("a/b", "It broke.", "Mend it.", "a/b: It broke. Mend it."),
            ("", "It broke.", "Mend it.", "It broke. Mend it."),
            ("a", "It broke.", "", "a: It broke."), ("", "It broke.", "", "It broke."),
            ("a\nb", "It broke.", "", "a\\x0ab: It broke."),
        ])
    func line(_ path: String, _ message: String, _ remedy: String, _ line: String) {
        #expect(Failure(.io, path: path, message, remedy: remedy).description == line)
    }

    @Test func `codes are the words that programs go by`() {
        let codes: [Failure.Code] = [
            .notFound, .usage, .badPath, .io, .full, .limit, .notAllowed, .wrongStore, .unfitStore,
            .newerFormat, .corrupt, .tokenExpired, .away, .busy, .changing, .exists, .differs,
            .declined, .mountPoint, .nestedReplica, .interrupted,
        ]
        #expect(
            codes.map(\.description) == [
                "not-found", "usage", "bad-path", "io", "full", "limit", "not-allowed",
                "wrong-store", "unfit-store", "newer-format", "corrupt", "token-expired", "away",
                "busy", "changing", "exists", "differs", "declined", "mount-point",
                "nested-replica", "interrupted",
            ])
        #expect(Failure.Code("busy") == .busy)
    }
}
