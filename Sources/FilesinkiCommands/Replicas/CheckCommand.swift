import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `check`: proves the store.
struct CheckCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify the store and this replica's metadata.",
        discussion: """
            Reads every commit and verifies that each content of the current tree is stored. With \
            --read-data, also reads every object of the store, and thus every version in the \
            history, and compares it with its hash. With --read-data=10%, reads a tenth of the \
            packs and all other objects; the next run reads the next tenth. With --read-data=3/10, \
            reads the third of ten parts. Exits with 8 and lists what is damaged; with 7 if commits are \
            gone, also those of values and records that this device has seen.
            """)

    @Option(
        name: .long, defaultAsFlag: "100%", parsing: .next,
        help: ArgumentHelp(
            "Read every object of the store, or a part of the packs, and compare it with its hash.",
            valueName: "part"))
    var readData: String?

    @Flag(name: .long, help: "With --read-data: read only the contents of the current tree.")
    var current = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { InterruptedWork.nothing }

    func validate() throws {
        if current, readData == nil { throw ValidationError("--current needs --read-data.") }
        guard let readData else { return }
        guard let part = PackPart(readData) else {
            throw ValidationError(
                "--read-data takes a percentage up to 100%, or a part such as 3/10.")
        }
        if current, !part.isAll {
            throw ValidationError("--current cannot be combined with a part of the packs.")
        }
    }

    private var data: CheckedData {
        guard let part = readData.flatMap({ PackPart($0) }) else { return .none }
        if current { return .current }
        return part.isAll ? .all : .part(part)
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        var result = try await console.withProgress { line in
            try await session.replica.check(
                data, progress: { line?.show($0) })
        }
        let stopped = try await console.stoppedZones(session.settings)
        result.failures = result.failures.adding(stopped.map(\.failure))
        let code = result.failures.first.map { ExitCode($0) } ?? .done
        try show(result, exit: code, in: console)
        return code
    }

    private func show(_ result: CheckReport, exit code: ExitCode, in console: Console) throws {
        try console.show(result.failures)
        try console.show(lost: result.lost.filter(\.isCurrent))
        guard report.json else {
            console.say(summary(result))
            return
        }
        var object: JSONObject = ["type": "check"]
        object.add("exit", code.rawValue)
        object.add("commits", result.commits)
        object.add("packs", result.packs)
        object.add("contents", result.contents)
        object.add("pruned_versions", result.prunedVersions)
        object.add("lost_versions", result.lost.count)
        object.add("bytes", result.bytes)
        object.add("read_data", data.name)
        object.add("read_packs", result.readPacks)
        object.add("objects", result.objects)
        object.add("foreign_objects", result.foreignObjects)
        object.add("problems", result.failures.count)
        object.add("sequence", result.tip?.sequence)
        object.add("hash", result.tip?.hash.description)
        try console.output.json(object)
    }

    /// What was found, what was read, and what was not.
    private func summary(_ result: CheckReport) -> String {
        let parts = [
            (result.commits, "commit"), (result.packs, "pack"), (result.contents, "content"),
        ]
        let problems = result.failures.count
        let counts =
            parts.map { CountText.text($0, $1) }.joined(separator: ", ") + ": "
            + (problems == 0 ? "no problems." : CountText.text(problems, "problem") + ".")
        let read = SizeText.text(result.bytes)
        switch data {
        case .none:
            return counts + " No contents were read; to read all of them, add --read-data."
        case .current:
            return counts + " The current tree was read, \(read); older versions were not."
        case .part(let part):
            var text =
                " Read \(result.readPacks) of \(CountText.text(result.packs, "pack")) and all other "
                + "objects, \(read) of contents."
            if case .share = part { text += " The next run reads the next part." }
            return counts + text
        case .all:
            let foreign =
                result.foreignObjects == 0
                ? "" : " \(result.foreignObjects) foreign objects were not read."
            let pruned =
                result.prunedVersions == 0
                ? ""
                : " \(CountText.text(result.prunedVersions, "version")) \(result.prunedVersions == 1 ? "was" : "were") removed by prunes."
            let lost =
                result.lost.isEmpty
                ? "" : " Given up as lost: \(CountText.text(result.lost.count, "version"))."
            return counts + " All \(result.objects) objects were read, \(read) of contents."
                + foreign + pruned + lost
        }
    }
}

extension CheckedData {
    /// Its name in JSON.
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .current: "current"
        case .part: "part"
        case .all: "all"
        }
    }
}
