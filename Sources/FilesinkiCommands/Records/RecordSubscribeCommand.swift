import ArgumentParser
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec subscribe`: which changes of other devices this device reports.
struct RecordSubscribeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Report when other devices change certain records.",
        discussion: """
            Subscriptions are of this device and are not synced. They fire when changes of other \
            devices are received, never for changes made here.
            """,
        subcommands: [
            RecordSubscribeAddCommand.self, RecordSubscribeListCommand.self,
            RecordSubscribeRemoveCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `rec subscribe add`: a new subscription.
struct RecordSubscribeAddCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a subscription to records of a type.",
        discussion: """
            rec watch prints a line when it fires: one for all changes that were received together. \
            The command of --exec is run with sh by rec sync and rec watch, and reads that line. \
            Records that are here already, and those of a first sync, do not fire it.
            """)

    @Argument(help: "The name of the subscription.")
    var name: String

    @Option(
        name: .long, help: ArgumentHelp("The type of the records.", valueName: "type"),
        completion: Candidates.asked)
    var query: String

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Only records that match.", valueName: "predicate"))
    var predicate = "TRUEPREDICATE"

    @Option(
        name: .long,
        help: ArgumentHelp("The changes that count: create, update, delete.", valueName: "change,…")
    )
    var on = "create,update,delete"

    @Flag(name: .long, help: "Fire once only.")
    var once = false

    @Option(name: .long, help: ArgumentHelp("Run this with sh.", valueName: "command"))
    var exec: String?

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let subscription = try Subscription(
            name: name, type: RecordType(query), predicate: predicate, changes: changes(),
            isOnce: once, command: exec)
        let zone = try await options.open(in: console)
        try await zone.subscribe(subscription)
        if console.outputOptions.isJSON {
            try console.output.json(subscription.json(options))
        }
        return .done
    }

    private func changes() throws(Failure) -> [SubscribedChange] {
        var changes: [SubscribedChange] = []
        for word in on.split(separator: ",") {
            guard let change = SubscribedChange(rawValue: String(word)) else {
                throw Failure(
                    .usage, path: String(word), "Unknown change.",
                    remedy: "Use create, update, delete, with commas between them.")
            }
            changes.append(change)
        }
        return changes
    }
}

/// `rec subscribe list`: the subscriptions of a zone.
struct RecordSubscribeListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the subscriptions of this device, as JSON.",
        discussion: "Exits with 1 if there are none.")

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let subscriptions = try await options.openToRead(in: console).subscriptions()
        for subscription in subscriptions {
            try console.output.json(subscription.json(options))
        }
        return subscriptions.isEmpty ? .negative : .done
    }
}

/// `rec subscribe rm`: no subscription any more.
struct RecordSubscribeRemoveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove a subscription.",
        discussion: "Exits with 1 if there is none of the name.",
        aliases: ["delete", "remove"])

    @Argument(help: "The name of the subscription.")
    var name: String

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        guard try await options.openToRead(in: console).unsubscribe(name) else {
            throw Failure.unknownSubscription(name)
        }
        return .done
    }
}

extension Subscription {
    fileprivate func json(_ options: RecordOptions) -> JSONObject {
        var object: JSONObject = ["type": "subscription"]
        object.add("subscription", name)
        object.add(zoneOf: options)
        object.add("query", type.text)
        object.add("where", predicate)
        object.add("on", .array(changes.map { .string($0.rawValue) }))
        object.add("once", isOnce)
        object.add("fired", hasFired)
        object.add("exec", command)
        return object
    }
}
