import CKernel
package import FilesinkiModel
import Glibc

/// A command of the user's, run by `sh -c` with a time limit and an environment of its own.
///
/// Names of files and paths are given in the environment and never become part of the command's
/// text, whatever bytes they have. The command reads what it is given or nothing, and has a process
/// group of its own, so that everything it started ends with it when its time is over.
package struct UserCommand: Sendable {
    /// How much of this process's environment a command gets.
    package enum Inheritance: Sendable {
        /// Nothing that may hold a secret.
        case little
        /// All of it, for a command that looks up secrets itself.
        case all
    }

    /// What the shell runs.
    package var text: String
    /// Added to the environment.
    package var variables: [(name: String, value: [UInt8])]
    /// How long it may take.
    package var limit: Duration
    package var inheritance: Inheritance
    /// What it reads; nil for nothing.
    package var input: [UInt8]?
    /// Where what it prints goes: a descriptor of this process; nil to keep it for the outcome.
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

    /// What came of it.
    package enum Outcome: Equatable, Sendable {
        /// It ended by itself; a signal gives 128 and its number.
        case ended(code: Int32, output: [UInt8])
        case ranOutOfTime
    }

    /// More output than this is not kept.
    package static let outputLimit = 64 << 10

    /// What is passed on from the environment of this process: nothing that may hold a secret.
    private static let inherited = ["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ"]

    /// Runs the command, and waits for its end.
    ///
    /// - Throws: `Failure` with code `io` when it could not be started.
    package func run() throws(Failure) -> Outcome {
        let memory = try input.map { bytes throws(Failure) in try Self.memory(holding: bytes) }
        let pipe = try SystemError.reported("run the command", text.utf8) {
            () throws(SystemError) in
            try Pipe()
        }
        _ = fcntl(pipe.reading.raw, F_SETFL, O_NONBLOCK)
        let child = spawn(input: memory?.handle.raw, output: output ?? pipe.writing.raw)
        pipe.writing.close()
        guard let child else { throw failure("the shell did not start") }
        let outcome = CommandWait(child: child, output: pipe.reading.raw, limit: limit).finish()
        // Open to the end, as is what the command reads.
        pipe.reading.close()
        return withExtendedLifetime(memory) { outcome }
    }

    /// A file in memory: of any size, and nobody waits for it to be read or minds if it is not.
    private static func memory(holding bytes: [UInt8]) throws(Failure) -> NamedFile {
        guard let handle = FileHandle(fsk_memory_file("events")) else {
            throw SystemError.last.failure("keep the command's input in memory", "")
        }
        let file = NamedFile(handle, path: [], of: .own)
        try file.write(bytes)
        lseek(file.handle.raw, 0, SEEK_SET)
        return file
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
        if inheritance == .all { return Self.whole + variables.map(Self.pair) }
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

    private static var whole: [[UInt8]] {
        var pairs: [[UInt8]] = []
        var next = environ
        while let entry = next.pointee {
            pairs.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
            next += 1
        }
        return pairs
    }
}

/// A command by git's convention of a merge driver.
///
/// In its text `%O`, `%A`, `%B` and `%P` stand for the files with base, here and there, and for the path.
/// It leaves its result in the place of here and exits with 0; 1 declines. Where there is no base its file
/// is empty. See gitattributes(5), "Defining a custom merge driver".
package struct MergeDriver: Sendable {
    /// The command as the user wrote it.
    package var command: String

    package init(_ command: String) { self.command = command }

    /// The files are variables of the shell, so that no name needs quoting.
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

    /// What the command is told about the versions.
    package static func variables(
        base: String, here: String, there: String, path: [UInt8]
    ) -> [(name: String, value: [UInt8])] {
        [
            ("FILESINKI_BASE", Array(base.utf8)), ("FILESINKI_HERE", Array(here.utf8)),
            ("FILESINKI_THERE", Array(there.utf8)), ("FILESINKI_PATH", path),
        ]
    }
}
