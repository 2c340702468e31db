import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiReconcile

/// Answers the links of a strategy that need contents, a command or a person.
struct Answers: Sendable {
    let options: SyncOptions
    let rules: RunRules
    let root: RootFolder
    /// Nil in a dry run, which fetches nothing and runs no command.
    let contents: ContentSource?

    func answer(_ link: StrategyLink, _ step: Step) async -> Answer {
        switch link {
        case .command(let command):
            await choose(command, step)
        case .end(.ask):
            await options.ask?(step) ?? .leave
        case .merge, .comparison:
            // A link that cannot answer declines, and the chain goes on.
            .declined
        case .choice, .end:
            .declined
        }
    }

    /// Lets a program of the user's name the side that wins.
    private func choose(_ command: String, _ step: Step) async -> Answer {
        guard let contents, let contest = step.contest, let here = contest.here,
            let there = contest.there, here.kind == .file, there.kind == .file
        else { return .declined }
        do {
            let chooser = try Chooser()
            defer { chooser.cleanUp() }
            _ = try root.readChunks(contest.herePath, bufferSize: 1 << 20) {
                try chooser.write($0, as: .here)
            }
            try await contents.stream(there.content, size: there.size) {
                try chooser.write($0, as: .there)
            }
            if let base = contest.base, base.kind == .file {
                try await contents.stream(base.content, size: base.size) {
                    try chooser.write($0, as: .base)
                }
            }
            return try chooser.run(command, path: step.path)
        } catch {
            return .declined
        }
    }
}
