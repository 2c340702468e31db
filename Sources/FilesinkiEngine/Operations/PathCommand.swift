import FilesinkiManifest
import FilesinkiModel

/// A command that puts an older or a chosen content at a path, as `explain` and the log tell it.
struct PathCommand {
    /// `restore`, `undelete` or `resolve`.
    var command: String
    /// The version that was brought back; 0 for none.
    var version: UInt64 = 0
    /// What was chosen, as a sentence; may be empty.
    var note = ""

    /// Commands that the log names as the reason of an edit.
    static let names: Set<String> = ["restore", "undelete", "resolve"]
}

extension History {
    /// Notes in the journal what a command has done to paths.
    func record(_ command: PathCommand, _ paths: [RelativePath]) throws {
        guard !paths.isEmpty else { return }
        let now = systemContext.now()
        let run = try manifest.runs(limit: 1).first?.id ?? 0
        try manifest.write { writer in
            for path in paths {
                let isWaiting = try manifest.local(path) != nil
                let version = isWaiting ? 0 : try manifest.base(path)?.version ?? 0
                try writer.addJournal(
                    JournalRow(
                        run: run, time: now, path: path, action: command.command,
                        rule: "command", device: config.device, baseVersion: command.version,
                        version: version, note: command.note))
            }
        }
    }
}
