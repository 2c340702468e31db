import FilesinkiModel
import FilesinkiRemote
import Testing

@testable import FilesinkiStore

/// What is copied to a store that devices use already.
@Suite struct StoreCopyOrderTests {
    private func commit(_ sequence: UInt64, _ zone: String = "files") throws -> ObjectKey {
        try StoreLayout.slot(StoreLayout.log(of: zone), sequence)
    }

    private func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }

    @Test func `commits come in their order, and the last shared one of each log is compared`()
        throws
    {
        let source = try [
            commit(10), commit(9), commit(3), commit(2), commit(1, "kv"), commit(2, "kv"),
            commit(1, "new"),
        ]
        let present = try Set([commit(2), commit(3), commit(1, "kv")])
        let order = StoreCopyOrder(copying: source, to: present)
        #expect(try order.lastShared == [commit(3), commit(1, "kv")])
        #expect(try order.commits == [commit(9), commit(10), commit(2, "kv"), commit(1, "new")])
        #expect(order.contents.isEmpty && order.rest.isEmpty)
    }

    @Test func `what the copy has archived does not come back, and a gap is filled`() throws {
        let source = try (1...6).map { try commit($0) }
        let present = try Set([commit(3), commit(5)])
        let order = StoreCopyOrder(copying: source, to: present)
        #expect(try order.commits == [commit(4), commit(6)])
        #expect(try order.lastShared == [commit(5)])
    }

    @Test func `contents come before the commits, and what tells of commits after them`() throws {
        let checkpoint = try StoreLayout.slot(StoreLayout.checkpoints(of: "files"), 4)
        let contents = try [
            key("packs/ab/abcd"), key("zones/files/parts/ab/abcd"), key("zones/r/packs/ab/abcd"),
        ]
        let rest = try [
            key("devices/\(hexadecimal(StoreFixture.commitID(1)))/files/00000000000000000004/c"),
            key("zones/files/archives/00000000000000000002/ab"), checkpoint,
        ]
        let present: Set = try [key("packs/ab/other"), commit(1)]
        let source = try contents + rest + [commit(1), commit(2), key("packs/ab/other")]
        let order = StoreCopyOrder(copying: source, to: present)
        #expect(order.contents == contents && order.rest == rest)
        #expect(try order.commits == [commit(2)])
    }

    @Test func `nothing is copied that is there`() throws {
        let all = try [key("packs/ab/abcd"), commit(1), commit(2)]
        let order = StoreCopyOrder(copying: all, to: Set(all))
        #expect(order.contents.isEmpty && order.commits.isEmpty && order.rest.isEmpty)
    }
}
