import FilesinkiModel
import FilesinkiSystem
import Glibc

extension Console {
    /// The console of this process: its own streams, environment and clock.
    ///
    /// - Parameter network: What this program can do over a network.
    package static func ofProcess(network: NetworkAccess) -> Console {
        holdStandardStreams()
        return Console(
            output: DescriptorSink(STDOUT_FILENO, name: "standard output"),
            talk: DescriptorSink(STDERR_FILENO, name: "standard error"),
            input: STDIN_FILENO,
            environment: environmentOfProcess(),
            currentFolder: currentFolderOfProcess(),
            terminals: Terminals(
                input: isatty(STDIN_FILENO) == 1, output: isatty(STDOUT_FILENO) == 1,
                talk: isatty(STDERR_FILENO) == 1, columns: columnsOfProcess),
            systemContext: .ofMachine,
            network: network,
            interruptions: .ofProcess)
    }

    /// Keeps the numbers of closed streams from being given to files that are opened next: what is
    /// then read from or written to one fails, and nothing is taken for an empty input.
    private static func holdStandardStreams() {
        let wrongWay = [STDIN_FILENO: O_WRONLY, STDOUT_FILENO: O_RDONLY, STDERR_FILENO: O_RDONLY]
        for (stream, flags) in wrongWay.sorted(by: { $0.key < $1.key })
        where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", flags)
        }
    }

    /// The arguments of this process without its name, as the bytes they are.
    package static func argumentsOfProcess() -> [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
            }
        }
    }

    /// The width of standard error's terminal; 80 where it does not say.
    @Sendable private static func columnsOfProcess() -> Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func currentFolderOfProcess() -> String {
        guard let buffer = getcwd(nil, 0) else { return "/" }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    private static func environmentOfProcess() -> [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            next += 1
        }
        return result
    }
}
