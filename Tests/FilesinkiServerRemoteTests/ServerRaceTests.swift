import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiTesting
import Testing

/// Writers that each publish commits as fast as they can: of each number exactly one must win, and no
/// acknowledged one may be lost.
@Suite struct ServerRaceTests {
    @Test func `of all that publish at once one wins each number, and none is lost`() async throws {
        let writers = knob("FILESINKI_RACE_WRITERS", otherwise: 6)
        let commits = knob("FILESINKI_RACE_COMMITS", otherwise: 6)
        try await withServedFolder(ServedFolder()) { served in
            let won = try await withThrowingTaskGroup(of: [Int: [UInt8]].self) { group in
                for writer in 0..<writers {
                    // As a run has it: a server may close a connection that a busy machine kept idle.
                    let remote = RetryingRemote(
                        try served.remote(), systemContext: ServedFolder.systemContext)
                    group.addTask { try await Self.publish(commits, as: writer, to: remote) }
                }
                var all: [Int: [UInt8]] = [:]
                for try await some in group { all.merge(some) { _, _ in [] } }
                return all
            }
            #expect(won.keys.sorted() == Array(1...(writers * commits)))
            let remote = try served.remote()
            for (number, bytes) in won {
                #expect(try await remote.get(Self.slot(number), range: nil) == bytes)
            }
        }
    }

    private static func publish(
        _ count: Int, as writer: Int, to remote: any Remote
    ) async throws -> [Int: [UInt8]] {
        var won: [Int: [UInt8]] = [:]
        var number = 1
        while won.count < count {
            let bytes = Array("\(writer): \(won.count)".utf8)
            if try await remote.publish(bytes, to: slot(number)) == .mine { won[number] = bytes }
            number += 1
        }
        return won
    }

    private static func slot(_ number: Int) throws -> ObjectKey {
        try ObjectKey("zones/files/log/\(number)/c")
    }
}
