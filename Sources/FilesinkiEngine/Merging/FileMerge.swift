import FilesinkiFileSystem
package import FilesinkiMerge
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiSystem
import Glibc

/// A chain of links followed over three files outside of any replica: the `merge` command.
package struct FileMerge: Sendable {
    /// The three files; an empty base is none.
    package var base: String
    package var here: String
    package var there: String
    /// The name that the file has where it belongs; tells its kind to programs that go by names.
    package var path: RelativePath
    package var strategy: Strategy
    package var settings: MergeSettings
    /// How long a command of the user's may take.
    package var commandLimit: Duration

    package init(
        base: String, here: String, there: String, path: RelativePath, strategy: Strategy,
        settings: MergeSettings = .init(), commandLimit: Duration = .seconds(60)
    ) {
        self.base = base
        self.here = here
        self.there = there
        self.path = path
        self.strategy = strategy
        self.settings = settings
        self.commandLimit = commandLimit
    }

    /// What the chain came to.
    package enum Result: Sendable, Equatable {
        /// The content, the link that made or chose it, and why those before it did not answer.
        case merged(file: String, by: String, declined: [String])
        /// No link answered; why not, link by link.
        case conflict([String])
    }

    /// Follows the chain.
    ///
    /// - Parameter folder: Where the versions are copied and the result is left.
    /// - Throws: `Failure` where a file cannot be read or written.
    package func run(in folder: MergeFolder) throws -> Result {
        let sides = (here: try Self.side(here), there: try Self.side(there))
        var reasons: [String] = []
        for link in strategy.links {
            try lay(out: folder, for: link)
            let question = MergeQuestion(
                path: path, hasBase: try Self.side(base).size > 0,
                hereModified: sides.here.modified, thereModified: sides.there.modified,
                settings: settings)
            switch try ask(link, question, sides, folder) {
            case .merged(let file, let word):
                return .merged(file: file, by: word, declined: reasons)
            case .side(let role):
                return .merged(
                    file: folder.file(role), by: link.description, declined: reasons)
            case .keepBoth: return .conflict(reasons)
            case .declined(let why): reasons += why.map { "\(link): \($0)" }
            }
        }
        return .conflict(reasons)
    }

    private func ask(
        _ link: StrategyLink, _ question: MergeQuestion, _ sides: (here: Entry, there: Entry),
        _ folder: MergeFolder
    ) throws -> LinkOutcome {
        switch link {
        case .end: return .keepBoth
        case .choice(let choice):
            switch choice.winner(ours: sides.here, theirs: sides.there) {
            case .ours: return .side(.here)
            case .theirs: return .side(.there)
            case nil: return .declined(["Both sides are equal in that."])
            }
        case .command, .merge, .comparison, .program:
            return try LinkRunner(commandLimit: commandLimit).ask(link, question, in: folder)
        }
    }

    /// The file's size and time, as a choice looks at them.
    private static func side(_ path: String) throws(Failure) -> Entry {
        guard let stamp = FileStamp(at: path, followingSymlinks: true) else {
            throw SystemError.last.failure("read the file", path, of: .argument)
        }
        return .file(.none, size: stamp.size, mode: 0o644, modified: stamp.modified)
    }

    /// Lays the three files out: for programs, which may write over them, and for SQLite, which may
    /// write beside them, as copies.
    private func lay(out folder: MergeFolder, for link: StrategyLink) throws {
        let isRead = link == .merge(.text) || link == .merge(.lines) || link == .merge(.json)
        for (role, file) in [(MergeFolder.Role.base, base), (.here, here), (.there, there)] {
            folder.lend(isRead ? file : nil, as: role)
            if !isRead { try folder.copy(file, as: role) }
        }
    }
}
