import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `repair`: stores anew what is damaged.
struct RepairCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Store anew what is damaged in the store.",
        discussion: """
            Reads every object of the store, as check --read-data does. Contents that are damaged \
            or missing are stored again from the files of this replica, and from what can still \
            be read of damaged packs. Damaged objects that are not needed any more are removed. \
            What only other devices have is repaired by running it there. Exits with 8 and lists \
            what remains damaged.

            With --forget-damaged, what remains is given up: damaged packs are removed, and the \
            versions that became unreadable are listed. No file is deleted: a device that still \
            has one of these versions stores it again when it syncs, and a file that nobody has \
            is stored again by the next save. Run repair on every device first.
            """)

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions
    @Flag(help: "Give up what cannot be repaired, so that the store is sound without it.")
    var forgetDamaged = false

    var interruptedWork: String? { InterruptedWork.repeated }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let result = try await console.withProgress { [forgetDamaged] line in
            try await session.replica.repair(forgetting: forgetDamaged) { line?.show($0) }
        }
        let code = result.remaining.first.map { ExitCode($0) } ?? .done
        try console.show(result.remaining)
        try console.show(lost: result.lost)
        if report.json {
            try console.output.json(object(result, exit: code))
        } else {
            console.say(summary(result))
        }
        return code
    }

    private func object(_ result: RepairReport, exit code: ExitCode) -> JSONObject {
        var object: JSONObject = ["type": "repair"]
        object.add("exit", code.rawValue)
        object.add("objects", result.objects)
        object.add("found", result.found.count)
        object.add("healed", result.healed)
        object.add("packs", result.packs)
        object.add("bytes", result.bytes)
        object.add("removed", result.removed.count)
        object.add("lost", result.lost.count)
        object.add("problems", result.remaining.count)
        return object
    }

    private func summary(_ result: RepairReport) -> String {
        if result.found.isEmpty, result.remaining.isEmpty, result.removed.isEmpty {
            return
                "\(CountText.text(result.objects, "object")) read: no problems, nothing to repair."
        }
        var parts: [String] = []
        if result.packs > 0 {
            parts.append(
                "Stored \(CountText.text(result.packs, "new pack")), \(SizeText.text(result.bytes))"
            )
        }
        if !result.removed.isEmpty {
            let objects = CountText.text(result.removed.count, "damaged object")
            parts.append("\(parts.isEmpty ? "R" : "r")emoved \(objects)")
        }
        if !result.lost.isEmpty {
            let versions = CountText.text(result.lost.count, "version")
            parts.append("\(parts.isEmpty ? "G" : "g")ave up \(versions)")
        }
        let done = parts.isEmpty ? "Nothing could be repaired" : parts.joined(separator: "; ")
        let rest =
            result.remaining.isEmpty
            ? "no problems remain"
            : "\(CountText.text(result.remaining.count, "problem")) remain"
                + (result.remaining.count == 1 ? "s" : "")
        return "\(done); \(rest)."
    }
}

extension Console {
    /// Lists versions whose content nobody has: as JSON, or in words.
    func show(lost versions: [LostVersion]) throws {
        for version in versions {
            guard outputOptions.isJSON else {
                let current = version.isCurrent ? ", the current version" : ""
                say("\(version.path)@\(version.version): lost\(current).")
                continue
            }
            var object: JSONObject = ["type": "lost"]
            object.add("path", version.path)
            object.add("version", version.version)
            object.add("current", version.isCurrent)
            try output.json(object)
        }
    }
}
