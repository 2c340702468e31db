import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What `restore` or `undelete` brought back, to be counted.
///
/// Folders are counted only where no file came back.
struct RestoredPaths {
    private var paths: Set<RelativePath> = []
    private var folders: Set<RelativePath> = []

    init() {}

    init(_ report: RestoreReport) { add(report) }

    var isEmpty: Bool { paths.isEmpty }

    mutating func add(_ report: RestoreReport) {
        paths.formUnion(report.restored)
        folders.formUnion(report.folders)
    }

    /// The number, with its noun.
    var text: String {
        let files = paths.count - folders.count
        return files == 0 && !folders.isEmpty
            ? CountText.text(folders.count, "folder") : CountText.text(files, "file")
    }
}

extension Console {
    /// Says how much was brought back.
    func say(restored paths: RestoredPaths) { say("Restored \(paths.text).") }

    /// So many paths that were brought back are named without being asked for.
    private static var namedRestores: Int { 20 }

    /// Names paths that were brought back. One alone has just been named by the user.
    func show(restored paths: [RelativePath]) throws {
        if !outputOptions.isJSON, !outputOptions.isNull {
            let isVerbose = outputOptions.verbosity == .verbose
            guard isVerbose || outputOptions.verbosity == .normal && paths.count > 1 else { return }
            let named = isVerbose ? paths[...] : paths.prefix(Self.namedRestores)
            for path in named { try output.line("  restored  \(path)") }
            let more = paths.count - named.count
            if more > 0 { try output.line("  and \(CountText.text(more)) more; -v lists all") }
            // What was done comes before what is said of it.
            return try output.flush()
        }
        for path in paths {
            if outputOptions.isJSON {
                var object: JSONObject = ["type": "restored"]
                object.add("path", path)
                try output.json(object)
            } else {
                try output.path(path)
            }
        }
    }
}
