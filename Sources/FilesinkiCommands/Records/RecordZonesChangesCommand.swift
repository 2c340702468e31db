import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiText

/// `rec zones changes`: which zones changed since a token.
struct RecordZonesChangesCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the zones that changed since a token, as JSON, and the next token.",
        discussion: """
            Each zone is printed with what happened to it: created, changed, deleted, purged or \
            reset, and with the token from which rec changes goes on in it. Without --since all \
            zones are printed. Nothing is received, except the catalogue of zones with --fresh.
            """)

    @Option(name: .long, help: ArgumentHelp("Start after this token.", valueName: "token"))
    var since: String?

    @OptionGroup var limit: LimitOption

    @Flag(name: .long, help: "Receive the catalogue of zones first.")
    var fresh = false

    @OptionGroup var options: CatalogueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let token = try since.map { text throws(Failure) in try DatabaseToken(parsing: text) }
        let limit = try limit.count() ?? .max
        let catalogue = try await options.open(in: console)
        if fresh { try await catalogue.receive(in: console) }
        let page = try await catalogue.changes(since: token, limit: limit)
        for change in page.changes {
            var object: JSONObject = ["zone": .string(change.zone)]
            object.add(
                "change", change.state?.rawValue ?? (change.isNew ? "created" : "changed"))
            object.add("db", options.database.member)
            object.add("since", change.since?.description)
            try console.output.json(object)
        }
        var object: JSONObject = ["token": .string(page.token.description)]
        object.add("more", page.hasMore)
        try console.output.json(object)
        return .done
    }
}

extension ZoneCatalogue {
    /// Receives what other devices did to zones.
    ///
    /// - Throws: `Failure` with code `away` when the remote does not answer.
    nonisolated func receive(in console: Console) async throws {
        var fetch = ExchangeOptions()
        fetch.onlyFetches = true
        try console.showProblems(of: try await exchange(fetch))
    }
}
