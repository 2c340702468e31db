import FilesinkiEngine
import FilesinkiModel
import FilesinkiRPC
import FilesinkiText
import Synchronization

/// Carries out calls as commands of one replica, in this process.
struct CommandService: RPCService {
    /// A method of this replica. Its command is parsed by the first call: all at the start would take longer
    /// than most calls.
    private final class BoundMethod: Sendable {
        /// A function in a value of its own: one that goes in and out of a generic type by itself is wrapped anew each
        /// time, so that calls would take longer with each call.
        private struct Prepared {
            let prepare: RPCMethod.Preparation
        }

        let method: RPCMethod
        private let options: [String]
        private let bound = Mutex<Prepared?>(nil)

        init(_ method: RPCMethod, _ options: [String]) {
            self.method = method
            self.options = options
        }

        func prepare(
            _ parameters: RPCParameters
        ) throws -> (work: RPCMethod.Work, input: [UInt8]) {
            try prepared().prepare(parameters)
        }

        private func prepared() throws -> Prepared {
            try bound.withLock { bound in
                if let bound { return bound }
                let made = Prepared(prepare: try method.bind(options))
                bound = made
                return made
            }
        }
    }

    /// The replica's state folder.
    let state: StateFolder
    private let console: Console
    private let zones: OpenZones
    private let methods: [String: BoundMethod]

    /// The most bytes of the objects that a command may print.
    static let outputLimit = 64 << 20
    /// The most bytes of a content: as many as a line with it may have.
    static let contentLimit = 12 << 20

    /// Finds the replica; the default one is made when it is not there.
    ///
    /// - Throws: `Failure` as every command does that works on a replica.
    init(_ options: RootOptions, in console: Console) async throws {
        let (root, settings) = try await options.findOrMake(in: console)
        // Now, as the program may become another one to reach the remote: later a call would be lost.
        try console.prepare(forRemembered: ReplicaConfig.read(settings).remote)
        var words = ["--root=\(root.path)", "--lock-wait=\(options.waiting.lockWait)"]
        if let state = settings.state { words.append("--state=\(state)") }
        self.console = console
        state = settings.stateFolder
        zones = OpenZones(settings.stateFolder)
        var methods: [String: BoundMethod] = [:]
        for method in RPCMethods.all {
            methods[method.name] = BoundMethod(method, words)
        }
        self.methods = methods
    }

    func outcome(of request: RPCRequest, for client: RPCClient) async -> RPCOutcome {
        await outcome(of: request, client: client)
    }

    /// - Parameter client: Nil for a caller that cannot be sent notifications.
    func outcome(of request: RPCRequest, client: RPCClient?) async -> RPCOutcome {
        do {
            if request.method == RPCMethods.list { return .success(RPCMethods.json) }
            let (bound, work, input) = try prepared(request)
            if case .watch(let event) = bound.method.form {
                guard let client else {
                    throw RPCError.unknownMethod("A watch needs a connection that gets its lines.")
                }
                return .success(try await startWatch(work, event, for: client))
            }
            guard let client, bound.method.tellsProgress,
                try request.parameters.isSet(RPCParameter.progress.name)
            else { return .success(try await result(of: work, input, bound.method)) }
            let now = console.systemContext.now
            let told = try await client.withProgress(of: request, now: { now().nanoseconds }) {
                [method = bound.method] progress in
                try await result(of: work, input, method) { progress?.tell($0.json.bytes) }
            }
            return .success(told)
        } catch {
            return .failure(RPCError(thrown: error))
        }
    }

    /// The work of a method that goes on.
    func watch(_ request: RPCRequest) throws -> RPCMethod.Work {
        let (bound, work, _) = try prepared(request)
        guard case .watch = bound.method.form else {
            throw RPCError.unknownMethod("The method does not go on.")
        }
        return work
    }

