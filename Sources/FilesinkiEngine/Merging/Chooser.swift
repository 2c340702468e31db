import FilesinkiModel
import FilesinkiSystem

/// A user's command that chooses between two contents: `choose:COMMAND`.
///
/// It finds the files' names in `$FILESINKI_BASE`, `$FILESINKI_HERE` and `$FILESINKI_THERE` and the
/// path in `$FILESINKI_PATH`, and prints `here`, `there` or `keep-both`.
struct Chooser {
    let command: String
    let limit: Duration

    func choose(in folder: MergeFolder, path: RelativePath) throws(Failure) -> LinkOutcome {
        let run = UserCommand(
            text: command, variables: ExecMerge.variables(folder, path), limit: limit)
        switch try run.run() {
        case .ranOutOfTime: return .refused("The command took longer than \(limit).")
        case .ended(code: 0, let output): return Self.choice(output)
        case .ended(let code, _): return .refused("The command failed with exit code \(code).")
        }
    }

    private static func choice(_ output: [UInt8]) -> LinkOutcome {
        let words = output.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
        switch words.first.map({ String(decoding: $0, as: UTF8.self) }) {
        case "here": return .side(.here)
        case "there": return .side(.there)
        case "keep-both": return .keepBoth
        default: return .refused("The command named no side.")
        }
    }
}
