import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `check`: proves the store.
struct CheckCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prove that the store holds what it says, and this replica's part in it.",
        discussion: "Exits with 8 when something is wrong, and lists it.")

    @Flag(name: .long, help: "Read every content, too, and compare it with its hash.")
    var readData = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let result = try await session.withProgress { line in
            try await session.replica.check(
                readData: readData, progress: { line?.show($0) })
        }
        let code = result.failures.first.map { ExitCode($0) } ?? .done
        try show(result, exit: code, in: console)
        return code
    }

    private func show(_ result: CheckReport, exit code: ExitCode, in console: Console) throws {
        for failure in result.failures {
            if report.json {
                try console.output.json(failure.json(type: "problem"))
            } else {
                console.complain(failure)
            }
        }
        guard report.json else {
            console.say(
                "\(result.commits) commits, \(result.packs) packs, \(result.contents) contents"
                    + (readData ? ", \(SizeText.text(result.bytes)) read" : "")
                    + (result.failures.isEmpty
                        ? ": all as they should be." : ": \(result.failures.count) problems."))
            return
        }
        var object: JSONObject = ["type": "check"]
        object.add("exit", code.rawValue)
        object.add("commits", result.commits)
        object.add("packs", result.packs)
        object.add("contents", result.contents)
        object.add("bytes", result.bytes)
        object.add("problems", result.failures.count)
        object.add("sequence", result.tip?.sequence)
        object.add("hash", result.tip?.hash.description)
        try console.output.json(object)
    }
}
