import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A merge by a program of the user's: see ``MergeDriver``.
struct ExecMerge {
    let command: String
    let limit: Duration

    func merge(in folder: MergeFolder, path: RelativePath) throws(Failure) -> LinkOutcome {
        let kind = try ContentKind.common(of: folder, hasBase: false)
        let before = FileStamp(ofRegularFile: folder.file(.here))
        let run = UserCommand(
            text: MergeDriver(command).expanded, variables: Self.variables(folder, path),
            limit: limit)
        switch try run.run() {
        case .ranOutOfTime: return .refused("The command took longer than \(limit).")
        case .ended(code: 1, _): return .refused("The command declined.")
        case .ended(code: 0, _): return try result(in: folder, before, kind)
        case .ended(let code, _): return .refused("The command failed with exit code \(code).")
        }
    }

    /// What a command of the user's is told about the versions.
    static func variables(
        _ folder: MergeFolder, _ path: RelativePath
    ) -> [(name: String, value: [UInt8])] {
        MergeDriver.variables(
            base: folder.file(.base), here: folder.file(.here), there: folder.file(.there),
            path: path.bytes)
    }

    /// What the program left, unless it is nothing, or not of the kind that both sides are.
    private func result(
        in folder: MergeFolder, _ before: FileStamp?, _ kind: ContentKind
    ) throws(Failure) -> LinkOutcome {
        let here = folder.file(.here)
        guard let after = FileStamp(ofRegularFile: here), after != before else {
            return .refused("The command exited with 0 and wrote nothing.")
        }
        if after.size == 0, before?.size != 0,
            FileStamp(ofRegularFile: folder.file(.there))?.size != 0
        {
            return .refused("The command left an empty file.")
        }
        if kind != .other, try !kind.covers(ContentKind(of: folder, .here)) {
            return .refused("The command left what is not \(kind.rawValue), as both sides are.")
        }
        return .merged(file: here, by: "exec:\(command)")
    }
}
