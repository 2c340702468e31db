import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

/// The options of all commands that sync.
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

    /// Whether no option was given, so that another process may do the run.
    var areDefaults: Bool { strategy == nil && onDelete == nil && maxDelete == nil }

    /// The engine's options.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid value.
    func syncOptions(_ progress: ProgressLine?) throws -> SyncOptions {
        var options = SyncOptions()
        options.strategy = try strategy.map { try Strategy(parsing: $0) }
        options.onDelete = try onDelete.map { try OnDelete(parsing: $0) }
        options.maxDelete = try maxDelete.map { try MaxDelete(parsing: $0) }
        if let progress { options.progress = { progress.show($0) } }
        return options
    }
}

/// What one run leaves out, or includes, besides the ignore files.
struct PatternOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Leave out paths that match, as in .gitignore, in this run only.",
            valueName: "pattern"))
    var exclude: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Sync paths that match although a pattern or an ignore file leaves them out.",
            valueName: "pattern"))
    var include: [String] = []

    /// - Throws: `Failure` with code `usage` for an invalid pattern.
    var patterns: RunPatterns {
        get throws(Failure) { try RunPatterns(excluded: exclude, included: include) }
    }
}

/// How fast a run may use the network.
struct BandwidthOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Use at most this many bytes per second of the network, e.g. 2M.",
            discussion: """
                512K:10M limits sending and receiving separately; off lifts the limit that the \
                setting bwlimit has.
                """,
            valueName: "rate"))
    var bwlimit: String?

    /// Makes the console use it.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid limit.
    func apply(to console: Console) throws(Failure) {
        guard let bwlimit else { return }
        console.bandwidths.given = try BandwidthLimit(parsing: bwlimit)
    }
}

/// The output format of a command with a result.
struct ReportOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var talk: TalkOptions

    /// Applies the options to the console.
    func apply(to console: Console) {
        talk.apply(to: console)
        console.outputOptions.isJSON = json
    }
}

/// What is shown, options of every command.
struct TalkOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more.")
    var verbose = false

    @Option(
        name: .long,
        help: ArgumentHelp("Colours: auto (on a terminal), always or never.", valueName: "when"))
    var color = DisplayPolicy.auto

    @Option(
        name: .long,
        help: ArgumentHelp("Progress: auto (on a terminal), always or never.", valueName: "when"))
    var progress = DisplayPolicy.auto

    /// Applies the options to the console.
    func apply(to console: Console) {
        console.outputOptions.color = color
        console.outputOptions.progress = progress
        console.outputOptions.verbosity = quiet ? .quiet : verbose ? .verbose : .normal
    }
}

/// When colours or progress are shown.
enum DisplayPolicy: String, CaseIterable, ExpressibleByArgument {
    /// Where a terminal shows them.
    case auto
    case always
    case never
}
