import ArgumentParser

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
