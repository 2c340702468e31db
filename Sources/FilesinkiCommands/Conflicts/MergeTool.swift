import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// A program in which a person merges three files, as git's `mergetool` runs it.
///
/// Its command is a line for the shell. It finds the names of the files in the environment, so that no name
/// becomes part of the line.
struct MergeTool: Sendable {
    /// The line for the shell, with `$BASE`, `$LOCAL`, `$REMOTE` and `$MERGED`.
    let command: String
    /// What the user calls it.
    let name: String
    /// Whether an exit code of 0 is enough; else the merged file must have changed, too.
    let trustsExitCode: Bool
    /// Whether it is the user's editor, with one text instead of three.
    let isEditor: Bool

    /// The tools that need no setting, as git runs them.
    private static let known: [(name: String, program: String, arguments: String)] = [
        ("meld", "meld", #"--output="$MERGED" "$LOCAL" "$BASE" "$REMOTE""#),
        (
            "kdiff3", "kdiff3",
            #"--auto --L1 base --L2 here --L3 there -o "$MERGED" "$BASE" "$LOCAL" "$REMOTE""#
        ),
        (
            "vimdiff", "vim",
            #"-f -d -c '4wincmd w | wincmd J' "$LOCAL" "$BASE" "$REMOTE" "$MERGED""#
        ),
        (
            "nvim", "nvim",
            #"-f -d -c '4wincmd w | wincmd J' "$LOCAL" "$BASE" "$REMOTE" "$MERGED""#
        ),
        ("code", "code", #"--wait --merge "$REMOTE" "$LOCAL" "$BASE" "$MERGED""#),
    ]

    /// Their names, for a message.
    static var knownNames: String { known.map(\.name).joined(separator: ", ") }

    /// Finds the tool that an argument names: one of git's settings, a known one, else a line for the
    /// shell.
    ///
    /// - Parameters:
    ///   - argument: What the user wrote.
    ///   - environment: That of the process.
    /// - Throws: Code `usage` for a single word that names no tool.
    init(_ argument: String, _ environment: [String: String]) throws(Failure) {
        name = argument
        isEditor = false
        guard !argument.contains(where: { " $/".contains($0) }) else {
            command = argument
            trustsExitCode = false
            return
        }
        let git = GitSettings(environment)
        let trusts = try git.value("mergetool.\(argument).trustExitCode", isBool: true)
        trustsExitCode = trusts == "true"
        if let line = try git.value("mergetool.\(argument).cmd") {
            command = line
        } else if let tool = Self.known.first(where: { $0.name == argument }) {
            let path = try git.value("mergetool.\(argument).path") ?? tool.program
            command = ShellWord.quoted(path) + " " + tool.arguments
        } else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: argument), "Unknown merge tool.",
                remedy: "Use \(Self.knownNames), or a name with a mergetool.NAME.cmd in git's "
                    + "settings. A program of another name needs a command line: "
                    + "--tool \(Self.line(of: argument)).")
        }
    }

    /// A command line that gives the four files to a program, as a word for a shell.
    private static func line(of program: String) -> String {
        ShellWord.shown("\(program) \"$BASE\" \"$LOCAL\" \"$REMOTE\" \"$MERGED\"".utf8)
    }

    /// The user's editor, of the merged file only, as git chooses and runs it.
    static func editor(_ environment: [String: String]) -> MergeTool {
        let editor = [environment["VISUAL"], environment["EDITOR"]]
            .compactMap(\.self).first { !$0.isEmpty }
        return MergeTool(editorOf: editor ?? "vi")
    }

    private init(editorOf program: String) {
        name = program
        command = program + #" "$MERGED""#
        trustsExitCode = false
        isEditor = true
    }

    /// Runs the tool at the terminal of this process, and waits for its end.
    ///
    /// - Parameters:
    ///   - files: The four files.
    ///   - output: The descriptor for its standard output.
    /// - Returns: Its exit code; 128 plus the number for a signal.
    func run(
        _ files: MergeToolFiles, _ environment: [String: String], output: Int32
    ) async throws -> Int32 {
        var variables = environment
        variables.merge(files.variables) { $1 }
        let process = ChildProcess(
            "/bin/sh", ["sh", "-c", command].map { Array($0.utf8) },
            environment: variables.map { Array("\($0.key)=\($0.value)".utf8) },
            // In the group of the terminal, from which an editor reads.
            streams: [STDOUT_FILENO: .descriptor(output)])
        return try await offload {
            do throws(ChildProcess.NotStarted) {
                return ChildProcess.wait(for: try process.start())
            } catch {
                throw SystemError(error.error).failure("run the merge tool", name)
            }
        }
    }
}

/// The four files of a merge tool, in a folder of their own that only this user can read.
struct MergeToolFiles {
    private let folder: String
    private let ending: String

    /// The file that gets the result.
    var merged: String { path("MERGED") }

    /// Writes the files. Their names end as the path does, so that a tool knows the kind of content.
    ///
    /// - Parameters:
    ///   - parent: Where to make the folder.
    ///   - merged: What the tool begins with.
    init(
        in parent: String, for path: RelativePath, base: [UInt8], local: [UInt8], remote: [UInt8],
        merged: [UInt8]
    ) throws {
        folder = try StateFile.makeScratchFolder(in: parent)
        ending = Self.ending(of: path)
        let contents = [
            ("BASE", base), ("LOCAL", local), ("REMOTE", remote), ("MERGED", merged),
        ]
        do {
            for (name, bytes) in contents {
                try StateFile.replace(self.path(name), with: bytes, durable: false)
            }
        } catch {
            remove()
            throw error
        }
    }

    /// The largest result that is taken, in bytes.
    private static let limit = 1 << 30

    /// What is in the file of the result; nil if it was removed.
    func readMerged() throws -> [UInt8]? {
        guard FileStamp(at: merged) != nil else { return nil }
        return try InputFile(place: Array(merged.utf8), flags: 0, name: merged)
            .readAll(limit: Self.limit)
    }

    func remove() { TreeRemoval.remove(folder) }

    /// What a tool finds in its environment.
    var variables: [String: String] {
        [
            "BASE": path("BASE"), "LOCAL": path("LOCAL"), "REMOTE": path("REMOTE"),
            "MERGED": path("MERGED"),
        ]
    }

    private func path(_ name: String) -> String { folder + "/" + name + ending }

    /// `.txt`; empty for a name without an ending, and for one that a shell might not take as it is.
    private static func ending(of path: RelativePath) -> String {
        let name = path.bytes.split(separator: UInt8(ascii: "/")).last ?? []
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return ""
        }
        let ending = String(decoding: name[dot...], as: UTF8.self)
        let isPlain = ending.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? ending : ""
    }
}
