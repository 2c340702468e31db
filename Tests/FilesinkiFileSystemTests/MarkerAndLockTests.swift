import FilesinkiModel
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

@Suite struct MarkerAndLockTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test func `the marker identifies the replica`() throws {
        let marker = RootMarker(root: tree.root)
        let id = [UInt8](repeating: 0xAB, count: 16)
        #expect(try marker.check(id) == .missing)
        try marker.write(id)
        #expect(try marker.check(id) == .ok)
        #expect(try marker.check([UInt8](repeating: 1, count: 16)) == .other)
        try marker.write([UInt8](repeating: 1, count: 16))
        #expect(try marker.check(id) == .other)
        #expect(try tree.names(".filesinki") == ["root"])
    }

    @Test func `an invalid marker belongs to another replica`() throws {
        try tree.makeFolder(".filesinki")
        try tree.write(String(repeating: "x", count: 10_000), to: ".filesinki/root")
        #expect(try RootMarker(root: tree.root).check([]) == .other)
    }

    @Test func `only one holder has the lock`() async throws {
        let path = tree.base + "/lock"
        var first: ReplicaLock? = try await ReplicaLock.acquire(path) { _ in }
        #expect(first != nil)
        let naps = Mutex<[Duration]>([])
        let failure = await #expect(throws: Failure.self) {
            try await ReplicaLock.acquire(path, waiting: .milliseconds(10)) { nap in
                naps.withLock { $0.append(nap) }
            }
        }
        #expect(failure?.code == .busy)
        #expect(naps.withLock { $0.reduce(.zero, +) } == .milliseconds(10))
        first = nil
        // A process that another test starts has the lock's file, too, until it becomes its program.
        _ = try await ReplicaLock.acquire(path, waiting: .seconds(60)) {
            try await Task.sleep(for: $0)
        }
    }

    @Test func `a removed lock file locks nothing`() throws {
        let path = tree.base + "/lock"
        let first = try ReplicaLock.tryAcquire(path)
        #expect(first != nil)
        unlink(path)
        let second = try ReplicaLock.tryAcquire(path)
        #expect(second != nil)
        #expect(try ReplicaLock.tryAcquire(path) == nil)
        withExtendedLifetime((first, second)) {}
    }
}
