import FileSinkiKeyValue
import FilesinkiTesting
import Foundation
import Testing

/// Every kind of property, by itself and as an optional.
private final class Everything {
    enum Theme: String, CloudStorable { case dark, light }
    enum Level: Int, CloudStorable { case easy = 1, hard = 2 }

    @CloudStorage var bool: Bool
    @CloudStorage var int: Int
    @CloudStorage var double: Double
    @CloudStorage var string: String
    @CloudStorage var url: URL
    @CloudStorage var date: Date
    @CloudStorage var data: Data
    @CloudStorage var theme: Theme
    @CloudStorage var level: Level
    @CloudStorage var maybeBool: Bool?
    @CloudStorage var maybeInt: Int?
    @CloudStorage var maybeDouble: Double?
    @CloudStorage var maybeString: String?
    @CloudStorage var maybeURL: URL?
    @CloudStorage var maybeDate: Date?
    @CloudStorage var maybeData: Data?
    @CloudStorage var maybeTheme: Theme?
    @CloudStorage var maybeLevel: Level?

    static let home = URL(string: "https://example.org/home")
    static let other = URL(string: "https://example.org/a%20b?c=d#e")
    static let moment = Date(timeIntervalSince1970: 1_714_555_800.25)

    init(_ store: KeyValueStore) throws {
        _bool = CloudStorage(wrappedValue: true, "bool", store: store)
        _int = CloudStorage(wrappedValue: 7, "int", store: store)
        _double = CloudStorage(wrappedValue: 0.5, "double", store: store)
        _string = CloudStorage(wrappedValue: "default", "string", store: store)
        _url = CloudStorage(wrappedValue: try #require(Self.home), "url", store: store)
        _date = CloudStorage(wrappedValue: .distantPast, "date", store: store)
        _data = CloudStorage(wrappedValue: Data([1]), "data", store: store)
        _theme = CloudStorage(wrappedValue: .light, "theme", store: store)
        _level = CloudStorage(wrappedValue: .easy, "level", store: store)
        _maybeBool = CloudStorage("maybeBool", store: store)
        _maybeInt = CloudStorage("maybeInt", store: store)
        _maybeDouble = CloudStorage("maybeDouble", store: store)
        _maybeString = CloudStorage("maybeString", store: store)
        _maybeURL = CloudStorage("maybeURL", store: store)
        _maybeDate = CloudStorage("maybeDate", store: store)
        _maybeData = CloudStorage("maybeData", store: store)
        _maybeTheme = CloudStorage("maybeTheme", store: store)
        _maybeLevel = CloudStorage("maybeLevel", store: store)
    }

    /// All of it, to compare and to show.
    var all: [String] {
        [
            "\(bool)", "\(int)", "\(double)", string, "\(url)", "\(date.timeIntervalSince1970)",
            "\(Array(data))", "\(theme)", "\(level)", "\(maybeBool as Any)", "\(maybeInt as Any)",
            "\(maybeDouble as Any)", "\(maybeString as Any)", "\(maybeURL as Any)",
            "\(maybeDate?.timeIntervalSince1970 as Any)", "\(maybeData.map { Array($0) } as Any)",
            "\(maybeTheme as Any)", "\(maybeLevel as Any)",
        ]
    }

    func setAll() throws {
        bool = false
        int = .min
        double = -0.0
        string = "é\u{0}\n"
        url = try #require(Self.other)
        date = Self.moment
        data = Data([0, 255, 10])
        theme = .dark
        level = .hard
        maybeBool = false
        maybeInt = 0
        maybeDouble = .infinity
        maybeString = ""
        maybeURL = Self.home
        maybeDate = Self.moment
        maybeData = Data()
        maybeTheme = .dark
        maybeLevel = .hard
    }

    func removeOptionals() {
        maybeBool = nil
        maybeInt = nil
        maybeDouble = nil
        maybeString = nil
        maybeURL = nil
        maybeDate = nil
        maybeData = nil
        maybeTheme = nil
        maybeLevel = nil
    }
}

@Suite("Synced properties")
struct CloudStorageTests {
    @Test(
        "CS-01 each type, and the optional of each, has its default, makes the round trip, and nil removes it"
    )
    func types() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let stores = try await ["one", "two"].asyncMap { name in
            try await KeyValueStore.open(
                folder: folder.path(name), remote: folder.path("store"), listens: false)
        }
        let (here, there) = (try Everything(stores[0]), try Everything(stores[1]))
        let defaults = [
            "true", "7", "0.5", "default", "https://example.org/home",
            "\(Date.distantPast.timeIntervalSince1970)", "[1]", "light", "easy",
        ]
        #expect(here.all == defaults + Array(repeating: "nil", count: 9))
        try here.setAll()
        try await stores[0].exchangeNow()
        try await stores[1].exchangeNow()
        let values = [
            "false", "\(Int.min)", "-0.0", "é\u{0}\n", "https://example.org/a%20b?c=d#e",
            "1714555800.25", "[0, 255, 10]", "dark", "hard", "Optional(false)", "Optional(0)",
            "Optional(inf)", #"Optional("")"#, "Optional(https://example.org/home)",
            "Optional(1714555800.25)", "Optional([])",
        ]
        #expect(Array(there.all.prefix(values.count)) == values)
        #expect(there.maybeTheme == .dark && there.maybeLevel == .hard)
        #expect(there.all == here.all)
        there.removeOptionals()
        #expect(Array(there.all.suffix(9)) == Array(repeating: "nil", count: 9))
        try await stores[1].exchangeNow()
        try await stores[0].exchangeNow()
        #expect(here.all == there.all)
        #expect(stores[0].dictionaryRepresentation.count == 9)
    }

    @Test(
        "CS-01 a value of another type, or of an unknown case, reads as the default and stays in the store"
    )
    func otherTypes() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await KeyValueStore.open(folder: folder.path("one"), listens: false)
        let everything = try Everything(store)
        let before = everything.all
        for key in ["bool", "int", "double", "url", "date", "data", "theme", "level"] {
            store.set("no value of that type", forKey: key)
        }
        store.set(Int64(9), forKey: "level")
        store.set(Int64(9), forKey: "string")
        store.set(Int64(9), forKey: "maybeLevel")
        #expect(everything.all == before)
        #expect(store.dictionaryRepresentation.count == 10)
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(
        _ body: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
