import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// `kv bridge`: a settings file and the store in step.
struct KeyValueBridgeCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Sync a settings file with the store, key by key.",
        discussion: """
            The file is JSON, .env, INI or an XML property list. The state last agreed on is \
            remembered, so deletions on either side are synced. Everything else in the file is \
            left alone. On the first sync the store's value of a key is kept.
            """)

    @Argument(help: "The settings file; created if it does not exist.", completion: .file())
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp("Only these keys, separated by commas.", valueName: "keys"))
    var keys: String?

    @Option(name: .long, help: "json, env, ini or plist; by default from the file's name.")
    var format: String?

    @Flag(name: .long, help: "Keep running and sync changes on either side.")
    var watch = false

    @OptionGroup var interval: IntervalOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func validate() throws {
        if interval.minInterval != nil, !watch {
            throw ValidationError("--min-interval needs --watch.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let interval = try interval.duration()
        let bridging = Bridging(
            place: FilePlace.absolute(
                ArgumentText.bytes(of: file), in: console.currentFolder),
            file: file, format: try chosenFormat(), keys: try chosenKeys(),
            publishWait: publishWait,
            options: options)
        let session = try await options.open(in: console)
        guard watch else { return try await bridging.run(session, in: console).code }
        return try await console.untilInterrupted {
            try await bridging.watch(session, interval, in: console)
        }
    }

    private func chosenKeys() throws -> Set<ValueKey>? {
        guard let keys else { return nil }
        return try Set(
            keys.split(separator: ",").map { text throws(Failure) in try options.key(String(text)) }
        )
    }

    private func chosenFormat() throws(Failure) -> SettingsFile.Format {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let found =
            format.map { SettingsFile.Format(rawValue: $0) }
            ?? SettingsFile.Format(fileName: name)
        guard let found else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: file),
                "Cannot detect the format of this file.",
                remedy: "Give --format json, env, ini or plist.")
        }
        return found
    }
}

/// The work of a bridge.
private struct Bridging: Sendable {
    /// The file's absolute path.
    let place: [UInt8]
    /// The file as the user named it.
    let file: String
    let format: SettingsFile.Format
    let keys: Set<ValueKey>?
    let publishWait: PublishWaitOption
    let options: KeyValueOptions

    /// The largest file that is read, in bytes.
    private static let limit = 16 << 20

    /// One run: fetch, compare, change both sides, publish.
    ///
    /// - Returns: The exit code, and the state of the file that the run has seen or written.
    func run(
        _ session: KeyValueSession, in console: Console
    ) async throws -> (code: ExitCode, seen: SeenFile) {
        _ = try await session.send(PublishWaitOption.none, operation: "kv bridge", in: console)
        let (report, seen) = try await exchange(session, in: console)
        let sent = try await session.send(publishWait, operation: "kv bridge", in: console)
        let code: ExitCode =
            report.unfit.isEmpty ? sent.code(publishWait) : .partial
        try show(report, code, in: console)
        if code == .away || !report.toStore.isEmpty { console.sayUnpublished(sent) }
        return (code, seen)
    }

    /// Compares the file with the store, and changes both. If the file is saved before it is written, what was saved is read first.
    private func exchange(
        _ session: KeyValueSession, in console: Console
    ) async throws -> (report: BridgeReport, seen: SeenFile) {
        var sent: [ValueKey] = []
        while true {
            let seen = SeenFile(stamp: FileStamp(at: place))
            let status = FileCall.status(place)
            var (report, bridge) = try await compare(status, session, in: console)
            report.toStore = sent + report.toStore.filter { !sent.contains($0) }
            sent = report.toStore
            guard let content = report.content else {
                try await session.values.remember(report, bridge)
                return (report, seen)
            }
            guard seen.isCurrent(place) else { continue }
            try write(content, mode: status?.st_mode, in: console)
            try await session.values.remember(report, bridge)
            return (report, try written(content, in: console))
        }
    }

    /// - Parameter status: That of the file; nil if there is none.
    private func compare(
        _ status: stat?, _ session: KeyValueSession, in console: Console
    ) async throws -> (report: BridgeReport, bridge: SettingsBridge) {
        let time = status.map {
            Timestamp(seconds: Int64($0.st_mtim.tv_sec), nanoseconds: Int64($0.st_mtim.tv_nsec))
        }
        let bytes =
            status == nil ? [] : try InputFile(file, in: console).readAll(limit: Self.limit)
        let bridge = SettingsBridge(
            name: printable(place), keys: keys, prefix: options.prefixBytes,
            time: time ?? console.systemContext.now())
        return (try await session.values.bridge(SettingsFile(bytes, format), bridge), bridge)
    }

    /// The state of the file that was just written; none if a user has saved it since.
    private func written(_ content: [UInt8], in console: Console) throws -> SeenFile {
        let seen = SeenFile(stamp: FileStamp(at: place))
        let bytes = try InputFile(file, in: console).readAll(limit: Self.limit)
        return bytes == content ? seen : SeenFile(stamp: nil, isOther: true)
    }

    /// Replaces the file. Its permissions are the same at every moment.
    private func write(_ content: [UInt8], mode: mode_t?, in console: Console) throws {
        guard let mode else { return try console.write(content, to: file) }
        let former = umask(~mode & 0o777)
        defer { umask(former) }
        try console.write(content, to: file)
        _ = (place.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { name in
            name.baseAddress.map { chmod($0, mode & 0o777) }
        }
    }

    /// Runs again whenever the file or the store changes, and not before the interval is over.
    func watch(
        _ session: KeyValueSession, _ interval: Duration, in console: Console
    ) async throws -> ExitCode {
        let observer = try await ValueObserver(
            session.values, place: session.place, minimumInterval: interval
        ) { console.complain($0) }
        while true {
            let seen = try await run(session, in: console).seen
            if interval > .zero { try await console.systemContext.sleep(interval) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await observer.next() }
                group.addTask { [place] in
                    while seen.isCurrent(place) {
                        try await console.systemContext.sleep(.milliseconds(200))
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func show(_ report: BridgeReport, _ code: ExitCode, in console: Console) throws {
        for key in report.unfit {
            console.say("\(key): a \(format.rawValue) file cannot hold this value.")
        }
        guard console.outputOptions.isJSON else {
            return console.detail(
                "\(report.toStore.count) keys read from the file, \(report.toFile.count) written to it."
            )
        }
        var object: JSONObject = ["type": "bridge"]
        object.add("exit", code.rawValue)
        object.add("to_store", .array(report.toStore.map { $0.jsonValue(options) }))
        object.add("to_file", .array(report.toFile.map { $0.jsonValue(options) }))
        object.add("unfit", .array(report.unfit.map { $0.jsonValue(options) }))
        try console.output.json(object)
    }
}

/// A state of the file, which tells whether it was saved since.
private struct SeenFile: Sendable {
    /// Nil if there was no file.
    var stamp: FileStamp?
    /// Whether the file is another one by now.
    var isOther = false

    func isCurrent(_ place: [UInt8]) -> Bool { !isOther && FileStamp(at: place) == stamp }
}

extension PublishWaitOption {
    /// A change that waits is enough.
    fileprivate static var none: PublishWaitOption {
        var option = PublishWaitOption()
        option.wait = false
        return option
    }
}
