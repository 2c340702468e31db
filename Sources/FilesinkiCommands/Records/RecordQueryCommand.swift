import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec query`: records by what they hold.
struct RecordQueryCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the records of a type that match a predicate, as JSON.",
        discussion: """
            The predicate is one of CloudKit's, or has OR, LIKE and ENDSWITH besides; --strict \
            refuses these, and fields that the schema does not index. Without --where all records \
            are printed, without --sort in the order of names. With --limit, a last line has the \
            cursor of the next page, if there is one. Exits with 1 if nothing was found. filesinki \
            help predicates lists the forms.
            """,
        aliases: ["list"])

    @Argument(help: "The type of the records.", completion: Candidates.asked)
    var type: String

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp(
            "For example: count > 3 AND title BEGINSWITH 'A'", valueName: "predicate"))
    var predicate = "TRUEPREDICATE"

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Fields to sort by; - before one reverses it.", valueName: "field,…"))
    var sort = ""

    @OptionGroup var limit: LimitOption

    @Option(
        name: .long, help: ArgumentHelp("Print the page after this cursor.", valueName: "cursor"))
    var cursor: String?

    @Flag(name: .long, help: "Accept only what CloudKit accepts.")
    var strict = false

    @OptionGroup var fields: FieldsOption
    @OptionGroup var fresh: FreshOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let fields = try fields.names()
        var query = RecordQuery(
            try RecordType(type), try PredicateParser.parse(predicate, isStrict: strict),
            try SortOrder(parsing: sort),
            now: console.systemContext.now().nanoseconds / 1_000_000)
        (query.limit, query.cursor) = (try limit.count(), cursor)
        let zone = try await options.openToRead(fresh: fresh, in: console)
        if strict {
            let schema = try await zone.schema()
            try schema.checkIndexes(query.predicate, of: query.type)
            try schema.checkIndexes(query.order, of: query.type)
        }
        try await fresh.apply(to: zone, in: console)
        let page = try await zone.query(query)
        for stored in page.records { try console.print(stored, fields, options) }
        if let cursor = page.cursor {
            try console.output.json(["cursor": .string(cursor)])
        }
        if console.terminals.talk, page.records.isEmpty || !query.order.terms.isEmpty {
            let schema = try await zone.schema()
            if let doubt = schema.doubt(about: query.predicate, query.order, of: query.type) {
                console.say(doubt)
            }
        }
        return page.records.isEmpty ? .negative : .done
    }
}
