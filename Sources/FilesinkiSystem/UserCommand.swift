package import FilesinkiModel
import Glibc

/// A user's command, run by `sh -c` with a time limit and its own environment.
///
/// File names and paths are passed in the environment and never become part of the command's text.
/// The command has its own process group, so that everything it started ends with it at the time
/// limit.
package struct UserCommand: Sendable {
    /// The part of this process's environment that a command inherits.
    package enum Inheritance: Sendable {
        /// Only variables that contain no secrets.
        case little
        /// All variables, for a command that looks up secrets.
        case all
    }

    /// The command line for the shell.
    package var text: String
    /// Additional environment variables.
    package var variables: [(name: String, value: [UInt8])]
    /// The time limit.
    package var limit: Duration
    package var inheritance: Inheritance
    /// Its standard input; nil for none.
    package var input: [UInt8]?
    /// The descriptor for its standard output; nil to collect it in the outcome.
    package var output: Int32?

    package init(
        text: String, variables: [(name: String, value: [UInt8])] = [], limit: Duration,
        inheritance: Inheritance = .little, input: [UInt8]? = nil, output: Int32? = nil
    ) {
        self.text = text
        self.variables = variables
        self.limit = limit
        self.inheritance = inheritance
        self.input = input
        self.output = output
    }

    /// The result of a command.
    package enum Outcome: Equatable, Sendable {
        /// It ended. The code for a signal is 128 plus its number.
        case ended(code: Int32, output: [UInt8])
        case ranOutOfTime
    }

    /// The maximum collected output in bytes.
    package static let outputLimit = 64 << 10

    /// The inherited variables, which contain no secrets.
    private static let inherited = ["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ"]

    /// Runs the command and waits for its end.
    ///
    /// - Throws: `Failure` with code `io` when it could not be started.
    package func run() throws(Failure) -> Outcome {
        let memory = try input.map { bytes throws(Failure) in try NamedFile.inMemory(bytes) }
        let pipe = try SystemError.reported("run the command", text.utf8) {
            () throws(SystemError) in
            try Pipe()
        }
        _ = fcntl(pipe.reading.raw, F_SETFL, O_NONBLOCK)
        let child = spawn(input: memory?.handle.raw, output: output ?? pipe.writing.raw)
        pipe.writing.close()
        guard let child else { throw failure("the shell did not start") }
        let outcome = CommandWait(child: child, output: pipe.reading.raw, limit: limit).finish()
        // Kept open until the end, like the input.
        pipe.reading.close()
        return withExtendedLifetime(memory) { outcome }
    }

    private func failure(_ what: String) -> Failure {
        Failure(
            .io, path: text, "Cannot run the command: \(what).",
            remedy: "Check the limits of processes and open files.")
    }

    private func spawn(input: Int32?, output: Int32) -> pid_t? {
        let nothing = ChildProcess.Stream.file("/dev/null", flags: O_RDONLY, mode: 0)
        let shell = ChildProcess(
            "/bin/sh", ["sh", "-c", text].map { Array($0.utf8) }, environment: environment,
            streams: [
                STDIN_FILENO: input.map { .descriptor($0) } ?? nothing,
                STDOUT_FILENO: .descriptor(output),
            ], group: .own)
        return try? shell.start()
    }

    private var environment: [[UInt8]] {
        if inheritance == .all {
            return ChildProcess.inheritedEnvironment + variables.map(Self.pair)
        }
        var pairs = ["PATH=/usr/local/bin:/usr/bin:/bin"].map { Array($0.utf8) }
        for name in Self.inherited {
            guard let value = getenv(name) else { continue }
            pairs.append(Array("\(name)=\(String(cString: value))".utf8))
        }
        return pairs + variables.map(Self.pair)
    }

    private static func pair(_ variable: (name: String, value: [UInt8])) -> [UInt8] {
        Array("\(variable.name)=".utf8) + variable.value
    }
}

/// A command that follows git's convention for merge drivers.
///
/// In its text `%O`, `%A`, `%B` and `%P` stand for the files with base, ours and theirs, and for
/// the path. It writes its result over ours and exits with 0; 1 declines. Without a base its file
/// is empty. See gitattributes(5), "Defining a custom merge driver".
package struct MergeDriver: Sendable {
    /// The command as written by the user.
    package var command: String

    package init(_ command: String) { self.command = command }

    /// The command with shell variables for the files, so that names need no quoting.
    package var expanded: String {
        var text = ""
        var isPercent = false
        for character in command {
            guard isPercent else {
                if character == "%" { isPercent = true } else { text.append(character) }
                continue
            }
            isPercent = false
            switch character {
            case "O": text += "\"$FILESINKI_BASE\""
            case "A": text += "\"$FILESINKI_HERE\""
            case "B": text += "\"$FILESINKI_THERE\""
            case "P": text += "\"$FILESINKI_PATH\""
            case "L": text += "7"
            case "%": text += "%"
            default: text += "%\(character)"
            }
        }
        return isPercent ? text + "%" : text
    }

    /// The environment variables with the files of the versions.
    package static func variables(
        base: String, here: String, there: String, path: [UInt8]
    ) -> [(name: String, value: [UInt8])] {
        [
            ("FILESINKI_BASE", Array(base.utf8)), ("FILESINKI_HERE", Array(here.utf8)),
            ("FILESINKI_THERE", Array(there.utf8)), ("FILESINKI_PATH", path),
        ]
    }
}
