import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `only`: the paths that a partial replica holds.
struct OnlyCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "only",
        abstract: "Choose which files and folders this replica holds.",
        discussion: """
            A partial replica holds the chosen paths with everything below them. All else stays in \
            the store: it is not written here, and its absence here deletes it nowhere. \
            .filesinki.toml and the ignore files above the chosen paths are always held. The \
            choice is of this replica; other devices have their own.
            """,
        subcommands: [
            OnlyListCommand.self, OnlySetCommand.self, OnlyAddCommand.self, OnlyRemoveCommand.self,
            OnlyDisableCommand.self,
        ],
        defaultSubcommand: OnlyListCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `only list`, which is also what `only` alone means.
struct OnlyListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the chosen paths. Exits with 1 if the replica holds everything.")

    @OptionGroup var null: NullOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        guard let paths = try await session.replica.chosenPaths() else {
            console.say("The replica holds everything.")
            return .negative
        }
        for path in paths {
            if report.json {
                var object: JSONObject = ["type": "chosen"]
                object.add("path", path)
                try console.output.json(object)
            } else if null.null {
                try console.output.path(path)
            } else {
                try console.output.line(path.description)
            }
        }
        return .done
    }
}

/// `only set`: exactly these paths.
struct OnlySetCommand: ChoosingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Hold exactly these paths.",
        discussion: """
            What is no longer chosen leaves this folder, if it is as it was published; else nothing \
            is changed, and the exit code is 1. What was removed here already, with rm or in a file \
            manager, is deleted nowhere else. New files that were never sent stay, and are not \
            synced. The next sync writes what was not here before.
            """)

    @Argument(help: "Files or folders.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func choose(_ paths: [RelativePath], in replica: Replica) async throws -> ChoiceReport {
        try await replica.choosePaths(paths)
    }
}

/// `only add`: further paths.
struct OnlyAddCommand: ChoosingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Hold these paths, too. The next sync writes them here.")

    @Argument(help: "Files or folders.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func choose(_ paths: [RelativePath], in replica: Replica) async throws -> ChoiceReport {
        try await replica.addChosenPaths(paths)
    }
}

/// `only remove`: fewer paths.
struct OnlyRemoveCommand: ChoosingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Hold these paths no longer. They are removed here, and nowhere else.",
        discussion: """
            The files leave this folder if they are as they were published; else nothing is \
            changed, and the exit code is 1. They stay in the store and on other devices, also what \
            was removed here already, with rm or in a file manager. New files that were never sent \
            stay here, and are not synced.
            """)

    @Argument(help: "Chosen paths, or folders with chosen paths.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var adds: Bool { false }

    func choose(_ paths: [RelativePath], in replica: Replica) async throws -> ChoiceReport {
        try await replica.removeChosenPaths(paths)
    }
}

/// `only disable`: a complete replica again.
struct OnlyDisableCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Hold everything again. The next sync writes it here.")

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(
            replica, access: .changingKnown, remote: false, in: console)
        return try console.show(
            try await session.replica.choosePaths(nil),
            next:
                "The next sync writes what of it is not here yet, and sends what else is in the folder."
        )
    }
}

/// A command that changes the choice by some paths.
protocol ChoosingCommand: ReplicaCommand {
    var paths: [String] { get }
    var list: PathsOption { get }
    var report: ReportOptions { get }
    /// Whether the next sync may have something to write.
    var adds: Bool { get }

    func choose(_ paths: [RelativePath], in replica: Replica) async throws -> ChoiceReport
}

extension ChoosingCommand {
    var adds: Bool { true }

    func validate() throws { try list.require(paths) }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        guard let arguments = try list.all(paths, in: console) else { return .negative }
        let session = try await Session.open(
            replica, access: .changingKnown, remote: false, in: console)
        let paths = try arguments.map {
            try session.path($0, orElse: "To hold everything, run filesinki only disable.")
        }
        let changed: ChoiceReport
        do { changed = try await choose(paths, in: session.replica) } catch let failure as Failure
            where failure.code == .notFound
        {
            throw await session.suggestingFromFolder(failure)
        }
        return try console.show(
            changed, next: adds ? "The next sync writes what of it is not here yet." : nil)
    }
}

