import FilesinkiModel
import Foundation
import Testing

@testable import FileSinkiRecords

/// Records and their values, without a zone.
@Suite("Values of records")
struct RecordValueTests {
    private static let place = RecordLocation(latitude: 52.5, longitude: 13.4)
    private static let parent = RecordReference("p", deletesSelf: true)
    private static let asset = RecordAsset(Data([1, 2]))
    private static let date = Date(timeIntervalSince1970: 5)

    private static let values: [(RecordValue, String)] = [
        (.string("a"), "string"), (.int(1), "int"), (.double(0.5), "double"),
        (.data(Data([1])), "data"), (.date(date), "date"), (.location(place), "location"),
        (.reference(parent), "reference"), (.asset(asset), "asset"), (.strings(["a"]), "list"),
        (.ints([1]), "list"), (.doubles([0.5]), "list"), (.datas([Data()]), "list"),
        (.dates([date]), "list"), (.locations([place]), "list"), (.references([parent]), "list"),
        (.assets([asset]), "list"),
    ]

    @Test("a value has one type, and is nil as any other", arguments: values)
    func types(_ value: RecordValue, _ type: String) {
        let found: [String: Bool] = [
            "string": value.string != nil, "int": value.int != nil, "double": value.double != nil,
            "data": value.data != nil, "date": value.date != nil,
            "location": value.location != nil, "reference": value.reference != nil,
            "asset": value.asset != nil, "list": value.elements != nil,
        ]
        #expect(found.filter(\.value).keys.sorted() == [type])
        if type == "list" { #expect(value.elements?.count == 1) }
    }

    @Test func `literals are texts, whole numbers and numbers`() {
        #expect("a" as RecordValue == .string("a"))
        #expect(3 as RecordValue == .int(3))
        #expect(3.0 as RecordValue == .double(3))
        #expect(3 as RecordValue != .double(3))
    }

    // MARK: Records

    @Test func `a record knows what was set and removed since it was fetched`() {
        var record = Record(type: "Note", name: "n", stored: ["a": 1, "b": "x", "c": 2])
        #expect(record.changedFields.isEmpty)
        record["a"] = 1
        record["none"] = nil
        #expect(record.changedFields.isEmpty)
        record["a"] = 2
        record["b"] = nil
        record["d"] = "new"
        #expect(record.changedFields == ["a", "b", "d"])
        #expect(record.fields == ["a": 2, "c": 2, "d": "new"])
        #expect(record.changes["b"] == .some(nil) && record.changes["a"] == .some(2))
        // Back to what it was is a change, too: another device may have changed it.
        record["a"] = 1
        #expect(record.changedFields.contains("a") && record.changes["a"] == .some(1))
    }

    @Test func `a new record has a name of its own, and was never saved`() {
        let (one, two) = (Record(type: "Note"), Record(type: "Note"))
        #expect(one.name != two.name && one.name.count == 36)
        #expect(one.fields.isEmpty && one.changeTag == nil && !one.isPending)
        #expect(one.creationDate == nil && one.lastModifiedDeviceID == nil)
    }

    // MARK: Assets

    @Test func `an asset knows its bytes once it is saved, and its size where it can`() {
        let file = RecordAsset(fileURL: URL(fileURLWithPath: "/nowhere"))
        let stored = RecordAsset(sha256: "ab", size: 9)
        #expect([Self.asset.sha256, file.sha256, stored.sha256] == [nil, nil, "ab"])
        #expect([Self.asset.size, file.size, stored.size] == [2, nil, 9])
    }

    @Test func `elsewhere than in a record only a saved asset is written`() throws {
        let stored = RecordAsset(sha256: "ab", size: 9)
        let bytes = try JSONEncoder().encode(stored)
        #expect(try JSONDecoder().decode(RecordAsset.self, from: bytes) == stored)
        for asset in [Self.asset, RecordAsset(fileURL: URL(fileURLWithPath: "/nowhere"))] {
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(asset) }
            guard case .invalidValue(_, let context) = error else { continue }
            #expect(context.debugDescription == "The asset is not saved. Save the record first.")
        }
    }

