import FilesinkiModel
import FilesinkiRPC
import FilesinkiText

/// The methods of files. Each is a run as the command makes it, with its lock.
enum FileMethods {
    static let all = [save, load, export, delete, list, status, sync, watch]

    private static let path = RPCParameter.required("path", .bytes)
    private static let version = [
        RPCParameter("version", .number), RPCParameter("commit", .number),
        RPCParameter("offline", .flag), .progress,
    ]

    private static let save = RPCMethod(
        "files.save", "Writes a file durably and publishes it.", runs: SaveCommand.self,
        parsing: ["path"],
        [
            path, RPCParameter("content", .text), RPCParameter("content_base64", .base64),
            RPCParameter("from", .bytes), RPCParameter("if_version", .number),
            RPCParameter("wait", .flag), .progress,
        ], also: [.conflict]
    ) { command, parameters in
        command.path = try parameters.requiredArgument("path")
        command.ifVersion = try parameters.number("if_version")
        command.publishWait.wait = try parameters.isSet("wait")
        command.file = try parameters.argument("from")
        let content = try parameters.content()
        guard (command.file == nil) != (content == nil) else {
            throw RPCError.invalidParameters("Give one of content, content_base64 and from.")
        }
        return content ?? []
    }

    private static let load = RPCMethod(
        "files.load", "A file's current content, after checking the remote.",
        runs: LoadCommand.self, parsing: ["path"], [path] + version, returns: .content,
        also: [.conflict]
    ) { command, parameters in
        try command.fill(parameters)
        return []
    }

    private static let export = RPCMethod(
        "files.export", "Writes a file's current content to a file outside of the replica.",
        runs: LoadCommand.self, parsing: ["path"], [path, .required("to", .bytes)] + version,
        also: [.conflict]
    ) { command, parameters in
        command.output = try parameters.requiredArgument("to")
        try command.fill(parameters)
        return []
    }

    private static let delete = RPCMethod(
        "files.delete", "Deletes paths here and everywhere.", runs: DeleteCommand.self,
        parsing: ["path"],
        [
            RPCParameter("path", .bytes), RPCParameter("paths", .texts),
            RPCParameter("recursive", .flag), RPCParameter("wait", .flag), .progress,
        ], returns: .list, also: [.conflict]
    ) { command, parameters in
        command.paths = try parameters.paths()
        guard !command.paths.isEmpty else {
            throw RPCError.invalidParameters("Give a path, or paths.")
        }
        command.recursive = try parameters.isSet("recursive")
        command.publishWait.wait = try parameters.isSet("wait")
        return []
    }

    private static let list = RPCMethod(
        "files.list", "Files, folders and symlinks as of the last sync.", runs: ListCommand.self,
        [
            RPCParameter("path", .bytes), RPCParameter("paths", .texts),
            RPCParameter("deleted", .flag), RPCParameter("commit", .number),
        ], returns: .list
    ) { command, parameters in
        command.paths = try parameters.paths()
        command.deleted = try parameters.isSet("deleted")
        command.history.commit = try parameters.number("commit")
        return []
    }

    private static let status = RPCMethod(
        "files.status", "The last sync, pending changes and open conflicts.",
        runs: StatusCommand.self, [], also: [.conflict]
    ) { _, _ in [] }

    private static let sync = RPCMethod(
        "sync", "Syncs the replica with the remote: one run.", runs: SyncCommand.self,
        [
            RPCParameter("path", .bytes), RPCParameter("paths", .texts),
            RPCParameter("dry_run", .flag), RPCParameter("approve", .text), .progress,
        ], returns: .list, also: [.conflict, .partial]
    ) { command, parameters in
        command.paths = try parameters.paths()
        command.dryRun = try parameters.isSet("dry_run")
        command.approve = try parameters.argument("approve")
        return []
    }

    private static let watch = RPCMethod(
        "files.watch", "Reports changes of files by other devices, each after it was synced.",
        runs: ObserveCommand.self,
        [
            RPCParameter("path", .bytes), RPCParameter("paths", .texts),
            RPCParameter("since", .text), RPCParameter("own", .flag),
            RPCParameter("no_sync", .flag), RPCParameter("resync", .flag),
        ], returns: .watch("files.changed")
    ) { command, parameters in
        command.events.paths = try parameters.paths()
        command.events.since = try parameters.argument("since")
        command.events.own = try parameters.isSet("own")
        command.events.resync = try parameters.isSet("resync")
        command.noSync = try parameters.isSet("no_sync")
        return []
    }
}

extension RPCParameters {
    /// The paths of `path` and `paths`.
    func paths() throws(RPCError) -> [String] {
        let path = try argument("path")
        return try [path].compactMap(\.self) + arguments("paths")
    }

    /// The content of `content` or `content_base64`; nil if neither is given.
    func content() throws(RPCError) -> [UInt8]? {
        let text = try self.text("content")
        guard let encoded = try self.text("content_base64") else {
            return text.map { Array($0.utf8) }
        }
        guard text == nil, let bytes = Base64.decode(encoded) else {
            throw .invalidParameters(
                text == nil
                    ? "The parameter \"content_base64\" must be base 64."
                    : "Give one of content and content_base64.")
        }
        return bytes
    }
}

extension LoadCommand {
    fileprivate mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        path = try parameters.requiredArgument("path")
        version = try parameters.number("version")
        history.commit = try parameters.number("commit")
        offline = try parameters.isSet("offline")
    }
}
