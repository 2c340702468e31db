import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

/// `lint`: names that another system could not hold.
struct LintCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "List names that other systems cannot store.",
        discussion: """
            Checks the paths as of the last sync. Exits with 0 if there is nothing to list, and with \
            1 if there is, or if a path is not found.
            """)

    @Argument(help: "Only these paths and everything below them.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let chosen = try session.paths(paths)
        let known = try await session.replica.list(chosen)
        let isAllFound = try session.report(missing: chosen, in: known.map(\.0))
        let issues = NameLint.issues(in: known.map(\.0))
        for issue in issues { try show(issue, in: console) }
        return issues.isEmpty && isAllFound ? .done : .negative
    }

    private func show(_ issue: NameIssue, in console: Console) throws {
        if report.json {
            var object: JSONObject = ["type": "name"]
            object.add("path", issue.path)
            object.add("reason", issue.reason)
            object.add("remedy", issue.remedy)
            try console.output.json(object)
        } else if list.null.null {
            try console.output.path(issue.path)
        } else {
            let words = MessageText.units(of: "\(issue.reason) \(issue.remedy)")
            let lines = FlowText.lines(
                ["\(issue.path):"] + words, separator: " ", indent: "  ",
                within: console.outputColumns)
            for line in lines { try console.output.line(line) }
        }
    }
}

/// `check-ignore`: which rule leaves a path out.
struct CheckIgnoreCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-ignore",
        abstract: "Show which rule ignores a path.",
        discussion: """
            Prints the ignored paths, each with its rule: file, line and pattern. Exits with 1 if \
            none is ignored. With -v, also prints rules that include a path again.
            """)

    @Argument(help: "The paths to check; they need not exist.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .negative }
        let root = try RootChoice.find(replica, in: console)
        guard RootChoice.nearestReplica(at: root.path) != nil else {
            throw Failure.notInReplica(
                root.origin == .standard ? console.currentFolder : root.path)
        }
        let reader = RootReader(root: root.path)
        let state = try replica.replicaOptions(root: root.path, in: console).stateFolder
        let (filters, mistakes) = try reader.ignoreFilter(console.environment, state)
        let choice = try state.choiceNote().choice
        let withheld = try state.withheldPaths()
        for mistake in mistakes { console.complain(mistake) }
        let known = try await known(paths, root, state, in: console)
        var isAnyIgnored = false
        for argument in paths {
            // The root itself cannot be ignored.
            guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
                continue
            }
            let isFolder =
                argument.hasSuffix("/") || reader.isFolder(path)
                || known.folders.contains(path) && !reader.exists(path)
            let match = try filters.explain(path, isDirectory: isFolder, read: reader.read)
            if choice?.holds(path) == false {
                isAnyIgnored = true
                try showUnheld(path, match?.isIgnored == true ? match : nil, in: console)
                continue
            }
            if match?.isIgnored != true, path.isAtOrInside(withheld) {
                isAnyIgnored = true
                try showWithheld(path, in: console)
                continue
            }
            if match?.isIgnored == true { isAnyIgnored = true }
            try show(path, match, known.ignored[path], in: console)
        }
        return isAnyIgnored ? .done : .negative
    }

    func validate() throws { try list.require(paths) }

    /// What the base and the store have at the paths; nothing in a folder whose replica was never completed.
    private func known(
        _ arguments: [String], _ root: RootChoice, _ state: StateFolder, in console: Console
    ) async throws -> KnownPaths {
        let paths = try arguments.compactMap {
            try root.path($0, currentFolder: console.currentFolder)
        }
        var known = KnownPaths()
        guard !paths.isEmpty, StateFile.exists(state.manifest) else { return known }
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let ignored = try await session.replica.listIgnored(paths)
        for (path, entry) in try await session.replica.list(paths) + ignored
        where entry.entry.kind == .directory {
            known.folders.insert(path)
        }
        for (path, entry) in ignored { known.ignored[path] = entry.version }
        return known
    }

    private func show(
        _ path: RelativePath, _ match: IgnoreMatch?, _ version: UInt64?, in console: Console
    ) throws {
        // A script goes by the exit code.
        if match?.isIgnored != true, console.terminals.talk {
            console.say("\(path): no rule ignores it.")
        }
        if report.json { return try console.output.json(json(path, match, version)) }
        guard let match, match.isIgnored || report.talk.verbose else { return }
        if list.null.null { return try console.output.path(path) }
        try console.output.line(
            "\(path): \(match.isIgnored ? "ignored" : "kept") by \(match.place): "
                + printable(match.pattern)
                + (version.map { " (version \($0) is in the store)" } ?? "")
                + (match.remedy.map { ". " + $0 } ?? ""))
    }

    /// - Parameter rule: The rule that ignores the path as well.
    private func showUnheld(
        _ path: RelativePath, _ rule: IgnoreMatch?, in console: Console
    ) throws {
        let list = console.hints.text("filesinki only list")
        let also = rule.map { ", and ignored by \($0.place): \(printable($0.pattern))" } ?? ""
        let why = "not one of the paths of \(list)\(also)"
        try showLeftOut(path, "held", false, why, rule, in: console)
    }

    private func showWithheld(_ path: RelativePath, in console: Console) throws {
        let why = "withheld, as a rule ignored it before"
        try showLeftOut(path, "withheld", true, why, in: console)
    }

    /// Shows a path that something else than a rule leaves out.
    ///
    /// - Parameters:
    ///   - member: What JSON calls it, and with which value.
    ///   - why: The same for a reader.
    ///   - rule: The rule that ignores the path as well.
    private func showLeftOut(
        _ path: RelativePath, _ member: String, _ value: Bool, _ why: String,
        _ rule: IgnoreMatch? = nil, in console: Console
    ) throws {
        if report.json {
            var object: JSONObject = ["type": "ignore"]
            object.add("path", path)
            object.add("ignored", true)
            object.add(member, value)
            if let rule { add(rule, to: &object) }
            return try console.output.json(object)
        }
        if list.null.null { return try console.output.path(path) }
        try console.output.line("\(path): \(why)")
    }

    private func json(
        _ path: RelativePath, _ match: IgnoreMatch?, _ version: UInt64?
    ) -> JSONObject {
        var object: JSONObject = ["type": "ignore"]
        object.add("path", path)
        object.add("ignored", match?.isIgnored ?? false)
        guard let match else { return object }
        add(match, to: &object)
        object.add("stored_version", version)
        return object
    }

    private func add(_ match: IgnoreMatch, to object: inout JSONObject) {
        if let file = match.file {
            object.add("file", file)
            object.add("line", match.line)
        } else if let file = match.deviceFile {
            object.add("file", file)
            object.add("line", match.line)
        }
        object.add("pattern", bytes: match.pattern)
        object.add("matched", match.matched)
    }
}

/// What `check-ignore` knows of paths that need not be here.
private struct KnownPaths {
    /// Those at which the base or the store has a folder.
    var folders: Set<RelativePath> = []
    /// The versions of ignored paths that the store has.
    var ignored: [RelativePath: UInt64] = [:]
}

extension IgnoreMatch {
    /// Where the rule is, for people.
    var place: String {
        if isOption { return "--exclude \(ShellWord.shown(pattern))" }
        let name = file?.description ?? deviceFile.map { printable($0.utf8) }
        return name.map { "\($0), line \(line)" } ?? "the built-in rules"
    }

    /// What to do about it, where no file says so: the user has not written a built-in rule.
    var remedy: String? {
        guard file == nil, deviceFile == nil, isIgnored, !isOption else { return nil }
        return "To sync it, write !\(printable(pattern)) in .filesinkiignore."
    }
}
