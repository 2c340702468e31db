import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec get`: records by their names.
struct RecordGetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print records as JSON, a line for each.",
        discussion: """
            Prints what is on this device; --fresh receives first. With --asset prints the bytes \
            of one of its files instead. Exits with 1 if none of the records exists, and with 5 if \
            some do not.
            """,
        aliases: ["show"])

    @Argument(help: "The names of the records.", completion: Candidates.asked)
    var names: [String]

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print the bytes of the asset in this field; of a list, FIELD.1 is the first.",
            valueName: "field"))
    var asset: String?

    @Option(name: .shortAndLong, help: "Write the asset to this file, atomically.")
    var output: String?

    @OptionGroup var fields: FieldsOption
    @OptionGroup var fresh: FreshOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let names = try names.map { text throws(Failure) in try RecordName(text) }
        let fields = try fields.names()
        if let asset, let name = names.first {
            return try await write(asset, of: name, in: console)
        }
        let zone = try await options.openToRead(fresh: fresh, in: console)
        try await fresh.apply(to: zone, in: console)
        var missing = 0
        for name in names {
            if let stored = try await zone.record(name) {
                try console.print(stored, fields, options)
            } else {
                missing += 1
                let isFirst = missing == 1 && name == names[0]
                let isType = isFirst ? try await isType(before: names, in: zone) : false
                console.complain(.noRecord(name, isType: isType))
            }
        }
        if missing == names.count { return .negative }
        return missing == 0 ? .done : .partial
    }

    /// Whether the first name is that of a type, as `rec save` has it, and all others are of records.
    private func isType(before names: [RecordName], in zone: RecordZone) async throws -> Bool {
        guard names.count > 1, let type = try? RecordType(names[0].text),
            try await zone.schema().types[type] != nil
        else { return false }
        for name in names.dropFirst() where try await zone.record(name) == nil { return false }
        return true
    }

    func validate() throws {
        if asset == nil, output != nil {
            throw ValidationError("--output needs --asset, which names the field.")
        }
        if asset != nil, names.count != 1 || fields.fields != nil {
            throw ValidationError("--asset reads a field of one record.")
        }
    }

    /// Writes the bytes of an asset to a file, or to standard output.
    private func write(
        _ asset: String, of name: RecordName, in console: Console
    ) async throws -> ExitCode {
        options.report.apply(to: console)
        try console.requireFile(output)
        let zone = try await options.openToRead(fresh: fresh, in: console)
        try await fresh.apply(to: zone, in: console)
        guard let record = try await zone.record(name)?.record else {
            console.complain(.noRecord(name))
            return .negative
        }
        let found = try record.asset(asset)
        let file = try console.outputFile(output)
        try await zone.readAsset(found, of: name.key) { bytes in
            if let file { try file.write(bytes) } else { try console.contentOutput.write(bytes) }
        }
        try file?.finish()
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "asset"]
            object.add("name", name.text)
            object.add("field", asset)
            object.add("sha256", found.content.description)
            object.add("size", found.size)
            try console.output.json(object)
        }
        return .done
    }
}

extension Failure {
    /// - Parameter isType: Whether it is the name of a type of records.
    fileprivate static func noRecord(_ name: RecordName, isType: Bool = false) -> Failure {
        Failure(
            .notFound, path: name.text, "The record does not exist.",
            remedy: isType
                ? "It is a type of records: rec get takes the names of records only."
                : "Check the name and the zone, or receive it with --fresh.")
    }
}

/// `rec changes`: which records changed since a token.
struct RecordChangesCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the records that changed since a token, as JSON, and the next token.",
        discussion: """
            Each record is printed as it is now, with change saved or deleted; the last line has \
            the token to go on with, and whether there is more. Without --since all records are \
            printed. Store the token after the data that it covers. Exits with 9 if the token has \
            expired; --resync then prints everything, deleted records too.
            """)

    @Option(name: .long, help: ArgumentHelp("Start after this token.", valueName: "token"))
    var since: String?

    @OptionGroup var limit: LimitOption

    @Flag(name: .long, help: "Print all records, and the names of all that were deleted.")
    var resync = false

    @Flag(name: .long, help: "Print the newest change first.")
    var reverse = false

    @OptionGroup var fields: FieldsOption
    @OptionGroup var fresh: FreshOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let fields = try fields.names()
        let token = try since.map { text throws(Failure) in try FeedToken(parsing: text) }
        let zone = try await options.openToRead(fresh: fresh, in: console)
        try await fresh.apply(to: zone, in: console)
        let page = try await zone.changes(
            since: resync ? nil : token, limit: limit.count() ?? .max, withDeletions: resync)
        for change in reverse ? page.changes.reversed() : page.changes {
            if let stored = change.record {
                try console.print(stored, fields, options, change: "saved")
            } else {
                var object: JSONObject = ["name": .string(change.name.text)]
                object.add(zoneOf: options)
                object.add("change", "deleted")
                try console.output.json(object)
            }
        }
        var object: JSONObject = ["token": .string(page.token.description)]
        object.add("more", page.hasMore)
        try console.output.json(object)
        return .done
    }
}

/// `rec conflicts`: saves that were refused.
struct RecordConflictsCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Print saves that were refused, with all three versions, as JSON.",
        discussion: """
            The server's version stays. Saving or deleting the record ends its conflict, and so \
            does --forget. Exits with 3 if there are any.
            """)

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp("Accept the version that stays.", valueName: "name"),
        completion: Candidates.asked)
    var forget: [String] = []

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let names = try forget.map { text throws(Failure) in try RecordName(text) }
        let zone = try await options.openToRead(in: console)
        for name in names { try await zone.forgetConflict(of: name) }
        let conflicts = try await zone.conflicts()
        for conflict in conflicts {
            var object = conflict.json
            object.add("db", options.database.member)
            try console.output.json(object)
        }
        return conflicts.isEmpty ? .done : .conflict
    }
}

/// `rec log`: versions of this device that gave way.
struct RecordLogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print versions saved here that gave way to others', newest first, as JSON.",
        discussion: """
            A version is listed if another device's change took its place before it was published. \
            One that was published, and that another device replaced later, is not: it is in the \
            store's log only. Exits with 1 when there are none.
            """)

    @Argument(help: "The name of the record.", completion: Candidates.asked)
    var name: String

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let name = try RecordName(name)
        let zone = try await options.openToRead(in: console)
        let losers = try await zone.losers(name.key)
        for loser in losers {
            guard let record = loser.held.record else { continue }
            var object = RecordJSON.object(record, zone: options.zone)
            object.add("db", options.database.member)
            object.add("reason", loser.reason)
            try console.output.json(object)
        }
        return losers.isEmpty ? .negative : .done
    }
}
