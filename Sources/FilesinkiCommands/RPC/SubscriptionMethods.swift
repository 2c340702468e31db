import FilesinkiModel
import FilesinkiRPC

/// The methods of subscriptions to records. A call may not have a command run: `rec.watch` tells the client that they fire.
enum SubscriptionMethods {
    static let all = [add, list, remove]

    private static let add = RPCMethod(
        "rec.subscribe.add", "Adds a subscription to records of a type.",
        runs: RecordSubscribeAddCommand.self, parsing: ["name", "--query=type"],
        [
            .required("subscription", .text), .required("query", .text),
            RPCParameter("where", .text), RPCParameter("on", .texts), RPCParameter("once", .flag),
        ] + RecordMethods.zone
    ) { command, parameters in
        command.name = try parameters.argument("subscription") ?? ""
        command.query = try parameters.argument("query") ?? ""
        command.predicate = try parameters.argument("where") ?? command.predicate
        if let changes = try parameters.texts("on") { command.on = changes.joined(separator: ",") }
        command.once = try parameters.isSet("once")
        try command.options.fill(parameters)
        return []
    }

    private static let list = RPCMethod(
        "rec.subscribe.list", "The subscriptions of this device.",
        runs: RecordSubscribeListCommand.self, RecordMethods.zone, returns: .list
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let remove = RPCMethod(
        "rec.subscribe.rm", "Removes a subscription.",
        runs: RecordSubscribeRemoveCommand.self, parsing: ["name"],
        [.required("subscription", .text)] + RecordMethods.zone, returns: .list
    ) { command, parameters in
        command.name = try parameters.argument("subscription") ?? ""
        try command.options.fill(parameters)
        return []
    }
}
