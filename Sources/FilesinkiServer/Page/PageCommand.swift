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
    case status, conflicts, log, deleted, devices, usage, statistics, prunable
    case versions, diff, content
    // Conflicts.
    case side, take, use, reopen
    // Changes.
    case sync, undelete, restore

    /// The command.
    ///
    /// - Throws: `Failure` with code `usage` for an argument that is missing or invalid.
    func command(_ given: PageArguments) throws(Failure) -> PageCommand {
        switch self {
        case .status: PageCommand(["status"], options: ["--json"])
        case .conflicts: PageCommand(["conflicts"], options: ["--json"])
        case .deleted: PageCommand(["ls"], options: ["--json", "--deleted"])
        case .devices: PageCommand(["devices", "list"], options: ["--json"])
        case .statistics: PageCommand(["stats"], options: ["--json"])
        case .sync: PageCommand(["sync"], options: ["--json"])
        case .log:
            PageCommand(["log"], options: ["--json", "--limit", "\(try given.number("limit"))"])
        case .usage:
            PageCommand(
                ["du"], options: ["--json", "--depth", "1", "--sort", "size"])
        case .prunable:
            PageCommand(
                ["prune"],
                options: [
                    "--json", "--dry-run", "--keep-within", "\(try given.number("days"))d",
                ])
        case .versions, .diff, .content: try ofPath(given)
        case .side, .take, .use, .reopen: try ofConflict(given)
        case .undelete:
            PageCommand(["undelete"], options: ["--json"], paths: try given.paths())
        case .restore:
            PageCommand(["restore"], options: ["--json"], paths: [try given.versionedPath()])
        }
    }

    private func ofPath(_ given: PageArguments) throws(Failure) -> PageCommand {
        let path = try given.path()
        switch self {
        case .versions:
            return PageCommand(["log"], options: ["--json", "--limit", "200"], paths: [path])
        case .diff:
            let older = Array("\(try given.number("older"))".utf8)
            let newer = Array("\(try given.number("version"))".utf8)
            return PageCommand(["diff"], options: ["--json"], paths: [path, older, newer])
        default:
            return PageCommand(
                ["show"], paths: [try given.versionedPath()], printsContent: true)
        }
    }

    private func ofConflict(_ given: PageArguments) throws(Failure) -> PageCommand {
        let path = try given.path()
        let resolve = ["resolve"]
        switch self {
        case .side:
            let side = try given.word("side", of: ["base", "here", "there", "merge"])
            return PageCommand(
                ["show"], options: ["--conflict", side], paths: [path], printsContent: true)
        case .take:
            let side = try given.word("side", of: ["base", "here", "there"])
            return PageCommand(resolve, options: ["--json", "--take", side], paths: [path])
        case .use:
            return PageCommand(
                resolve, options: ["--json", "--with", "-"], paths: [path],
                input: try given.text("text"))
        default:
            return PageCommand(resolve, options: ["--json", "--undo"], paths: [path])
        }
    }
}

/// The arguments of a call: a flat JSON object, with paths as filesinki prints them.
struct PageArguments {
    private let members: [String: JSONTree]

    /// The longest path, in bytes.
    private static let maximumPath = 4096
    private static let maximumPaths = 10_000

    /// - Parameter body: JSON; nothing is an empty object.
    /// - Throws: `Failure` with code `usage`.
    init(_ body: [UInt8]) throws(Failure) {
        guard !body.isEmpty else {
            members = [:]
            return
        }
        let tree = try JSONTree(body)
        guard tree.kind == .object else { throw Self.invalid("The arguments") }
        members = Self.members(of: tree)
    }

    private static func members(of tree: JSONTree) -> [String: JSONTree] {
        tree.children.reduce(into: [:]) { members, child in
            members[String(decoding: child.name, as: UTF8.self)] = child
        }
    }

    /// The member `path`, or the bytes of `path_bytes`.
    func path() throws(Failure) -> [UInt8] { try Self.path(members) }

    /// The member `paths`: a list of texts, or of objects with `path_bytes`.
    func paths() throws(Failure) -> [[UInt8]] {
        guard let list = members["paths"], list.kind == .array, !list.children.isEmpty,
            list.children.count <= Self.maximumPaths
        else { throw Self.invalid("paths") }
        var paths: [[UInt8]] = []
        for element in list.children {
            let members = element.kind == .object ? Self.members(of: element) : ["path": element]
            paths.append(try Self.path(members))
        }
        return paths
    }

    /// The path and its version, as `PATH@VERSION`.
    func versionedPath() throws(Failure) -> [UInt8] {
        try path() + Array("@\(try number("version"))".utf8)
    }

    /// A whole number that is not negative.
    func number(_ name: String) throws(Failure) -> UInt64 {
        guard let value = members[name], value.kind == .number,
            let number = UInt64(String(decoding: value.text, as: UTF8.self))
        else { throw Self.invalid(name) }
        return number
    }

    /// One of some words.
    func word(_ name: String, of words: [String]) throws(Failure) -> String {
        guard let value = members[name], value.kind == .string,
            let word = words.first(where: { value.text.elementsEqual($0.utf8) })
        else { throw Self.invalid(name) }
        return word
    }

    /// A text as it is.
    func text(_ name: String) throws(Failure) -> [UInt8] {
        guard let value = members[name], value.kind == .string else { throw Self.invalid(name) }
        return value.text
    }

    private static func path(_ members: [String: JSONTree]) throws(Failure) -> [UInt8] {
        var path: [UInt8]?
        if let bytes = members["path_bytes"], bytes.kind == .string {
            path = FilesinkiModel.bytes(hexadecimal: String(decoding: bytes.text, as: UTF8.self))
        } else if let text = members["path"], text.kind == .string {
            path = text.text
        }
        guard let path, !path.isEmpty, path.count <= maximumPath, !path.contains(0) else {
            throw invalid("path")
        }
        return path
    }

    private static func invalid(_ name: String) -> Failure {
        Failure(.usage, path: name, "Missing or invalid.", remedy: "Reload the page.")
    }
}
