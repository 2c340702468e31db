import FilesinkiItems
import FilesinkiModel
import Testing

@testable import FilesinkiKeyValue

@Suite("Changes on one device")
struct ChangingTests {
    struct Case: Sendable {
        var says: String
        var policy: MergePolicy = .max
        var former: TypedValue?
        var set: TypedValue?
        var holds: TypedValue?
    }

    static let cases = [
        Case(
            says: "max does not become less", former: .integer(39), set: .integer(34),
            holds: .integer(39)),
        Case(
            says: "max becomes greater", former: .integer(39), set: .integer(40),
            holds: .integer(40)),
        Case(
            says: "min does not become greater", policy: .min, former: .double(0.5),
            set: .integer(1), holds: .double(0.5)),
        Case(
            says: "min becomes less", policy: .min, former: .double(0.5), set: .integer(0),
            holds: .integer(0)),
        Case(says: "max is removed", former: .integer(39), set: nil, holds: nil),
        Case(says: "max begins anew", former: nil, set: .integer(34), holds: .integer(34)),
        Case(
            says: "max takes what it cannot compare", former: .integer(39), set: .string("1"),
            holds: .string("1")),
        Case(
            says: "newest takes what is set", policy: .newest, former: .integer(39),
            set: .integer(34), holds: .integer(34)),
        Case(
            says: "sum takes what is set", policy: .sum, former: .integer(39), set: .integer(34),
            holds: .integer(34)),
    ]

    @Test("a key's rule applies on one device, too", arguments: cases)
    func rule(_ one: Case) async throws {
        let device = try await Meeting().device("a")
        try await device.set("k", one.former, one.policy)
        try await device.set("k", one.set)
        #expect(try await device.get("k") == one.holds, "\(one.says)")
    }

    @Test func `a rule starts with the value that it is set with`() async throws {
        let device = try await Meeting().device("a")
        try await device.set("k", .integer(39))
        try await device.set("k", .integer(34), .max)
        #expect(try await device.get("k") == .integer(34))
        try await device.set("k", .integer(33), .max)
        #expect(try await device.get("k") == .integer(34))
    }
}
