import FilesinkiModel

extension ProbeTrial {
    /// What was seen of one slot.
    private enum Sight: Sendable {
        case answer(writer: Int, PublishOutcome)
        /// The slot changed, or was seen in part; what happened, as a sentence.
        case broken(String)
        case fine
    }

    /// The bytes that a writer brings to each race: nobody else's, and of another length.
    private func bid(_ writer: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: writer), count: 3000 + writer)
    }

    func race() async throws -> String {
        for round in 0..<rounds { try await raceOnce(slot(round)) }
        return "\(writers) writers raced for each of \(rounds) slots."
    }

    private func raceOnce(_ slot: ObjectKey) async throws {
        let sights = try await withThrowingTaskGroup(of: Sight.self) { group in
            group.addTask { try await watch(slot) }
            for writer in 0..<writers {
                group.addTask {
                    let outcome = try await remote(writer).publish(bid(writer), to: slot)
                    return .answer(writer: writer, outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let final = try await remote(1).get(slot, range: nil)
        try judge(sights, final)
    }

    private func judge(_ sights: [Sight], _ final: [UInt8]?) throws(SlotProbe.Broken) {
        var winners: [Int] = []
        for sight in sights {
            switch sight {
            case .answer(let writer, .mine): winners.append(writer)
            case .answer(_, .theirs(let bytes)):
                guard bytes == final else {
                    throw .init(detail: "A writer that lost received other bytes than the slot's.")
                }
            case .broken(let detail): throw .init(detail: detail)
            case .fine: break
            }
        }
        guard winners.count == 1 else {
            throw .init(
                detail:
                    "\(winners.count) of \(writers) writers were answered that they won one slot.")
        }
        guard winners.map(bid) == [final] else {
            throw .init(detail: "A slot does not hold the bytes of the one who won it.")
        }
    }

    /// Reads the slot again and again from before it is filled until its bytes were seen often.
    private func watch(_ slot: ObjectKey) async throws -> Sight {
        let possible = Set((0..<writers).map(bid))
        var first: [UInt8]?
        var seen = 0
        // The bound holds should no writer ever win.
        for _ in 0..<1000 where seen < 8 {
            try Task.checkCancellation()
            let now = try await remote(3).get(slot, range: nil)
            if let now, !possible.contains(now) {
                return .broken("A slot was seen before it was whole.")
            }
            if let first, now != first {
                return .broken("A slot changed after it had been read.")
            }
            first = first ?? now
            seen += now == nil ? 0 : 1
        }
        return .fine
    }
}
