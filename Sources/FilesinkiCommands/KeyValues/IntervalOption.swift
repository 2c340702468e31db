import ArgumentParser
import FilesinkiModel

/// `--min-interval`: how often the remote is asked by a command that goes on.
struct IntervalOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask the remote at most once in this time, e.g. 30s or 5m.", valueName: "time"))
    var minInterval: String?

    /// Zero when none is given.
    func duration() throws(Failure) -> Duration {
        guard let minInterval else { return .zero }
        return .seconds(try TimeText.length(minInterval))
    }
}
