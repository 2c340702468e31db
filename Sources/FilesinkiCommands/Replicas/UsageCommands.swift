import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `du`: what takes the space in the store, by path.
struct DiskUsageCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "du",
        abstract: "Show what files and folders take in the store.",
        discussion: """
            Plain is the size of the different contents, stored what the store needs for them, and \
            shared the part of it that more than one path uses. A content counts once in each \
            folder, and once in the total. In a folder of the replica, shows what is below it, with \
            paths relative to it, as ls does. Sizes have units; with --json they are bytes, and \
            paths are from the root. Needs the remote. Exits with 1 if a path is not found.
            """)

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case path, size
    }

    @Argument(help: "Only these paths and everything below them.", completion: .file())
    var paths: [String] = []

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        help: "How many levels below the paths, or below the folder, to list.")
    var depth = 1

    @Option(name: .long, help: "path, or size for the largest stored size first.")
    var sort = Order.path

    @Flag(name: .long, help: "Count all versions in the history, not only the current tree.")
    var history = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if !(0...4096).contains(depth) { throw ValidationError("--depth must be 0 to 4096.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let names = ArgumentPaths(session.root, currentFolder: console.currentFolder)
        // Without a path, everything below the current folder is meant, as of ls.
        let folder = paths.isEmpty ? names.folder : nil
        let chosen = try folder.map { [$0] } ?? session.paths(paths)
        var result = try await session.replica.usage(of: chosen, depth: depth, history: history)
        if let folder, result.paths.isEmpty {
            console.sayNothing("There are no files below \(folder) in the store.")
            return .negative
        }
        let isAllFound = try session.report(missing: chosen, in: result.paths.map(\.path))
        if !isAllFound, result.paths.isEmpty { return .negative }
        // What is in it all is the total.
        result.paths.removeAll { $0.path == folder }
        if sort == .size {
            // Paths of the same size stay in their order.
            let order = result.paths.enumerated().sorted {
                ($1.element.usage.storedBytes, $0.offset)
                    < ($0.element.usage.storedBytes, $1.offset)
            }
            result.paths = order.map(\.element)
        }
        if report.json {
            for (path, usage) in result.paths { try console.output.json(usage.json(of: path)) }
            try console.output.json(result.total.json(of: nil))
        } else {
            var table = TextTable(rightAligned: [0, 1, 2, 3])
            table.add(history ? "versions" : "files", "plain", "stored", "shared", "path")
            for (path, usage) in result.paths {
                usage.add(to: &table, names.text(path) + (usage.isFolder ? "/" : ""))
            }
            result.total.add(to: &table, "total")
            for line in table.lines { try console.output.line(line) }
        }
        return isAllFound ? .done : .negative
    }
}

extension PathUsage {
    /// - Parameter path: Nil for the total.
    fileprivate func json(of path: RelativePath?) -> JSONObject {
        var object: JSONObject = ["type": path == nil ? "usage_total" : "usage"]
        object.add("path", path)
        object.add("kind", path == nil ? nil : isFolder ? "directory" : "file")
        object.add("files", files)
        object.add("bytes", bytes)
        object.add("stored_bytes", storedBytes)
        object.add("shared_bytes", sharedBytes)
        return object
    }

    fileprivate func add(to table: inout TextTable, _ name: String) {
        table.add(
            CountText.text(files), SizeText.text(bytes), SizeText.text(storedBytes),
            sharedBytes == 0 ? "" : SizeText.text(sharedBytes), name)
    }
}

/// `stats`: what takes the space in the store, by kind, age and device.
struct StatisticsCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show what the store holds, by kind, age and device.",
        discussion: """
            Lists the objects of the store, its contents by the last version that uses them, and \
            what each device has stored, without the packs that prunes have removed since. With --json also what \
            each day has added. Needs the remote. The contents of files are not read.
            """)

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let result = try await session.replica.statistics()
        if report.json {
            try console.output.json(result.json)
        } else {
            for line in result.lines { try console.output.line(line) }
        }
        return .done
    }
}

