import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `log`: the versions of a path.
struct LogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List the versions of a path, the newest first.",
        discussion: "Exits with 1 when there are none.")

    @Argument(help: "Whose versions.", completion: .file())
    var path: String

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let target = try session.path(path)
        let versions = try await session.replica.history(of: target)
        guard !versions.isEmpty else {
            throw Failure(
                .notFound, path: target.bytes, "No version of this path was found.",
                remedy: "Check the path; a new file has a version after filesinki sync.")
        }
        if report.json {
            for version in versions.reversed() { try console.output.json(version.json) }
        } else {
            var table = TextTable(rightAligned: [0, 3])
            for version in versions.reversed() { version.add(to: &table) }
            for line in table.lines { try console.output.line(line) }
        }
        return .done
    }
}

extension PathVersion {
    var json: JSONObject {
        var object: JSONObject = ["type": "version"]
        object.add("path", change.path)
        object.add("version", version)
        object.add("time", time)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("based_on", change.basedOn)
        object.add("merged_with", change.mergedWith)
        object.add("moved_from", change.movedFrom)
        object.add("reason", change.reason.isEmpty ? nil : change.reason)
        object.add("superseded", isSuperseded)
        change.entry.describe(in: &object)
        return object
    }

    /// Adds the version as a line: number, time, device, size, what happened.
    func add(to table: inout TextTable) {
        let size = change.entry.kind == .file ? SizeText.text(change.entry.size) : ""
        table.add(
            "@\(version)", TimeText.local(time), printable(device.name.utf8), size, remark)
    }

    private var remark: String {
        var words: [String] = []
        switch change.entry.kind {
        case .tombstone: words.append("deleted")
        case .directory: words.append("folder")
        case .symlink: words.append("symlink to \(printable(change.entry.target))")
        case .file: break
        }
        if let origin = change.movedFrom { words.append("renamed from \(origin)") }
        if !change.reason.isEmpty { words.append(change.reason) }
        if let other = change.mergedWith { words.append("merged with @\(other)") }
        if isSuperseded { words.append("gave way to another content") }
        return words.joined(separator: ", ")
    }
}