    private func prepared(
        _ request: RPCRequest
    ) throws -> (bound: BoundMethod, work: RPCMethod.Work, input: [UInt8]) {
        guard let bound = methods[request.method] else {
            throw RPCError.unknownMethod(
                "Unknown method. "
                    + NearestWord.suggestion(for: request.method, among: Array(methods.keys))
                    + "rpc.methods lists the methods.")
        }
        try bound.method.check(request.parameters)
        try Task.checkCancellation()
        let (work, input) = try bound.prepare(request.parameters)
        return (bound, work, input)
    }

    /// The console of a call.
    func callConsole(_ context: CallContext, output: any ByteSink) -> Console {
        Console(of: console, context, output: output)
    }

    /// Runs a command, and makes the result of what it prints.
    private func result(
        of work: RPCMethod.Work, _ input: [UInt8], _ method: RPCMethod,
        telling onProgress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> [UInt8] {
        let failures = FirstFailure()
        let output = CollectingSink(limit: Self.outputLimit, excess: .tooMuchOutput)
        let content = CollectingSink(limit: Self.contentLimit, excess: .tooMuchContent)
        var context = CallContext(
            input: input, content: Output(content), zones: zones,
            report: { failures.report($0) }, refuse: { failures.report($0) })
        context.onProgress = onProgress
        let console = callConsole(context, output: output)
        let code: ExitCode
        do {
            code = try await work(console)
            try console.output.flush()
            try console.contentOutput.flush()
        } catch {
            try? console.output.flush()
            throw RPCError(thrown: error, printed: output.lines)
        }
        let lines = output.lines
        // A negative answer is one, if the command has no other failure to report.
        let isAnswer =
            method.answers.contains(code) && (code != .negative || failures.failure == nil)
        guard isAnswer, let result = method.form.result(of: lines, content.bytes) else {
            let failure = failures.failure ?? .exited(code)
            throw RPCError(
                failure, exit: code, printed: lines, conflict: failures.conflict)
        }
        return result
    }
}

extension RPCMethod.Form {
    /// The result that a command's output makes; nil if it makes none.
    fileprivate func result(of lines: [ArraySlice<UInt8>], _ content: [UInt8]) -> [UInt8]? {
        if case .list = self {
            return JSONValue.array(lines.map { .written(Array($0)) }).bytes
        }
        guard let last = lines.last, last.last == UInt8(ascii: "}") else { return nil }
        var result = Array(last.dropLast())
        if case .content = self {
            if let text = String(validating: content, as: UTF8.self) {
                JSONValue.string(text).append(",\"text\":", to: &result)
            } else {
                JSONValue.string(Base64.encode(content)).append(",\"base64\":", to: &result)
            }
        }
        if lines.count > 1 {
            let notices = JSONValue.array(lines.dropLast().map { .written(Array($0)) })
            notices.append(",\"notices\":", to: &result)
        }
        return result + [UInt8(ascii: "}")]
    }
}

extension Progress {
    /// The progress for `rpc.progress`. Totals that are not known yet are left out.
    fileprivate var json: JSONObject {
        var object: JSONObject = ["phase": .string(phase.rawValue)]
        object.add("files", files)
        if totalFiles > 0 { object.add("total_files", totalFiles) }
        object.add("bytes", bytes)
        if totalBytes > 0 { object.add("total_bytes", totalBytes) }
        return object
    }
}

extension JSONValue {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends a member that is not the first one.
    fileprivate func append(_ name: String, to bytes: inout [UInt8]) {
        bytes += Array(name.utf8)
        append(to: &bytes)
    }
}

extension Failure {
    fileprivate static let tooMuchOutput = Failure(
        .limit, "The result has more than \(CommandService.outputLimit) bytes.",
        remedy: "Ask for less: with limit, prefix or fewer paths.")

    fileprivate static let tooMuchContent = Failure(
        .limit, "The content has more than \(CommandService.contentLimit) bytes.",
        remedy: "Write a file to another one with files.export; export fewer values, with prefix.")
}
