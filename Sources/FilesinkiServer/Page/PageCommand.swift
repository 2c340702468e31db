import FilesinkiModel
import FilesinkiText

/// A run of filesinki that the page asks for. What the page sends becomes a path, a number or a word
/// of a list in it, never an option.
package struct PageCommand: Hashable, Sendable {
    /// The command's name, such as `devices list`.
    package var name: [String]
    package var options: [String]
    /// The arguments behind `--`.
    package var paths: [[UInt8]]
    /// Its standard input.
    package var input: [UInt8]
    /// Whether it prints a content, and not JSON lines.
    package var printsContent: Bool

    package init(
        _ name: [String], options: [String] = [], paths: [[UInt8]] = [], input: [UInt8] = [],
        printsContent: Bool = false
    ) {
        self.name = name
        self.options = options
        self.paths = paths
        self.input = input
        self.printsContent = printsContent
    }
}

/// What a run of filesinki ended with.
package struct PageResult: Sendable {
    package var exit: Int32
    /// Its standard output; nil if there is too much of it.
    package var output: [UInt8]?
    /// Its standard error.
    package var messages: [UInt8]

    package init(exit: Int32, output: [UInt8]?, messages: [UInt8]) {
        self.exit = exit
        self.output = output
        self.messages = messages
    }
}

/// What the page can ask for: each call is one command, so that the page can do what a person at the
/// command line can, and nothing else.
enum PageCall: String, CaseIterable {
    // State and history.
    case status, moved, conflicts, log, deleted, devices, usage, statistics, prunable
    case versions, diff, content
    // Conflicts.
    case side, explanation, take, use, reopen
    // Changes.
    case sync, undeletable, undelete, restore

    /// The command.
    ///
    /// - Throws: `Failure` with code `usage` for an argument that is missing or invalid.
    func command(_ given: CallArguments) throws(Failure) -> PageCommand {
        switch self {
        case .status: PageCommand(["status"], options: ["--json"])
        case .conflicts: PageCommand(["conflicts"], options: ["--json"])
        case .deleted: PageCommand(["ls"], options: ["--json", "--deleted"])
        case .devices: PageCommand(["devices", "list"], options: ["--json"])
        case .statistics: PageCommand(["stats"], options: ["--json"])
        case .moved: PageCommand(["remote", "show"], options: ["--json", "--moved"])
        case .sync: PageCommand(["sync"], options: ["--json"])
        case .log:
            PageCommand(["log"], options: ["--json", "--limit", "\(try given.number("limit"))"])
        case .usage:
            PageCommand(
                ["du"], options: ["--json", "--depth", "1", "--sort", "size", "--history"],
                paths: try given.optionalPath().map { [$0] } ?? [])
        // Without days by the rules of the settings.
        case .prunable:
            PageCommand(
                ["prune"],
                options: ["--json", "--dry-run"]
                    + (try given.optionalNumber("days").map { ["--keep-within", "\($0)d"] } ?? []))
        case .versions, .diff, .content: try ofPath(given)
        case .side, .explanation, .take, .use, .reopen: try ofConflict(given)
        case .undeletable:
            PageCommand(
                ["undelete"], options: ["--json", "--dry-run"], paths: try given.pathOrPaths())
        case .undelete:
            PageCommand(["undelete"], options: ["--json"], paths: try given.paths())
        case .restore:
            PageCommand(["restore"], options: ["--json"], paths: [try given.versionedPath()])
        }
    }

    private func ofPath(_ given: CallArguments) throws(Failure) -> PageCommand {
        let path = try given.path()
        switch self {
        case .versions:
            return PageCommand(
                ["log"], options: ["--json", "--limit", "\(try given.number("limit"))"],
                paths: [path])
        case .diff:
            let older = Array("\(try given.number("older"))".utf8)
            let newer = Array("\(try given.number("version"))".utf8)
            return PageCommand(["diff"], options: ["--json"], paths: [path, older, newer])
        default:
            return PageCommand(
                ["show"], paths: [try given.versionedPath()], printsContent: true)
        }
    }

    /// What a version of a conflict is called; on a device that wrote neither, by its place.
    private static let takenSides = ["base", "here", "there", "copy", "committed"]

    private func ofConflict(_ given: CallArguments) throws(Failure) -> PageCommand {
        let resolve = ["resolve"]
        if self == .take {
            let side = try given.word("side", of: Self.takenSides)
            return PageCommand(
                resolve, options: ["--json", "--take", side] + (try shown(given)),
                paths: try given.pathOrPaths())
        }
        let path = try given.path()
        switch self {
        case .side:
            let side = try given.word("side", of: Self.takenSides + ["merge", "proposal"])
            return PageCommand(
                ["show"], options: ["--conflict", side], paths: [path], printsContent: true)
        case .explanation:
            return PageCommand(
                ["diff"], options: ["--json", "--conflict", "--explain"], paths: [path])
        case .use:
            let unchecked = try given.flag("unchecked") ? ["--unchecked"] : []
            let text = try given.text("text")
            // From a stream that is empty nothing is taken: what was to write it may have failed.
            let source = text.isEmpty ? "/dev/null" : "-"
            return PageCommand(
                resolve, options: ["--json", "--with", source] + unchecked + (try shown(given)),
                paths: [path], input: text)
        default:
            return PageCommand(resolve, options: ["--json", "--undo"], paths: [path])
        }
    }

    /// The content in place, and that of the conflict copy, which the page has shown: nothing else is replaced or taken without
    /// a question.
    private func shown(_ given: CallArguments) throws(Failure) -> [String] {
        let inPlace = try given.optionalContent("shown").map { ["--if-content", $0.description] }
        let inCopy = try given.optionalContent("copy").map { ["--if-copy", $0.description] }
        return (inPlace ?? []) + (inCopy ?? [])
    }
}
