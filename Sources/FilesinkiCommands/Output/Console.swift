import FilesinkiDirectory
package import FilesinkiEngine
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiRules
import FilesinkiSSH
import FilesinkiSystem
import Glibc
import Synchronization

/// What a command sees of the process around it: streams, environment, clock and remotes. The
/// executable gives the real ones, a test its own.
package final class Console: Sendable {
    /// Standard output: data.
    package let output: Output
    /// Standard error: talk.
    private let talk: Output
    /// The file descriptor of standard input.
    package let input: Int32
    /// The environment's variables.
    package let environment: [String: String]
    /// The absolute path of the current folder.
    package let currentFolder: String
    /// Which of the streams are terminals.
    package let terminals: Terminals
    /// The clock and chance.
    package let systemContext: SystemContext
    /// What this program can do over a network.
    package let network: NetworkAccess
    /// Remotes that are reached over ssh, which both programs can do.
    let ssh: SSHRemotes
    /// What limits connections.
    let bandwidths: Bandwidths
    /// What `doctor` wants to know of the machine.
    let machine: MachineFacts
    /// Waits until a command's time is over: the machine's clock, also where a test has its own.
    let timer: @Sendable (Duration) async throws -> Void
    /// What ends a command that would go on for ever.
    package let interruptions: Interruptions
    /// What a command has of the process that runs it beside others; nil in a process of its own.
    let call: CallContext?
    private let storedOutputOptions = Mutex(OutputOptions())
    private let storedState = Mutex<StateFolder?>(nil)
    private let storedHints = Mutex(CommandHints.none)

    /// Which of the streams are terminals.
    package struct Terminals: Sendable {
        package var input: Bool
        package var output: Bool
        package var talk: Bool
        /// How wide the terminal is at present.
        package var columns: @Sendable () -> Int

        package init(
            input: Bool = false, output: Bool = false, talk: Bool = false,
            columns: @escaping @Sendable () -> Int = { 80 }
        ) {
            self.input = input
            self.output = output
            self.talk = talk
            self.columns = columns
        }
    }

    /// What the user wants to see.
    struct OutputOptions {
        /// How much is said on standard error.
        enum Verbosity {
            case quiet, normal, verbose
        }

        var verbosity = Verbosity.normal
        var color = DisplayPolicy.auto
        var progress = DisplayPolicy.auto
        /// Whether results are for programs.
        var isJSON = false
        /// Whether lists of paths are bare, each path ended by a NUL byte.
        var isNull = false
        /// Whether a person is being asked, and nothing else may be drawn.
        var isAsking = false
    }

    package init(
        output: any ByteSink, talk: any ByteSink, input: Int32, environment: [String: String],
        currentFolder: String, terminals: Terminals, systemContext: SystemContext,
        network: NetworkAccess, interruptions: Interruptions = .none,
        machine: MachineFacts = .real,
        timer: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.output = Output(output)
        self.talk = Output(talk)
        self.input = input
        self.environment = environment
        self.currentFolder = currentFolder
        self.terminals = terminals
        self.systemContext = systemContext
        self.network = network
        ssh = SSHRemotes(
            SSHCommand(environment: { environment[$0] }, isInteractive: terminals.talk),
            systemContext: systemContext)
        bandwidths = Bandwidths(systemContext)
        self.machine = machine
        self.timer = timer
        self.interruptions = interruptions
        call = nil
    }

    /// The console of a command that a process runs beside others. It shares clock, environment and
    /// connections with `console`; nobody reads messages, and nothing is drawn.
    init(of console: Console, _ call: CallContext, output: any ByteSink) {
        self.output = Output(output)
        talk = Output(DiscardingSink())
        input = -1
        environment = console.environment
        currentFolder = console.currentFolder
        terminals = Terminals()
        systemContext = console.systemContext
        network = console.network.withoutBecoming
        ssh = console.ssh
        bandwidths = console.bandwidths
        machine = console.machine
        timer = console.timer
        interruptions = .none
        self.call = call
        outputOptions.isJSON = true
    }

    /// What the user wants to see; set by the command's options.
    var outputOptions: OutputOptions {
        get { storedOutputOptions.withLock { $0 } }
        set { storedOutputOptions.withLock { $0 = newValue } }
    }

    /// The state folder of the replica that the command has opened; nil before.
    var state: StateFolder? {
        get { storedState.withLock { $0 } }
        set { storedState.withLock { $0 = newValue } }
    }

    /// How messages name commands for the replica that the command works on.
    var hints: CommandHints {
        get { storedHints.withLock { $0 } }
        set { storedHints.withLock { $0 = newValue } }
    }

    /// Opens the remote at an address; a relative path begins at the current folder.
    ///
    /// - Parameter replica: Whose settings limit the connection; nil if only the command line does.
    package func connector(
        _ access: RemoteAccess, of replica: ReplicaOptions? = nil
    ) -> @Sendable (String) throws -> any Remote {
        // A zone that stays open between calls keeps this. With the console of the call that opened
        // it, it would keep itself, and never be closed. Nobody reads what a call says.
        let speaker: Console? = call == nil ? self : nil
        return { [network, ssh, bandwidths, currentFolder, environment] text in
            switch try RemoteAddress(text, currentFolder: currentFolder) {
            case .folder(let path):
                if let speaker, let unused = bandwidths.takeUnused() { speaker.say(unused) }
                return DirectoryRemote(path: path)
            case .ssh(let address):
                return ssh.connect(
                    address, bandwidth: try bandwidths.bandwidth(of: replica),
                    note: access.sshNote, setting: try Console.sshSetting(of: replica, environment))
            case .network(let address):
                var access = access
                access.bandwidth = try bandwidths.bandwidth(of: replica)
                return try network.connect(address, access)
            }
        }
    }

    /// What the settings of a replica, or without one those of the user, say to run in place of ssh. A setting that is
    /// wrong says nothing; the run reports it.
    ///
    /// - Throws: `Failure` when a settings file cannot be read.
    static func sshSetting(
        of replica: ReplicaOptions?, _ environment: [String: String]
    ) throws -> String? {
        if let replica {
            return RulesLoad(synced: nil, device: try replica.deviceFiles()).rules.sshCommand
        }
        guard let path = Settings.userFile(environment: { environment[$0] }),
            let bytes = try StateFile.read(path, followingSymlinks: true)
        else { return nil }
        return RulesLoad(synced: nil, device: [.init(path: path, bytes: bytes)]).rules.sshCommand
    }

    /// Lets the next connection find out anew what a host has that is reached over ssh.
    func askHostAnew(_ access: RemoteAccess) {
        if let note = access.sshNote { SSHRemotes.forget(note: note) }
    }

    /// Keeps what was given to reach a remote over a network, for the replica's later runs.
    func pin(_ address: RemoteAddress, _ access: RemoteAccess) throws {
        if case .network(let text) = address { try network.pin(text, access) }
    }

    /// Makes ready for a remote, before anything is done that cannot be done again.
    func prepare(for address: RemoteAddress) throws {
        if case .network = address { try network.prepare() }
    }

    /// The same for the address that a replica remembers; nil for none.
    func prepare(forRemembered address: String?) throws {
        guard let address else { return }
        try prepare(for: RemoteAddress(address, currentFolder: currentFolder))
    }

    /// Says something that a person may want to know; not with `-q`. `other` is what follows about other devices.
    func say(_ text: String, other: String = "") {
        if outputOptions.verbosity != .quiet { writeTalk(hints.text(text) + other) }
    }

    /// Says something that only helps to understand; only with `-v`. `other` is what follows about other devices.
    func detail(_ text: String, other: String = "") {
        if outputOptions.verbosity == .verbose { writeTalk(hints.text(text) + other) }
    }

    /// Says what went wrong: which path, what happened, what to do. Also with `-q`.
    func complain(_ failure: Failure) {
        call?.report(failure)
        writeTalk("filesinki: " + talkStyle.red(worded(failure).description), failure.path)
        if outputOptions.verbosity == .verbose, let cause = failure.cause {
            writeTalk("  because: \(cause)")
        }
    }

    /// Says what went wrong in words of its own. Also with `-q`.
    func complain(_ text: String) {
        writeTalk("filesinki: " + hints.text(text))
    }

    /// Asks something that has to be answered. Also with `-q`.
    func ask(_ text: String) {
        writeTalk(text)
    }

    /// Puts a text in the place of the line that the terminal shows last.
    ///
    /// - Parameters:
    ///   - length: The columns of that line; in a terminal that has become narrower it takes several
    ///     rows by now.
    ///   - columns: The terminal's width.
    func redrawTalk(_ text: String, over length: Int, columns: Int) {
        let rows = max(0, length - 1) / max(1, columns)
        let up = rows > 0 ? "\u{1B}[\(rows)A" : ""
        try? talk.write(("\r" + up + "\u{1B}[J" + text).utf8)
        try? talk.flush()
    }

    /// The columns of standard output, if it is a terminal; nil elsewhere, where lines are not broken.
    var outputColumns: Int? { terminals.output ? max(20, terminals.columns()) : nil }

    /// Colours for standard output, if it is a terminal that wants them.
    var outputStyle: TerminalStyle { style(isTerminal: terminals.output) }

    /// Colours for standard error, if it is a terminal that wants them.
    var talkStyle: TerminalStyle { style(isTerminal: terminals.talk) }

    private func style(isTerminal: Bool) -> TerminalStyle {
        switch outputOptions.color {
        case .always: return TerminalStyle(isEnabled: true)
        case .never: return TerminalStyle(isEnabled: false)
        case .auto: break
        }
        // https://no-color.org: set and not empty means no; an option overrides it.
        let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        return TerminalStyle(isEnabled: isTerminal && !isRefused)
    }

    /// Writes the heading of the output, if it is not written yet: before the first message, too.
    func writeHeading() {
        guard let heading = output.takeHeading() else { return }
        if outputOptions.verbosity == .quiet {
            try? talk.line(heading)
        } else {
            try? output.line(heading)
            try? output.flush()
        }
    }

    /// A message that cannot be written is dropped.
    private func writeTalk(_ text: String, _ path: [UInt8] = []) {
        writeHeading()
        try? talk.line(terminals.talk ? MessageText.folded(text, path, terminals.columns()) : text)
        try? talk.flush()
    }
}

