import FilesinkiSystem
import Glibc

/// A folder that stands for a computer: files, a home of its own, and the built program.
final class Machine {
    let folder: String

    /// How a process ended, and what it wrote.
    struct Finished {
        /// The exit code; 128 and the signal's number when a signal ended it, as shells say it.
        var code: Int32
        var output: String
        var talk: String
    }

    /// A process that was started.
    struct Running {
        let process: pid_t
        fileprivate let number: Int

        /// What it writes, while it runs; see ``Machine/read(_:)``.
        var outputFile: String { "streams/\(number).output" }
        var talkFile: String { "streams/\(number).talk" }

        /// The most memory it has had at once, in bytes; nil when it has ended.
        var peakMemory: Int64? {
            guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
            defer { fclose(file) }
            var line: UnsafeMutablePointer<CChar>?
            defer { free(line) }
            var size = 0
            while getline(&line, &size, file) > 0 {
                let words = line.map { String(cString: $0) }?.split { " \t\n".contains($0) } ?? []
                if words.first == "VmHWM:", words.count > 1 {
                    return Int64(words[1]).map { $0 << 10 }
                }
            }
            return nil
        }
    }

    private var started = 0
    /// Processes that were not waited for.
    private var left: Set<pid_t> = []

    init() throws {
        let parent = getenv("FILESINKI_MACHINES").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/filesinki-machine-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw MachineError.noFolder(errno) }
        folder = String(cString: made)
        guard mkdir(folder + "/streams", 0o755) == 0 else { throw MachineError.noFolder(errno) }
    }

    /// Ends what a test that failed has left behind.
    deinit {
        for process in left {
            kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
        _ = try? shell("chmod -R u+rwx . ; rm -rf \"$PWD\"")
    }

    /// The built program, beside the tests' own.
    static let binary: String = {
        if let path = getenv("FILESINKI_BINARY") { return String(cString: path) }
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
        let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
        return folder + "/filesinki"
    }()

    /// The package's folder, which holds `Scripts`.
    static let package: String = {
        // Tests/EndToEndTests/Machine.swift
        let names = #filePath.split(separator: "/").dropLast(3)
        return "/" + names.joined(separator: "/")
    }()

    /// Runs the program to its end.
    @discardableResult
    func run(_ arguments: String..., input: String = "") throws -> Finished {
        try wait(for: start([Self.binary] + arguments, input: input))
    }

    /// Runs a line of shell; `filesinki` is the program.
    @discardableResult
    func shell(_ line: String) throws -> Finished {
        let function = "filesinki() { \"$FILESINKI\" \"$@\"; }; "
        return try wait(for: start(["/bin/sh", "-c", function + line], input: ""))
    }

    /// Runs a line of bash, and says how much memory the largest of its processes took, in bytes.
    func measured(_ line: String) throws -> (finished: Finished, peakMemory: Int64) {
        let function = "set -o pipefail; filesinki() { \"$FILESINKI\" \"$@\"; }; "
        // What a process took counts from before it became another program, so a small one starts it.
        let script = """
            from resource import RUSAGE_CHILDREN, getrusage
            from subprocess import call
            from sys import argv, exit
            code = call(["/bin/bash", "-c", argv[1]])
            print(getrusage(RUSAGE_CHILDREN).ru_maxrss, file=open("peak", "w"))
            exit(code)
            """
        let finished = try wait(
            for: start(["/usr/bin/env", "python3", "-c", script, function + line], input: ""))
        let kibibytes = Int64(read("peak")?.dropLast() ?? "") ?? .max >> 10
        return (finished, kibibytes << 10)
    }

    /// Starts a process in this folder, with streams in files.
    func start(_ command: [String], input: String) throws -> Running {
        started += 1
        let stream = folder + "/streams/\(started)"
        try write(input, to: "streams/\(started).input")
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        // What is started takes the place of this. A shell that starts the tests in the background lets them ignore
        // signals, and so would the process, for which a test then waits for ever.
        let enter = ["/usr/bin/env", "-C", folder, "--default-signal"] + command
        let process = try ChildProcess(
            "/usr/bin/env", enter.map { Array($0.utf8) },
            environment: environment.map { Array($0.utf8) },
            streams: [
                STDIN_FILENO: .file(stream + ".input", flags: O_RDONLY, mode: 0),
                STDOUT_FILENO: .file(stream + ".output", flags: flags, mode: 0o644),
                STDERR_FILENO: .file(stream + ".talk", flags: flags, mode: 0o644),
            ]
        ).start()
        left.insert(process)
        return Running(process: process, number: started)
    }

    /// Waits for the end of a process.
    func wait(for running: Running) throws -> Finished {
        let status = try status(afterEndOf: running)
        let signal = status & 0x7F
        return Finished(
            code: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
            output: read(running.outputFile) ?? "", talk: read(running.talkFile) ?? "")
    }

    /// Waits for the end of a process, and says how it ended, as waitpid(2) does.
    func status(afterEndOf running: Running) throws -> Int32 {
        var status: Int32 = 0
        while waitpid(running.process, &status, 0) < 0 {
            guard errno == EINTR else { throw MachineError.noProcess(errno) }
        }
        left.remove(running.process)
        return status
    }

    private var environment: [String] {
        [
            "HOME=\(folder)/home", "XDG_DATA_HOME=\(folder)/data",
            "XDG_CONFIG_HOME=\(folder)/config", "FILESINKI=\(Self.binary)", "LC_ALL=C.UTF-8",
            "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp",
        ]
    }

    /// Makes or replaces a file whose folder is there.
    func write(_ text: String, to name: String) throws {
        guard let file = fopen(folder + "/" + name, "w") else { throw MachineError.noFile(errno) }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw MachineError.noFile(errno) }
    }

    /// A file's text; nil if it does not exist.
    func read(_ name: String) -> String? {
        guard let file = fopen(folder + "/" + name, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why a machine could not do what a test wants of it.
enum MachineError: Error {
    case noFolder(Int32)
    case noFile(Int32)
    case noProcess(Int32)
}