    @Test(
        "an asset that a record names has 64 digits",
        arguments: ["", "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 66)])
    func hashes(_ text: String) {
        let failure = #expect(throws: Failure.self) {
            try RecordAsset(sha256: text, size: 1).stored(in: "photo")
        }
        #expect(failure?.code == .usage && failure?.path == Array(text.utf8))
        #expect(failure?.remedy == "Give 64 hexadecimal digits.")
    }

    @Test func `an asset that is not saved is named by no record`() throws {
        #expect(try Self.asset.stored(in: "photo") == nil)
        let text = String(repeating: "aF", count: 32)
        #expect(try RecordAsset(sha256: text, size: 7).stored(in: "photo") != nil)
    }

    @Test(
        "progress is the share of the bytes, and nothing to send is done",
        arguments: [(0, 0, 1), (0, 4, 0), (1, 4, 0.25), (4, 4, 1)] as [(Int64, Int64, Double)])
    func fraction(_ bytes: Int64, _ total: Int64, _ fraction: Double) {
        let progress = AssetProgress(assets: 0, totalAssets: 1, bytes: bytes, totalBytes: total)
        #expect(progress.fraction == fraction)
    }

    // MARK: Queries

    @Test func `a query sorts by its fields in their order`() {
        #expect([Query.Sort.ascending("a"), .descending("b")].map(\.text) == ["a", "-b"])
        let query = Query("Note")
        #expect(query.predicate == "TRUEPREDICATE")
        #expect(query.limit == nil && query.sort.isEmpty && !query.isStrict)
    }

    @Test(
        "a query that is none is an error before anything is read",
        arguments: [
            ("", "TRUEPREDICATE", []), ("Note", "count >", []),
            ("Note", "TRUEPREDICATE", ["a b"]), ("1x", "TRUEPREDICATE", []),
        ] as [(String, String, [String])])
    func invalidQueries(_ type: String, _ predicate: String, _ fields: [String]) {
        var query = Query(type, where: predicate)
        query.sort = fields.map { .ascending($0) }
        let failure = #expect(throws: Failure.self) { try query.prepared(after: nil, now: 0) }
        #expect(failure?.code == .usage)
    }
}

/// Errors in the words of the library.
@Suite("Errors of records")
struct RecordErrorTests {
    private static let codes: [(Failure.Code, RecordError.Kind)] = [
        (.notFound, .notFound), (.exists, .exists), (.usage, .invalid), (.limit, .limit),
        (.declined, .batchFailed), (.away, .away), (.notAllowed, .notAllowed),
        (.wrongStore, .account), (.tokenExpired, .tokenExpired), (.corrupt, .other), (.io, .other),
        (.busy, .other), (.full, .other), (.newerFormat, .other),
    ]

    @Test("a failure is one of the kinds that programs know", arguments: codes)
    func kinds(_ code: Failure.Code, _ kind: RecordError.Kind) {
        let error = RecordError(Failure(code, path: "n", "It failed.", remedy: "Wait."))
        #expect(error.kind == kind)
        #expect(error.description == "n: It failed. Wait.")
        #expect(error.conflict == nil)
    }

    private struct Strange: Error, CustomStringConvertible { let description = "strange" }

    @Test func `any other error is said as it is, and one of the library stays one`() {
        #expect(RecordError(Strange()).kind == .other)
        #expect(RecordError(Strange()).description == "strange")
        let away = RecordError(Failure(.away, "It failed.", remedy: ""))
        #expect(RecordError(away).kind == .away)
    }

    @Test func `a cancellation and the errors of coders are passed on`() async {
        await #expect(throws: CancellationError.self) {
            try await withRecordErrors { throw CancellationError() }
        }
        let context = DecodingError.Context(codingPath: [], debugDescription: "why")
        await #expect(throws: DecodingError.self) {
            try await withRecordErrors { throw DecodingError.dataCorrupted(context) }
        }
        await #expect(throws: EncodingError.self) {
            try await withRecordErrors {
                throw EncodingError.invalidValue(
                    1, EncodingError.Context(codingPath: [], debugDescription: "why"))
            }
        }
        await #expect(throws: RecordError.self) { try await withRecordErrors { throw Strange() } }
        #expect((try? await withRecordErrors { 7 }) == 7)
    }
}