extension Console {
    /// Where a command prints a content: standard output, unless a caller has a place for it.
    var contentOutput: Output { call?.content ?? output }

    /// Tells a caller that what comes from now on will be printed.
    func announceReady() { call?.onReady() }

    /// Writes bytes to a file, whole or not at all, or to standard output.
    func write(_ bytes: [UInt8], to file: String?) throws {
        guard let target = try outputFile(file) else { return try contentOutput.write(bytes) }
        try bytes.withUnsafeBytes(target.write)
        try target.finish()
    }

    /// Refuses to mix a content with the object that tells of it.
    ///
    /// - Throws: `Failure` with code `usage` when both were to go to standard output.
    func requireFile(_ file: String?) throws(Failure) {
        guard outputOptions.isJSON, call == nil, file == nil || file == "-" else { return }
        throw Failure(
            .usage, "With --json, the content cannot be written to standard output.",
            remedy: "Give a file with -o.")
    }
}

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

    /// A console for commands of a process whose streams are not theirs: it reads and writes nothing.
    static func ofCalls(network: NetworkAccess) -> Console {
        Console(
            output: DiscardingSink(), talk: DiscardingSink(), input: -1,
            environment: environmentOfProcess(), currentFolder: currentFolderOfProcess(),
            terminals: Terminals(), systemContext: .ofMachine, network: network)
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
        Array(ProcessArguments.all.dropFirst())
    }

    /// The width of the terminal; 80 where it does not say.
    @Sendable private static func columnsOfProcess() -> Int {
        for stream in [STDERR_FILENO, STDOUT_FILENO] {
            var size = winsize()
            if ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
                return Int(size.ws_col)
            }
        }
        return 80
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
