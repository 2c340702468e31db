import ArgumentParser

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
