import FilesinkiModel
package import FilesinkiRemote
import Glibc

extension Console {
    /// The console of this process: its own streams, environment, clock and remotes.
    package static func ofProcess() -> Console {
        let folder = currentFolderOfProcess()
        return Console(
            output: DescriptorSink(STDOUT_FILENO, name: "standard output"),
            talk: DescriptorSink(STDERR_FILENO, name: "standard error"),
            input: STDIN_FILENO,
            environment: environmentOfProcess(),
            currentFolder: folder,
            terminals: Terminals(
                input: isatty(STDIN_FILENO) == 1, output: isatty(STDOUT_FILENO) == 1,
                talk: isatty(STDERR_FILENO) == 1),
            surroundings: surroundingsOfProcess,
            connect: connect(from: folder))
    }

    /// Opens the remote at an address; a relative path begins at `folder`.
    package static func connect(
        from folder: String
    ) -> @Sendable (String) throws -> any Remote {
        { try RemoteAddress($0, currentFolder: folder).connect() }
    }

    /// The arguments of this process without its name, as the bytes they are.
    package static func argumentsOfProcess() -> [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
            }
        }
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

    private static var surroundingsOfProcess: Surroundings {
        Surroundings(
            now: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
            },
            randomBytes: { count in
                var generator = SystemRandomNumberGenerator()
                return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            },
            sleep: { try await Task.sleep(for: $0) })
    }
}