extension StoreStatistics {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "stats"]
        object.add("files", files)
        object.add("file_bytes", fileBytes)
        object.add("versions", versions)
        object.add("version_bytes", versionBytes)
        object.add("contents", contents)
        object.add("bytes", plainBytes)
        object.add("stored_bytes", storedBytes)
        object.add("unused_bytes", unusedBytes)
        object.add("duplicate_bytes", duplicateBytes)
        object.add("not_current_bytes", notCurrentBytes)
        object.add("unnamed_packs", unnamedPacks)
        object.add("objects", .array(kinds.map { .object($0.json($1)) }))
        object.add("ages", .array(Age.allCases.map { .object(json($0)) }))
        object.add("devices", .array(devices.map { .object($0.json) }))
        object.add("growth", .array(growth.days(limit: 366).map { .object($0.json) }))
        return object
    }

    private func json(_ age: Age) -> JSONObject {
        let share = ages[age] ?? AgeShare()
        var object: JSONObject = [:]
        object.add("last_used", "\(age)")
        object.add("contents", share.contents)
        object.add("bytes", share.bytes)
        object.add("stored_bytes", share.storedBytes)
        return object
    }

    /// The kinds of which there are objects.
    private var kinds: [(ObjectKind, ObjectTotal)] {
        ObjectKind.allCases.compactMap { kind in objects[kind].map { (kind, $0) } }
    }

    private var unnamedPacks: Int { (objects[.packs]?.count ?? 0) - namedPacks }

    fileprivate var lines: [String] {
        var table = TextTable(rightAligned: [1, 2, 3])
        table.add("objects", "number", "size")
        for (kind, total) in kinds {
            table.add("  " + kind.words, CountText.text(total.count), SizeText.text(total.bytes))
        }
        table.add("")
        table.add("contents by last use", "number", "plain", "stored")
        for age in Age.allCases {
            guard let share = ages[age] else { continue }
            table.add(
                "  " + age.words, CountText.text(share.contents), SizeText.text(share.bytes),
                SizeText.text(share.storedBytes))
        }
        let rest = [("used by no version", unusedBytes), ("further copies", duplicateBytes)]
        for (name, bytes) in rest where bytes > 0 {
            table.add("  " + name, "", "", SizeText.text(bytes))
        }
        table.add("")
        table.add("stored by", "commits", "packs", "size")
        for share in devices {
            table.add(
                "  " + printable(share.device.name.utf8), CountText.text(share.commits),
                CountText.text(share.packs), SizeText.text(share.bytes))
        }
        return table.lines + [""] + summary
    }

    private var summary: [String] {
        var lines = [
            "Current tree: \(CountText.text(files, "file")), \(SizeText.text(fileBytes)). History: "
                + "\(CountText.text(versions, "version")), \(SizeText.text(versionBytes)).",
            "Deduplication \(Self.ratio(versionBytes, plainBytes)), compression "
                + "\(Self.ratio(plainBytes, storedBytes)).",
            "\(SizeText.text(notCurrentBytes)) are not used by the current tree.",
        ]
        if unnamedPacks > 0 {
            lines.append(
                "\(CountText.text(unnamedPacks, "pack")) of unfinished or failed uploads.")
        }
        return lines
    }

    /// Two digits behind the point; `-` for nothing.
    private static func ratio(_ large: Int64, _ small: Int64) -> String {
        guard small > 0 else { return "-" }
        let hundredths = Int64((Double(large) / Double(small) * 100).rounded())
        let rest = hundredths.magnitude % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension StoreGrowth.Day {
    fileprivate var json: JSONObject {
        var object: JSONObject = [:]
        object.add("day", StoreGrowth.text(ofDay: number))
        object.add("commits", commits)
        object.add("stored_bytes", stored)
        object.add("freed_bytes", freed)
        return object
    }
}

extension StoreStatistics.ObjectKind {
    fileprivate func json(_ total: StoreStatistics.ObjectTotal) -> JSONObject {
        var object: JSONObject = [:]
        object.add("kind", word)
        object.add("count", total.count)
        object.add("object_bytes", total.bytes)
        return object
    }

    private var word: String {
        switch self {
        case .checkpointParts: "checkpoint_parts"
        case .assetPacks: "asset_packs"
        default: "\(self)"
        }
    }

    fileprivate var words: String {
        switch self {
        case .checkpointParts: "parts of checkpoints"
        case .assetPacks: "packs of assets"
        case .foreign: "foreign objects"
        case .format: "description"
        default: "\(self)"
        }
    }
}

extension StoreStatistics.Age {
    fileprivate var words: String {
        switch self {
        case .current: "current tree"
        case .day: "less than a day ago"
        case .week: "less than a week ago"
        case .month: "less than 30 days ago"
        case .year: "less than a year ago"
        case .older: "longer ago"
        }
    }
}

extension StoreStatistics.DeviceShare {
    fileprivate var json: JSONObject {
        var object: JSONObject = [:]
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("commits", commits)
        object.add("packs", packs)
        object.add("bytes", bytes)
        return object
    }
}
