import FilesinkiModel
import FilesinkiRemote
import Synchronization
import Testing

/// Pages of keys from folders that are read one by one.
@Suite struct FolderPagesTests {
    /// A remote of folders: what each holds, and what was read.
    private final class Folders: Sendable {
        private let keys: [String]
        private let withoutSize: Set<String>
        private let read = Mutex<[String]>([])

        init(_ keys: [String], withoutSize: Set<String> = []) {
            self.keys = keys
            self.withoutSize = withoutSize
        }

        var readFolders: [String] { read.withLock { $0.sorted() } }

        func members(of path: [UInt8]) -> [FolderPages.Member] {
            let folder = String(decoding: path, as: UTF8.self)
            read.withLock { $0.append(folder) }
            var seen: Set<String> = []
            return keys.filter { $0.hasPrefix(folder) }.compactMap { key in
                let rest = key.dropFirst(folder.count)
                let name = String(rest.prefix { $0 != "/" })
                guard seen.insert(name).inserted else { return nil }
                let isFolder = name.count < rest.count
                let size = isFolder || withoutSize.contains(key) ? nil : Int64(key.count)
                return FolderPages.Member(Array(name.utf8), isFolder: isFolder, size: size)
            }.reversed()
        }
    }

    private func list(
        _ folders: Folders, prefix: String = "", after: String? = nil, limit: Int = 100,
        parallel: Int = 1
    ) async throws -> [String] {
        let pages = FolderPages(
            of: "place", parallelFolders: parallel, alternative: "Use another."
        ) { folders.members(of: $0) }
        let page = try await pages.list(
            prefix: prefix, after: try after.map { try ObjectKey($0) }, limit: limit)
        #expect(page.allSatisfy { $0.size == Int64($0.key.description.count) })
        return page.map(\.key.description)
    }

    private static let keys = ["a", "b-c", "b/1", "b/2/x", "b/3", "b0", "c/d/e", "c/f", "d"]

    @Test("a page, in the order of keys, whatever the folders say", arguments: [1, 2, 8])
    func pages(_ parallel: Int) async throws {
        let folders = Folders(Self.keys)
        #expect(try await list(folders, parallel: parallel) == Self.keys)
        for limit in 0...Self.keys.count {
            let page = try await list(folders, limit: limit, parallel: parallel)
            #expect(page == Array(Self.keys.prefix(limit)))
        }
        for (index, key) in Self.keys.enumerated() {
            let page = try await list(folders, after: key, limit: 2, parallel: parallel)
            #expect(page == Array(Self.keys.dropFirst(index + 1).prefix(2)))
        }
    }

    @Test(
        "only keys with the prefix, from the folders that can have some",
        arguments: [
            ("b/", ["b/1", "b/2/x", "b/3"], ["b/", "b/2/"]),
            ("b", ["b-c", "b/1", "b/2/x", "b/3", "b0"], ["", "b/", "b/2/"]),
            ("c/d/", ["c/d/e"], ["c/d/"]), ("c/d", ["c/d/e"], ["c/", "c/d/"]), ("x", [], [""]),
            ("x/", [], ["x/"]), ("A/", [], []), ("../", [], []),
        ] as [(String, [String], [String])])
    func prefixes(_ prefix: String, _ keys: [String], _ read: [String]) async throws {
        let folders = Folders(Self.keys)
        #expect(try await list(folders, prefix: prefix) == keys)
        #expect(folders.readFolders == read)
    }

    @Test func `no folder is read that is behind the page, or before its beginning`() async throws {
        let folders = Folders(Self.keys)
        #expect(try await list(folders, limit: 2) == ["a", "b-c"])
        #expect(folders.readFolders == [""])
        let later = Folders(Self.keys)
        #expect(try await list(later, after: "b/3", limit: 2) == ["b0", "c/d/e"])
        #expect(!later.readFolders.contains("b/2/"))
    }

    @Test func `what no key can be is left out`() async throws {
        let folders = Folders(["a", "B", ".hidden", ".t-1/x", "lost+found/x", "b c", "d"])
        #expect(try await list(folders) == ["a", "d"])
        #expect(folders.readFolders == [""])
    }

    @Test func `an object without a size makes the remote unfit, where it is listed`() async throws
    {
        let folders = Folders(Self.keys, withoutSize: ["b/3"])
        #expect(try await list(folders, limit: 4) == Array(Self.keys.prefix(4)))
        let failure = await #expect(throws: Failure.self) { try await list(folders) }
        #expect(failure?.code == .unfitStore)
        #expect(failure?.path == Array("b/3".utf8))
        #expect(failure?.remedy == "Use another.")
    }

    @Test(
        "empty folders without an end are a limit, a found object begins anew",
        arguments: [(2000, true), (2001, false)])
    func endless(_ count: Int, _ isAllowed: Bool) async throws {
        let pages = FolderPages(of: "place", parallelFolders: 1, alternative: "") { path in
            guard path.isEmpty else { return [] }
            return (0..<count).map { .init(Array("\($0)".utf8), isFolder: true, size: nil) }
        }
        if isAllowed {
            #expect(try await pages.list(prefix: "", after: nil, limit: 9).isEmpty)
        } else {
            let failure = await #expect(throws: Failure.self) {
                try await pages.list(prefix: "", after: nil, limit: 9)
            }
            #expect(failure?.code == .limit)
        }
    }
}
