import FilesinkiTesting

@testable import FilesinkiRecords

/// The records that the predicates of the tests are asked about.
enum QueryWorld {
    /// 2026-01-01T00:00:00Z.
    static let now: Int64 = 1_767_225_600_000

    static let records: [Record] = [
        make(
            "ada", 1,
            [
                "title": .string("Alpha"), "count": .integer(3), "score": .double(1.5),
                "tags": texts("red", "Blue"), "place": location(52.52, 13.405),
                "when": .date(milliseconds: now - 1_000), "parent": reference("root"),
                "note": .string("Crème brûlée, quickly made"), "raw": .data([1, 2]),
            ]),
        make(
            "bob", 2,
            [
                "title": .string("beta"), "count": .integer(5), "score": .double(-0.0),
                "tags": texts("green"), "place": location(48.8566, 2.3522),
                "when": .date(milliseconds: now), "parent": reference("ada"),
                "note": .string("a blue sky"),
                "sizes": list([.integer(1), .integer(8)], of: .integer),
            ]),
        make(
            "Cyd", 3,
            [
                "title": .string("ALPHABET"), "count": .integer(-2), "score": .double(3),
                "tags": texts(), "place": location(52.4, 13.1),
                "when": .date(milliseconds: now + 1_000), "note": .string("Sky\nBob's blue-ish"),
                "sizes": list([.integer(3)], of: .integer),
            ]),
        make(
            "dee", 4,
            [
                "title": .string("é"), "count": .integer(9_007_199_254_740_993),
                "score": .double(.infinity), "no": .integer(1), "tags": texts("RED", "10%"),
            ]),
        make("eve", 5, ["title": .string("e\u{301}*?"), "count": .double(3.5)]),
        make("fay", 6, [:]),
    ]

    /// A record of a device, made so many days before `now`, and changed a day later.
    private static func make(
        _ recordName: String, _ device: UInt8, _ fields: [String: FieldValue]
    ) -> Record {
        var made = record(recordName, "Note", fields)
        let day: Int64 = 86_400_000_000_000
        made.created = stamp(now * 1_000_000 - Int64(device) * day, device)
        made.modified = stamp(now * 1_000_000 - Int64(device - 1) * day, 9)
        return made
    }

    /// The names of the records that match, separated by spaces.
    static func names(_ predicate: Predicate) -> String {
        records.filter { predicate.matches($0, now: now) }.map(\.name.text).joined(separator: " ")
    }
}
