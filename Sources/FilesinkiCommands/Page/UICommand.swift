import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
package import FilesinkiSystem
import FilesinkiText

/// `ui`: a page that shows a replica.
struct UICommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "ui",
        abstract: "Show a replica in a browser.",
        discussion: """
            Prints the address of a page with the state of the replica, its history, open conflicts \
            side by side, and deleted files. The address works once, on this machine only, and \
            until the command ends. From elsewhere, use ssh -L PORT:127.0.0.1:PORT HOST with \
            --listen 127.0.0.1:PORT.
            """)

    @Argument(help: "The replica, or a folder in it.", completion: .directory)
    var dir: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Address to listen on, or a port of this machine; 0 selects a free one.",
            valueName: "host:port"))
    var listen = "127.0.0.1:0"

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let (host, port) = try ServeFolderCommand.place(listen)
        let session = try await Session.open(
            replica, of: dir, writable: false, remote: false, in: console)
        let state = session.settings.stateFolder
        let runner = PageRunner(
            program: try PageRunner.ownProgram(),
            place: ["--root", session.root.path]
                + (replica.state == nil ? [] : ["--state", state.path]))
        await session.replica.close()
        let files = [state.manifest, state.manifest + "-wal", state.config]
        let options = PageOptions(
            host: host, port: port, run: { try await runner.run($0) },
            stamp: { files.flatMap { PageRunner.stamp(of: $0) } })
        try await console.network.page(options) { address in
            if report.json {
                // A reader of standard output that has ended does not end the page.
                try? console.output.json(["type": "page", "address": .string(address)])
            } else {
                try? console.output.line(address)
                try? console.output.flush()
            }
            console.say("Open this address in a browser; it works once. Ctrl-C ends the page.")
        }
        return .done
    }
}

/// What `ui` was asked for.
package struct PageOptions: Sendable {
    /// A run of filesinki.
    package struct Command: Sendable {
        package var name: [String]
        package var options: [String]
        package var paths: [[UInt8]]
        package var input: [UInt8]

        package init(name: [String], options: [String], paths: [[UInt8]], input: [UInt8]) {
            self.name = name
            self.options = options
            self.paths = paths
            self.input = input
        }
    }

    /// An address of this machine, without brackets.
    package var host: String
    /// 0 for any that is free.
    package var port: Int
    /// Runs filesinki on the replica.
    package var run: @Sendable (Command) async throws -> CollectedOutput
    /// What changes when the replica does.
    package var stamp: @Sendable () -> [UInt8]
}

/// Runs this program again for a command of the page: the page and the command line cannot differ, and
/// each command has its own locks and memory, and ends alone if it fails.
private struct PageRunner {
    var program: String
    /// The options that name the replica.
    var place: [String]

    /// The most that a command may print, in bytes.
    private static let outputLimit = 64 << 20

    func run(_ command: PageOptions.Command) async throws -> CollectedOutput {
        let words = ["filesinki"] + command.name + place + command.options
        let paths = command.paths.isEmpty ? [] : [Array("--".utf8)] + command.paths
        let process = ChildProcess(
            program, words.map { ArgumentText.bytes(of: $0) } + paths,
            // Ctrl-C ends the page, and lets a command come to its end.
            group: .own)
        return try await offload {
            try process.collect(input: command.input, limit: Self.outputLimit)
        }
    }

    static func ownProgram() throws(Failure) -> String {
        if let path = NetworkProgram.pathOfProgram() { return path }
        throw Failure(
            .io, path: "/proc/self/exe", "Cannot find the program of this process.",
            remedy: "Mount /proc.")
    }

    static func stamp(of file: String) -> [UInt8] {
        guard let stamp = FileStamp(at: file) else { return [0] }
        return Array("\(stamp.inode) \(stamp.size) \(stamp.modified.nanoseconds) ".utf8)
    }
}
