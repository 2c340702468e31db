import FilesinkiModel

/// What came of a save, as the process that did it tells the one that waits: in lines, each a kind and
/// its words, bytes in hexadecimal digits.
enum SaveResponse {
    case saved(SaveReport)
    case failed(Failure)

    /// Nil for bytes that are no answer.
    ///
    /// - Parameter saved: What the one that waits has saved.
    init?(_ bytes: [UInt8], saved: ContentID) {
        var report = SaveReport(sync: SyncReport(), entry: nil, version: 0, differs: false)
        var isWhole = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init)
            switch words[0] {
            case "failure":
                guard let failure = Failure(words: words) else { return nil }
                self = .failed(failure)
                return
            case "away": report.sync.away = Failure(words: words)
            case "problem", "notice":
                guard let failure = Failure(words: words) else { return nil }
                let problem = Problem(RelativePath(unchecked: failure.path), failure)
                words[0] == "problem"
                    ? report.sync.problems.append(problem) : report.sync.notices.append(problem)
            case "copy":
                guard let path = words.last.flatMap({ FilesinkiModel.bytes(hexadecimal: $0) })
                else { return nil }
                report.sync.copies.append(RelativePath(unchecked: path))
            case "entry": report.entry = Entry(fileWords: words.dropFirst())
            case "saved":
                guard words.count == 4, let version = UInt64(words[1]) else { return nil }
                report.version = version
                report.sync.hasRemote = words[2] == "remote"
                report.sync.isQueued = words[3] == "queued"
                isWhole = true
            default: return nil
            }
        }
        guard isWhole else { return nil }
        report.differs = report.version != 0 && report.entry?.content != saved
        self = .saved(report)
    }

    var bytes: [UInt8] {
        switch self {
        case .failed(let failure): Array(failure.line("failure").utf8)
        case .saved(let report): Array(Self.lines(report).joined(separator: "\n").utf8)
        }
    }

    private static func lines(_ report: SaveReport) -> [String] {
        let sync = report.sync
        var lines = sync.problems.map { $0.line("problem") }
        lines += sync.notices.map { $0.line("notice") }
        lines += sync.copies.map { "copy \(hexadecimal($0.bytes))" }
        if let away = sync.away { lines.append(away.line("away")) }
        if let entry = report.entry { lines.append("entry " + entry.fileWords) }
        let remote = sync.hasRemote ? "remote" : "alone"
        lines.append("saved \(report.version) \(remote) \(sync.isQueued ? "queued" : "done")")
        return lines
    }
}

extension Problem {
    fileprivate func line(_ kind: String) -> String {
        var failure = failure
        failure.path = path.bytes
        return failure.line(kind)
    }
}

extension Failure {
    fileprivate func line(_ kind: String) -> String {
        let words = [path, Array(message.utf8), Array(remedy.utf8)].map { hexadecimal($0) }
        return ([kind, code.description] + words).joined(separator: " ")
    }

    fileprivate init?(words: [String]) {
        guard words.count == 5, let path = FilesinkiModel.bytes(hexadecimal: words[2]),
            let message = FilesinkiModel.bytes(hexadecimal: words[3]),
            let remedy = FilesinkiModel.bytes(hexadecimal: words[4])
        else { return nil }
        self.init(
            Code(words[1]), path: path, String(decoding: message, as: UTF8.self),
            remedy: String(decoding: remedy, as: UTF8.self))
    }
}
