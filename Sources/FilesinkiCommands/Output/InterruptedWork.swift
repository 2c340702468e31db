/// What has become of the work of a command that SIGINT ends: the sentences behind "Interrupted."
enum InterruptedWork {
    /// A dry run.
    static let nothing = "Nothing was changed."
    /// What a sync completes.
    static let synced = "What was done is kept: the next filesinki sync goes on."
    /// What was changed here and may not be published yet.
    static let changed = "The next filesinki sync sends what was changed here."
    /// What the command itself completes when it is run once more.
    static let repeated = "What was done is kept: run the command again to go on."
    /// A tree that is written into a folder of its own.
    static let exported = "The folder is incomplete: remove it, and run again."
}

extension Console {
    /// Says what became of the work if SIGINT ends the process: also with `-q`, as what ends a command is.
    func explainInterruption(_ work: String) {
        interruptions.beforeEnd { [self] in
            // The progress that is shown may be on the same line, and the terminal's ^C.
            outputOptions.isAsking = true
            if terminals.talk { redrawTalk("", over: 0, columns: 1) }
            complain("Interrupted. \(work)")
        }
    }
}
