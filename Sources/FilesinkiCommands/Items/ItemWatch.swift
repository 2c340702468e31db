import FilesinkiItems
import FilesinkiModel
import FilesinkiText

/// Shows the changes of a zone of items that an observer finds, until the time is over.
struct ItemWatch<Kind: ItemKind>: Sendable {
    let observer: ItemObserver<Kind>
    /// Whether it ends after the first events that are shown.
    let endsAfterOne: Bool
    /// Shows events, and says whether it showed any.
    let show: @Sendable ([ItemEvent]) async throws -> Bool

    /// - Parameter seconds: Nil for no limit.
    func run(in console: Console, seconds: Int64?) async throws -> ExitCode {
        guard let seconds else { return try await run() }
        return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
            group.addTask {
                try await console.timer(.seconds(seconds))
                return nil
            }
            group.addTask {
                while true {
                    if try await show(observer.next()) { return .done }
                }
            }
            var code = ExitCode.negative
            while let found = try await group.next() {
                guard let result = found else { break }
                code = result
                if endsAfterOne { break }
                group.addTask {
                    while true { _ = try await show(observer.next()) }
                }
            }
            group.cancelAll()
            return code
        }
    }

    private func run() async throws -> ExitCode {
        while true {
            if try await show(observer.next()), endsAfterOne { return .done }
        }
    }
}

extension Console {
    /// Prints that the remote refuses the credentials, or accepts them again.
    func show(_ change: AccountChange) async throws {
        var object: JSONObject = ["type": "account", "status": .string(change.status.rawValue)]
        if let failure = change.failure {
            object.add("message", failure.message)
            object.add("remedy", failure.remedy)
        }
        object.add("time", change.time)
        object.add("token", change.token.description)
        try output.json(object)
        try await output.drain()
    }
}
