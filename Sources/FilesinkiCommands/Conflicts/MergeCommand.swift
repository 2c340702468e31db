import ArgumentParser
import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import FilesinkiText
import Glibc

/// `merge`: three files become one.
struct MergeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge three files as sync does.",
        usage: """
            filesinki merge [<options>] <base> <here> <there>
            filesinki merge --install-git-driver [--global] [--attributes]
            filesinki merge --uninstall-git-driver [--global] [--attributes]
            """,
        discussion: """
            Exits with 0 if everything was merged, and with 1 if a conflict remains; then nothing is \
            written unless --markers is given. An empty BASE means no common base.

            --install-git-driver makes git merge by this command: it sets merge.filesinki in git's \
            settings, and lists the names of all known formats in .git/info/attributes. It can be \
            repeated after an update.
            """)

    @Argument(help: "The common base.", completion: .file())
    var base: String?

    @Argument(help: "One side.", completion: .file())
    var here: String?

    @Argument(help: "The other side.", completion: .file())
    var there: String?

    @Option(name: .long, help: ArgumentHelp("The strategy to use.", valueName: "chain"))
    var strategy = "auto"

    @Option(
        name: .long,
        help: ArgumentHelp("The file's name, which selects the merge.", valueName: "name"))
    var path: String?

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @Flag(name: .long, help: "Write conflict markers where a conflict remains.")
    var markers = false

    @Option(
        name: .long,
        help: ArgumentHelp("The length of conflict markers.", valueName: "characters"))
    var markerSize = TextMerge.markerSize

    @Option(
        name: [.customShort("L"), .long],
        help: ArgumentHelp(
            "A name to write at conflict markers, first that of HERE, then that of THERE.",
            valueName: "name"))
    var label: [String] = []

    @Flag(
        name: .long,
        help: "Print which version each part of the result is from, and why.")
    var explain = false

    @Flag(
        name: .long,
        help: "Check whether the merge is symmetric and idempotent for these files.")
    var check = false

    @Option(
        name: .long,
        help: ArgumentHelp("Time limit for a merge command, e.g. 60s.", valueName: "time"))
    var timeLimit = "60s"

    @OptionGroup var merging: MergeOptions
    @OptionGroup var git: GitDriverOptions
    @OptionGroup var report: ReportOptions

    /// The largest text that is written with markers, in bytes.
    private static let markedLimit = 128 << 20
    private static let longestMarker = 1000
    /// The most that is read from a pipe, in bytes.
    private static let pipeLimit = 1 << 30

    func validate() throws {
        try git.validate(hasFiles: base != nil)
        guard git.action != nil || there != nil else {
            throw ValidationError("Missing files: give BASE, HERE and THERE.")
        }
        if check, explain { throw ValidationError("Give --check or --explain.") }
        guard label.isEmpty || label.count == 2 else {
            throw ValidationError("Give --label twice: for HERE and for THERE.")
        }
        guard 1...Self.longestMarker ~= markerSize else {
            throw ValidationError("Invalid --marker-size: use 1 to \(Self.longestMarker).")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        if let action = git.action {
            try git.run(action, isJSON: report.json, in: console)
            return .done
        }
        let parent = console.environment["TMPDIR"] ?? "/tmp"
        let outputs = try MergeOutputs(inside: parent)
        defer { outputs.remove() }
        var merge = try fileMerge(keepingIn: outputs, in: console)
        if check {
            return try show(await MergeCheck(merge, keepingIn: outputs), in: console)
        }
        try console.requireFile(output)
        if explain || merging.hasFields { merge.trace = MergeTrace() }
        let result = try await merge.run(keepingIn: outputs)
        try merging.refuseFields(of: merge.trace)
        if !explain { merge.trace = nil }
        switch result {
        case .merged(let file, let word, let reasons):
            say(reasons, in: console)
            try write(in: console) { try MergeVersions.stream(file, $0) }
            console.detail("Merged by \(word).")
            try writeReport(.done, merge.trace, by: word, reasons, in: console)
            return .done
        case .conflict(let reasons):
            say(reasons, in: console)
            if markers { try writeMarked(merge, in: console) }
            try writeReport(.negative, merge.trace, by: nil, reasons, in: console)
            return .negative
        }
    }

    /// Says why, with the file's name where the caller has named it: git merges many files with one command.
    private func say(_ reasons: [String], in console: Console) {
        let name = path.map { printable(ArgumentText.bytes(of: $0)) + ": " } ?? ""
        for reason in reasons { console.say(name + reason) }
    }

    private func writeReport(
        _ code: ExitCode, _ trace: MergeTrace?, by word: String?, _ reasons: [String],
        in console: Console
    ) throws {
        let explanation = trace.map(MergeExplanation.init)
        guard report.json else {
            // The content goes to standard output unless it has a file.
            try explanation?.write(asOutput: output != nil && output != "-", in: console)
            return
        }
        var object: JSONObject = ["type": "merge"]
        object.add("exit", code.rawValue)
        object.add("merged_by", word)
        object.add("reasons", .array(reasons.map(JSONValue.string)))
        explanation?.add(to: &object)
        try console.output.json(object)
    }

    private func fileMerge(
        keepingIn outputs: MergeOutputs, in console: Console
    ) throws -> FileMerge {
        let limit = max(1, try TimeText.length(timeLimit))
        let files = try [base, here, there].enumerated().map { number, argument in
            try Self.file(argument ?? "", orCopyAs: "\(outputs.path)/input\(number)", in: console)
        }
        // Without a path, the name of the file decides how it is merged.
        let last = files[1].utf8.split(separator: UInt8(ascii: "/")).last
        let name = path.map(ArgumentText.bytes) ?? last.map { Array($0) } ?? []
        return FileMerge(
            base: files[0], ours: files[1], theirs: files[2], path: try RelativePath(name),
            strategy: try Strategy(parsing: strategy), settings: try merging.settings(),
            commandLimit: .seconds(limit))
    }

    /// The real path of a file that has to be there: 1 would tell git of a conflict.
    ///
    /// - Parameter copy: Where the content of a pipe is put, which can be read once only.
    private static func file(
        _ argument: String, orCopyAs copy: String, in console: Console
    ) throws -> String {
        let path = try FilePlace.absoluteText(argument, in: console.currentFolder)
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT == S_IFIFO {
            let content = try InputFile(argument, in: console).readAll(limit: pipeLimit)
            let file = try OutputFile(copy, in: console)
            try content.withUnsafeBytes { try file.write($0) }
            try file.finish()
            return copy
        }
        guard isThere, let real = realpath(path, nil) else {
            let error = SystemError.last
            throw error.isMissing
                ? Self.notFile(path, "File not found.")
                : error.failure("read the file", path, of: .argument)
        }
        defer { free(real) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw Self.notFile(path, "Is a folder.")
        }
        return String(cString: real)
    }

    private static func notFile(_ path: String, _ message: String) -> Failure {
        Failure(
            .usage, path: path, message,
            remedy: "Give three files: BASE HERE THERE. An empty BASE means no common base.")
    }

    private func write(
        in console: Console,
        _ give: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard let file = try console.outputFile(output) else {
            return try give { try console.output.write($0) }
        }
        try give { try file.write($0) }
        try file.finish()
    }

    /// Writes both sides of each conflict between markers, when the contents are text.
    private func writeMarked(_ merge: FileMerge, in console: Console) throws {
        guard
            let text = try merge.marked(
                labels: labels, markerSize: markerSize, limit: Self.markedLimit)
        else {
            return console.say("The contents are not text; conflict markers cannot be written.")
        }
        try write(in: console) { try text.withUnsafeBytes($0) }
    }

    /// What the markers say. A git before 2.44 leaves the words of the driver's setting for its branches as they are.
    private var labels: TextMerge.Labels {
        guard label.count == 2 else { return TextMerge.Labels(ours: "here", theirs: "there") }
        func text(_ label: String, _ other: String) -> String {
            let line = label.prefix { !$0.isNewline }
            return line.isEmpty || GitDriver.labels.contains(label) ? other : String(line)
        }
        return TextMerge.Labels(ours: text(label[0], "ours"), theirs: text(label[1], "theirs"))
    }

    private func show(_ found: MergeCheck, in console: Console) throws -> ExitCode {
        var object: JSONObject = ["type": "merge-check"]
        switch found.result {
        case .merged(_, let word, _): object.add("merged_by", word)
        case .conflict(let reasons): object.add("conflict", reasons.joined(separator: "\n"))
        }
        object.add("symmetric", found.isSymmetric)
        object.add("idempotent", found.isIdempotent)
        if report.json {
            try console.output.json(object)
        } else {
            switch found.result {
            case .merged(_, let word, _): try console.output.line("merged by: \(word)")
            case .conflict: try console.output.line("merged by: nothing; a conflict remains")
            }
            try console.output.line("symmetric: \(found.isSymmetric ? "yes" : "no")")
            try console.output.line("idempotent: \(found.isIdempotent ? "yes" : "no")")
        }
        return found.isSymmetric && found.isIdempotent ? .done : .negative
    }
}
