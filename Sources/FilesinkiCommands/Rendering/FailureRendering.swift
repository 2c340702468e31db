import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

extension Failure {
    /// The failure for programs; `type` says whether it ended the command or is about one path.
    func json(type: String) -> JSONObject {
        var object: JSONObject = ["type": .string(type)]
        if !path.isEmpty { object.add("path", bytes: path) }
        object.add("code", code.description)
        object.add("message", message)
        object.add("remedy", remedy)
        return object
    }
}

extension Console {
    /// Shows what is worth a word about the replica as a whole, not about a path in it.
    func showNotices(ofReplica report: SyncReport) throws {
        try show(report.notices.filter(\.isOfReplica), type: "notice")
    }

    /// Shows what failed, or is worth a word, on single paths.
    func show(_ problems: [Problem], type: String) throws {
        for problem in problems {
            let failure = problem.named
            if outputOptions.isJSON {
                try output.json(failure.json(type: type))
            } else if type == "problem" {
                complain(failure)
            } else {
                say(failure.description)
            }
        }
    }
}

extension Problem {
    /// The failure, which may be about something else, such as a pack, under the path that it befell.
    fileprivate var named: Failure {
        var named = failure
        named.path = path.bytes
        if !failure.path.isEmpty, failure.path != path.bytes {
            named.message = "\(printable(failure.path)): \(failure.message)"
        }
        return named
    }
}
