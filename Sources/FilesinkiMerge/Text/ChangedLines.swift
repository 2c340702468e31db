/// Which lines of a text were changed. Beyond both ends lies an unchanged line, which ends runs.
struct ChangedLines {
    private var flags: [Bool]

    init(lineCount: Int) {
        flags = Array(repeating: false, count: lineCount + 2)
    }

    var lineCount: Int { flags.count - 2 }

    subscript(line: Int) -> Bool {
        get { flags[line + 1] }
        set { flags[line + 1] = newValue }
    }
}
