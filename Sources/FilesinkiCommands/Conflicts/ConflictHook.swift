import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import Glibc

/// `--on-conflict` and `--notify`: what is done about each new conflict.
struct ConflictHookOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run this with sh for each new open conflict, with FILESINKI_PATH in its environment.",
            discussion: """
                Also FILESINKI_ROOT, FILESINKI_COPY (the conflict copy, if there is one) and \
                FILESINKI_RULE. A failure is a warning.
                """,
            valueName: "command"))
    var onConflict: String?

    @Flag(
        name: .long,
        help: "Show a desktop notification for each new open conflict, with notify-send.")
    var notify = false

    /// What is run for each new conflict.
    func commands(in console: Console) -> [HookCommand] {
        var commands = onConflict.map { [HookCommand($0, of: "--on-conflict", console)] } ?? []
        if notify, let text = DesktopNotification.command(console.environment) {
            commands.append(HookCommand(text, of: "--notify", console))
        }
        return commands
    }
}

/// A notification of the desktop about a conflict.
enum DesktopNotification {
    /// The path is in the summary, because desktops read the body as markup.
    private static let text = """
        exec notify-send --app-name=filesinki --icon=dialog-warning -- \
        "Conflict: $FILESINKI_PATH" 'filesinki resolve -i resolves it.'
        """

    /// The command that shows it; nil without a desktop, as in cron or on a server.
    static func command(_ environment: [String: String]) -> String? {
        let address = environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        let bus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" } ?? ""
        return !address.isEmpty || access(bus, F_OK) == 0 ? text : nil
    }
}

/// Runs commands once for each conflict that was not open before, one at a time. Names are passed in the
/// environment and never become part of the command's text.
actor ConflictHook {
    private let commands: [HookCommand]
    private let settings: ReplicaOptions
    private let console: Console
    /// The conflicts that were open the last time.
    private var known: Set<Key>
    private var waiting: [OpenConflict] = []
    private var running: Task<Void, Never>?

    /// A conflict that is open until it is resolved, and then is another one.
    private struct Key: Hashable {
        var path: RelativePath
        var copy: RelativePath?
        var time: Timestamp

        init(_ conflict: OpenConflict) {
            path = conflict.path
            copy = conflict.copy
            time = conflict.time
        }
    }

    /// The hook of a replica, whose conflicts that are open now are not new; nil without a command.
    static func make(
        _ commands: [HookCommand], _ settings: ReplicaOptions, in console: Console
    ) async throws -> ConflictHook? {
        guard !commands.isEmpty else { return nil }
        return try await ConflictHook(commands, settings, console)
    }

    private init(
        _ commands: [HookCommand], _ settings: ReplicaOptions, _ console: Console
    ) async throws {
        self.commands = commands
        self.settings = settings
        self.console = console
        known = Set(try await Self.open(settings).map(Key.init))
    }

    private static func open(_ settings: ReplicaOptions) async throws -> [OpenConflict] {
        let replica = try await Replica.open(settings, writable: false)
        let conflicts = try await replica.conflicts()
        await replica.close()
        return conflicts
    }

    /// Finds the conflicts that are new, and starts the commands for them beside the caller.
    func check() async {
        do {
            let conflicts = try await Self.open(settings)
            waiting += conflicts.filter { !known.contains(Key($0)) }
            known = Set(conflicts.map(Key.init))
        } catch { console.complain("Nothing was run for new conflicts. \(error)") }
        guard running == nil, !waiting.isEmpty else { return }
        running = Task { await self.drain() }
    }

    /// Waits until the commands were run for every new conflict.
    func finish() async { await running?.value }

    private func drain() async {
        while !waiting.isEmpty {
            let conflict = waiting.removeFirst()
            for command in commands { await command.run(variables(of: conflict)) }
        }
        running = nil
    }

    private func variables(of conflict: OpenConflict) -> [(name: String, value: [UInt8])] {
        [
            ("FILESINKI_ROOT", Array(settings.root.utf8)), ("FILESINKI_PATH", conflict.path.bytes),
            ("FILESINKI_COPY", conflict.copy?.bytes ?? []),
            ("FILESINKI_RULE", Array(conflict.rule.utf8)),
        ]
    }
}
