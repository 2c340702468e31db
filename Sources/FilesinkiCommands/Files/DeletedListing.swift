import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What `ls --deleted` prints.
struct DeletedListing {
    var names: ArgumentPaths
    var console: Console
    /// Who deleted each path and when, where that is wanted and known.
    private var records: [RelativePath: DeletionRecord] = [:]

    init(_ names: ArgumentPaths, in console: Console) {
        self.names = names
        self.console = console
    }

    /// Reads the log for `-l`. If it cannot be read, that is said, and the rest is listed.
    mutating func readLog(of paths: [DeletedPath], _ session: Session) async throws {
        do {
            records = try await session.replica.deletionRecords(of: paths)
        } catch let failure as Failure where [.away, .notFound].contains(failure.code) {
            console.say("The log was not read. \(failure)")
        }
    }

    /// - Parameters:
    ///   - isLong: Whether versions, times, devices and sizes are wanted.
    ///   - isNull: Whether bare paths are wanted, each ended by a NUL byte.
    func show(_ paths: [DeletedPath], isLong: Bool, isNull: Bool) throws {
        if console.outputOptions.isJSON {
            for path in paths { try console.output.json(json(path)) }
        } else if isNull {
            for path in paths { try console.output.write(names.bytes(path.path) + [0]) }
        } else if isLong {
            for line in table(paths).lines(within: console.outputColumns, isWhole: true) {
                try console.output.line(line)
            }
        } else {
            for path in paths { try console.output.line(names.text(path.path)) }
        }
    }

    /// Says how many of the paths are not sent yet.
    func sayUnsent(_ paths: [DeletedPath]) {
        let count = paths.count { $0.isUnsent }
        guard count > 0, !console.outputOptions.isJSON else { return }
        if count == 1 {
            let what = paths.count == 1 ? "It was" : "1 of these was"
            console.say("\(what) deleted here, and is not yet sent.")
        } else {
            let what = paths.count == count ? "They were" : "\(CountText.text(count)) of these were"
            console.say("\(what) deleted here, and are not yet sent.")
        }
    }

    private func json(_ path: DeletedPath) -> JSONObject {
        var object: JSONObject = ["type": "deleted"]
        object.add("path", path.path)
        object.add("version", path.version)
        if path.isUnsent { object.add("unsent", true) }
        if let record = records[path.path] {
            object.add("time", record.time)
            object.add("device", record.device.name)
            object.add("device_id", hexadecimal(record.device.id))
            record.entry.describe(in: &object)
            if record.isPruned { object.add("pruned", true) }
            if record.isLost { object.add("lost", true) }
        }
        return object
    }

    private func table(_ paths: [DeletedPath]) -> TextTable {
        var table = TextTable(rightAligned: [0, 3])
        for path in paths {
            let record = records[path.path]
            let size = record.map { $0.entry.kind == .file ? SizeText.text($0.entry.size) : "" }
            table.add(
                path.isUnsent ? "" : "@\(path.version)",
                record.map { TimeText.local($0.time) } ?? "",
                record.map { printable($0.device.name.utf8) } ?? "", size ?? "",
                names.text(path.path) + (record?.entry.kind == .directory ? "/" : "")
                    + Self.note(path, record))
        }
        return table
    }

    private static func note(_ path: DeletedPath, _ record: DeletionRecord?) -> String {
        if path.isUnsent { return "  (deleted here, not yet sent)" }
        if record?.isPruned == true { return "  (removed by a prune)" }
        return record?.isLost == true ? "  (lost)" : ""
    }
}
