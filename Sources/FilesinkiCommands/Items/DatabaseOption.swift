import ArgumentParser
import FilesinkiModel
import FilesinkiRPC
import FilesinkiText

/// Which database a command uses.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The database: private, public, or shared-NAME.", valueName: "database"))
    var db = DatabaseScope.private.description

    /// - Throws: `Failure` with code `usage` for an unknown one.
    func scope() throws(Failure) -> DatabaseScope { try DatabaseScope(parsing: db) }

    /// The database in the result of a command; nil leaves the private one out.
    var member: String? { db == DatabaseScope.private.description ? nil : db }

    /// The parameter of methods.
    static let parameters = [RPCParameter("db", .text)]

    mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        db = try parameters.argument("db") ?? db
    }
}

extension JSONObject {
    /// Adds the zone that a command used.
    mutating func add(zoneOf options: RecordOptions) {
        add("zone", options.zone)
        add("db", options.database.member)
    }

    /// Adds the store that a command used.
    mutating func add(storeOf options: KeyValueOptions) {
        add("store", options.store)
        add("db", options.database.member)
    }
}
