import FilesinkiModel
import FilesinkiRemote
import Glibc

/// Writers who each append commits to one log, as the engine does: the next number, and after a lost
/// race the one behind the log's end. In the end the results of each are compared with the log.
struct CommitRace: Sendable {
    var writers: Int
    /// By each writer.
    var commits: Int

    struct Result: Sendable, CustomStringConvertible {
        var acknowledged = 0
        /// Acknowledged, and not in the log.
        var lost = 0
        /// Slots that changed after somebody had read them.
        var changed = 0
        var races = 0
        var duration = Duration.zero

        var description: String {
            let rate = Double(acknowledged) / (duration / .seconds(1))
            return "race: \(acknowledged) commits acknowledged, \(lost) lost, \(changed) slots "
                + "changed, \(races) races lost, \(Int(rate)) commits/s"
        }
    }

    /// The results of one writer.
    private struct Told: Sendable {
        var mine: [Int: [UInt8]] = [:]
        /// What others were seen to have won.
        var theirs: [Int: [UInt8]] = [:]
        var races = 0
    }

    func run(_ connect: @escaping @Sendable () throws -> any Remote) async throws -> Result {
        var result = Result()
        let start = ContinuousClock.now
        let told = try await withThrowingTaskGroup(of: Told.self) { group in
            for writer in 0..<writers {
                group.addTask { try await write(writer, connect()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        result.duration = .now - start
        try await judge(told, connect(), &result)
        return result
    }

    private func slot(_ number: Int) throws -> ObjectKey {
        let digits = String(number)
        let zeros = String(repeating: "0", count: 20 - digits.utf8.count)
        return try ObjectKey("zones/main/log/\(zeros)\(digits)/c")
    }

    private func write(_ writer: Int, _ remote: any Remote) async throws -> Told {
        var told = Told()
        var next = 1
        for commit in 0..<commits {
            let bytes =
                Array("writer \(writer), commit \(commit)".utf8)
                + [UInt8](repeating: UInt8(truncatingIfNeeded: writer), count: 500 + writer)
            while told.mine[next - 1] != bytes {
                switch try await remote.publish(bytes, to: slot(next)) {
                case .mine:
                    told.mine[next] = bytes
                    next += 1
                case .theirs(let other):
                    told.theirs[next] = other
                    told.races += 1
                    next = try await end(of: remote, from: next)
                }
            }
        }
        return told
    }

    /// The first slot behind one that is filled which a list does not show to be so.
    private func end(of remote: any Remote, from filled: Int) async throws -> Int {
        let rest = try await remote.list(
            prefix: "zones/main/log/", after: slot(filled), limit: 1000)
        return filled + 1 + rest.count
    }

    private func judge(
        _ told: [Told], _ remote: any Remote, _ result: inout Result
    ) async throws {
        let last = told.flatMap { $0.mine.keys }.max() ?? 0
        var log: [Int: [UInt8]] = [:]
        for number in 1...max(1, last) {
            log[number] = try await remote.get(slot(number), range: nil)
        }
        let entries = Set(log.values)
        for writer in told {
            result.acknowledged += writer.mine.count
            result.lost += writer.mine.values.count { !entries.contains($0) }
            result.changed += writer.mine.count { log[$0.key] != $0.value }
            result.changed += writer.theirs.count { log[$0.key] != $0.value }
            result.races += writer.races
        }
    }
}
