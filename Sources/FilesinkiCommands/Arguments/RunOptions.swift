import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

/// What the commands have in common that run a sync, of everything or of one path.
struct RunOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Strategy for all conflicts of this run, e.g. 'newest, keep-both'.",
            valueName: "chain"))
    var strategy: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "When one side edited and the other deleted a file: keep, delete or ask.",
            valueName: "choice"))
    var onDelete: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Allow up to this many deletions, e.g. 100 or 30%.", valueName: "number"))
    var maxDelete: String?

    /// Whether nothing was asked for.
    var areDefaults: Bool { strategy == nil && onDelete == nil && maxDelete == nil }

    /// The engine's options.
    ///
    /// - Throws: `Failure` with code `usage` for what is not understood.
    func syncOptions(_ progress: ProgressLine?) throws -> SyncOptions {
        var options = SyncOptions()
        options.strategy = try strategy.map { try Strategy(parsing: $0) }
        options.onDelete = try onDelete.map { try OnDelete(parsing: $0) }
        options.maxDelete = try maxDelete.map { try MaxDelete(parsing: $0) }
        if let progress { options.progress = { progress.show($0) } }
        return options
    }
}

/// How a command that has a result gives it.
struct ReportOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var talk: TalkOptions

    /// Tells the console.
    func apply(to console: Console) {
        talk.apply(to: console)
        console.outputOptions.isJSON = json
    }
}

/// How much a command says: every command has these.
struct TalkOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more.")
    var verbose = false

    /// Tells the console.
    func apply(to console: Console) {
        console.outputOptions.verbosity = quiet ? .quiet : verbose ? .verbose : .normal
    }
}
