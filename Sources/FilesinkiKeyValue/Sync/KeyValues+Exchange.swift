internal import FilesinkiModel
internal import FilesinkiStore

extension KeyValues {
    /// How often somebody else may be faster before this gives up.
    private static let attempts = 200

    /// Brings here what is new in the store, and publishes what waits here.
    ///
    /// - Throws: Code `away` when the remote cannot be reached, `wrong-store` for another store than
    ///   was known, `not-found` without a remote, `busy` when others were always faster.
    package func exchange(
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws -> ExchangeReport {
        var report = ExchangeReport()
        var answers: [CommandQuestion: CommandAnswer] = [:]
        for attempt in 0..<Self.attempts {
            try Task.checkCancellation()
            let fetched = try await fetch(options)
            guard try await apply(fetched, options, &answers, &report) else { continue }
            try await keepIdentity(&report)
            if try await publishAll(options, &report) {
                try await conclude(&report)
                return report
            }
            try await yield(attempt)
        }
        throw Failure(
            .busy, path: place.address ?? "", "Other devices were faster again and again.",
            remedy: "What was set is kept here; run filesinki kv sync later.")
    }

    /// Applies what was fetched, and asks the commands of this device where they have to decide. No
    /// transaction spans the run of a command.
    private func apply(
        _ fetched: FetchedBatch, _ options: ExchangeOptions,
        _ answers: inout [CommandQuestion: CommandAnswer], _ report: inout ExchangeReport
    ) async throws -> Bool {
        while true {
            do {
                return try apply(fetched, options, answers, &report)
            } catch let question as CommandQuestion {
                answers[question] = try await CommandMerge(question: question)
                    .answer(in: place.folder)
            }
        }
    }

    /// False when somebody else was faster.
    private func publishAll(
        _ options: ExchangeOptions, _ report: inout ExchangeReport
    ) async throws -> Bool {
        while true {
            switch try await publish(options, &report) {
            case .nothing: return true
            case .lost: return false
            case .published(let keys, let sequence):
                report.published += keys
                report.sequence = max(report.sequence, sequence)
                if try !database.hasPending() { return true }
            }
        }
    }

    /// Acknowledges, and stores a checkpoint, each when it is due.
    private func conclude(_ report: inout ExchangeReport) async throws {
        guard let position = try database.logPosition() else { return }
        report.notices += try await zone.conclude(at: position.token)
    }

    /// Lets others go first for a moment, so that not all try again at once.
    private func yield(_ attempt: Int) async throws {
        guard attempt > 0 else { return }
        let chance = place.systemContext.randomBytes(1).first ?? 0
        try await place.systemContext.sleep(.microseconds(Int(chance) * 50 * min(attempt, 8)))
    }

    /// Begins to listen: what is published from now on ends the next ``waitForStore(_:)``.
    ///
    /// - Returns: Whether it is known where.
    package func listen() async throws -> Bool {
        try await zone.wait(.zero)
    }

    /// Waits until something may have changed in the store, or the time is over.
    package func waitForStore(_ timeout: Duration) async throws {
        guard try await zone.wait(timeout) else {
            return try await place.systemContext.sleep(timeout)
        }
    }

    /// A number that changes when another process has changed what is here.
    package func localVersion() throws -> Int64 { try database.dataVersion() }
}
