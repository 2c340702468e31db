import FilesinkiModel
import FilesinkiRemote
import Testing

@Suite struct ObjectKeyTests {
    @Test(
        "a key consists of names of the alphabet, none of which begins with a dot",
        arguments: [
            ("a", true), ("a/b-c_d.e/0", true), ("", false), ("/a", false), ("a/", false),
            ("a//b", false), (".", false), ("a/../b", false), ("a/.t", false), ("A", false),
            ("a b", false), ("ä", false), ("a\\b", false), ("a\0", false),
        ])
    func keys(_ text: String, isKey: Bool) {
        #expect(((try? ObjectKey(text)) != nil) == isKey)
    }

    @Test(
        "the parts of a key",
        arguments: [
            ("a", [], "a", nil, false), ("a/b/c", ["a", "b"], "c", "a/b", true),
            ("packs/1", ["packs"], "1", "packs", false), ("c", [], "c", nil, false),
        ] as [(String, [String], String, String?, Bool)])
    func parts(_ text: String, folders: [String], name: String, folder: String?, isSlot: Bool)
        throws
    {
        let key = try ObjectKey(text)
        #expect(Array(key.folders) == folders)
        #expect(key.name == name)
        #expect(key.folder.map(String.init) == folder)
        #expect(key.isSlot == isSlot)
    }

    @Test(
        "a listing follows only folders that can contain its keys",
        arguments: [
            ("", nil, "", "packs", true, "packs/"), ("", nil, "", ".t-1", true, nil),
            ("packs/1", nil, "packs/", "12", false, "packs/12"),
            ("packs/1", nil, "packs/", "2", false, nil), ("packs/", nil, "", "log", true, nil),
            ("packs/", "packs/5", "packs/", "5", false, nil),
            ("packs/", "packs/5", "packs/", "5", true, "packs/5/"),
            ("packs/", "packs/5", "packs/", "4", true, nil),
            ("packs/", "packs/5/x", "packs/", "5", true, "packs/5/"),
            ("", nil, "", "lost+found", true, nil),
        ] as [(String, String?, String, String, Bool, String?)])
    func scope(
        prefix: String, after: String?, folder: String, name: String, isFolder: Bool, key: String?
    ) throws {
        let scope = KeyScope(prefix: prefix, after: try after.map { try ObjectKey($0) })
        let found = scope.key(of: name.utf8, in: Array(folder.utf8), isFolder: isFolder)
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == key)
    }

    /// Of the names in a folder, a listing asks only about those that can come after its first key.
    @Test(arguments: [nil, "a/01", "a/01/c", "a/011/c", "a/1", "a", "b/1"])
    func `a name that may be left out is not in the listing`(_ after: String?) throws {
        let scope = KeyScope(prefix: "a/", after: try after.map { try ObjectKey($0) })
        let folder = Array("a/".utf8)
        for text in ["0", "00", "01", "010", "011", "0111", "02", "1", "c", "."] {
            let name = Array(text.utf8)[...]
            let kinds = [true, false].compactMap {
                scope.key(of: name, in: folder, isFolder: $0)
            }
            #expect(kinds.isEmpty || scope.mayInclude(name, in: folder), "\(text)")
        }
        guard after == "a/011/c" else { return }
        #expect(!scope.mayInclude(Array("00".utf8)[...], in: folder))
        #expect(!scope.mayInclude(Array("010".utf8)[...], in: folder))
        #expect(scope.mayInclude(Array("011".utf8)[...], in: folder))
    }

    @Test func `a temporary name is recognised and is not a key`() {
        let name = TemporaryName.make()
        #expect(TemporaryName.matches(name))
        #expect(name != TemporaryName.make())
        #expect((try? ObjectKey("log/" + name)) == nil)
        for other in [".t-mine", ".t-000000000000000g", "t-0000000000000000", name + "0", ""] {
            #expect(!TemporaryName.matches(other))
        }
    }

    @Test func `results of concurrent tasks are in the order of the elements`() async throws {
        let elements = Array(0..<20)
        let doubled = try await mapConcurrently(elements, limit: 3) { element in
            for _ in 0..<(20 - element) { await Task.yield() }
            return element * 2
        }
        #expect(doubled == elements.map { $0 * 2 })
        await #expect(throws: CancellationError.self) {
            _ = try await mapConcurrently(elements, limit: 3) { element in
                if element == 4 { throw CancellationError() }
                return element
            }
        }
    }
}
