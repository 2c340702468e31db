import ArgumentParser

/// Which replica a command works on.
struct RootOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The replica's folder.",
            discussion: """
                Without it: the nearest folder above the current one that holds .filesinki, else \
                $FILESINKI_ROOT, else the default replica, made on first use.
                """,
            valueName: "dir"),
        completion: .directory)
    var root: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the replica keeps its state instead of .filesinki.", valueName: "dir"),
        completion: .directory)
    var state: String?

    @OptionGroup var waiting: WaitOptions
}

extension RootOptions {
    /// The options as if the user had written them, for a command that names its root otherwise.
    static func make(root: String? = nil, state: String? = nil) throws -> RootOptions {
        try parse((root.map { ["--root", $0] } ?? []) + (state.map { ["--state", $0] } ?? []))
    }
}