extension Session {
    /// The failure of a path that is unknown, and counts from the root, as `--root` has it. Where the current folder is in the
    /// replica and has one of this name, it names that.
    fileprivate func suggestingFromFolder(_ failure: Failure) async -> Failure {
        guard root.origin != .above,
            let folder = try? root.below(Array(console.currentFolder.utf8)),
            let path = try? RelativePath(folder.bytes + [UInt8(ascii: "/")] + failure.path)
        else { return failure }
        let held = try? await replica.list([path])
        let unheld = try? await replica.listUnheld([path])
        guard ((held ?? []) + (unheld ?? [])).contains(where: { $0.0 == path }) else {
            return failure
        }
        var named = failure
        named.remedy = "Did you mean \(ShellWord.path(path.bytes))? " + failure.remedy
        return named
    }
}

extension Console {
    /// Shows a change of the choice.
    ///
    /// - Parameter next: What the next sync does; nil for nothing that has to be said.
    fileprivate func show(_ report: ChoiceReport, next: String?) throws -> ExitCode {
        let isDone = report.problems.isEmpty
        let code: ExitCode = isDone ? (report.notices.isEmpty ? .done : .conflict) : .partial
        try show(report.notices, type: "notice")
        try show(report.problems, type: "problem")
        if outputOptions.isJSON {
            var object: JSONObject = ["type": "choice"]
            object.add("exit", code.rawValue)
            object.add("only", report.paths.map { .array($0.map(\.jsonValue)) })
            object.add("removed", .array(report.removed.map(\.jsonValue)))
            if !report.gone.isEmpty { object.add("gone", .array(report.gone.map(\.jsonValue))) }
            if !report.kept.isEmpty { object.add("kept", .array(report.kept.map(\.jsonValue))) }
            if !report.keptFolders.isEmpty {
                object.add("kept_folders", .array(report.keptFolders.map(\.jsonValue)))
            }
            try output.json(object)
        }
        if !report.removed.isEmpty {
            let kept = report.removed.count == 1 ? "it" : "them"
            say(
                "Removed \(CountText.text(report.removed.count, "file")) here. The store keeps \(kept)."
            )
        }
        if let gone = report.goneText { say(gone) }
        if let kept = report.keptText { say(kept) }
        if let kept = report.keptFoldersText { say(kept) }
        let count = report.paths.map { CountText.text($0.count, "chosen path") }
        say("The replica holds \(count ?? "everything").\(next.map { " \($0)" } ?? "")")
        return code
    }
}

extension ChoiceReport {
    /// What was deleted here before, and is no longer chosen; nil for nothing.
    fileprivate var goneText: String? {
        guard !gone.isEmpty else { return nil }
        let (verb, them) = gone.count == 1 ? ("was", "it") : ("were", "them")
        return
            "\(CountText.text(gone.count, "file")) \(verb) removed here already. The store keeps \(them)."
    }

    /// What stays although it is no longer chosen; nil for nothing.
    fileprivate var keptText: String? {
        guard let first = kept.first else { return nil }
        let state = knowsStore ? "never sent" : "not compared with the store yet"
        if kept.count == 1 {
            return "\(first) was \(state): it stays here, and is not synced."
        }
        return
            "\(first) and \(CountText.text(kept.count - 1, "more file")) were \(state): they stay here, "
            + "and are not synced."
    }

    /// Which folders stay with what is ignored in them; nil for none.
    fileprivate var keptFoldersText: String? {
        guard let first = keptFolders.first else { return nil }
        if keptFolders.count == 1 {
            return "The folder \(first) stays here: it holds ignored files. "
                + "Remove it by hand when they are no longer needed."
        }
        return
            "The folder \(first) and \(CountText.text(keptFolders.count - 1, "more folder")) stay here: "
            + "they hold ignored files. Remove them by hand when these are no longer needed."
    }
}
