import FilesinkiModel
import FilesinkiRPC

/// The methods of conflicts of files.
enum ConflictMethods {
    static let all = [list, resolve]

    private static let list = RPCMethod(
        "conflicts.list", "Open conflicts of files, oldest first.", runs: ConflictsCommand.self, [],
        returns: .list, also: [.conflict]
    ) { _, _ in [] }

    private static let resolve = RPCMethod(
        "conflicts.resolve", "Ends conflicts by one side, a version or a content.",
        runs: ResolveCommand.self, parsing: ["path", "--take=here"],
        [
            RPCParameter("path", .bytes), RPCParameter("paths", .texts), RPCParameter("all", .flag),
            RPCParameter("take", .text), RPCParameter("content", .text),
            RPCParameter("content_base64", .base64), RPCParameter("unchecked", .flag),
            RPCParameter("undo", .flag), RPCParameter("wait", .flag),
        ], returns: .list, also: [.conflict]
    ) { command, parameters in
        command.paths = try parameters.paths()
        command.all = try parameters.isSet("all")
        command.take = try parameters.argument("take")
        command.unchecked = try parameters.isSet("unchecked")
        command.undo = try parameters.isSet("undo")
        command.publishWait.wait = try parameters.isSet("wait")
        let content = try parameters.content()
        command.with = content == nil ? nil : "-"
        guard command.undo || (command.take == nil) != (content == nil) else {
            throw RPCError.invalidParameters("Give one of take, content, content_base64 and undo.")
        }
        return content ?? []
    }
}
