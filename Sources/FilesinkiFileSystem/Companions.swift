import FilesinkiModel
import FilesinkiSystem
import Glibc

/// What lies beside a live file and belongs to its content: a database's log and its journal, as they
/// were at one moment. A commit changes one of them, and the file itself not always.
struct Companions {
    private enum State: Equatable {
        case absent
        case content(ContentID)
        /// It was being written, or is no file.
        case unclear
    }

    private var states: [State] = []

    init(of name: [UInt8], in folder: borrowing FileHandle) throws(SystemError) {
        for ending in [LiveCompanion.log, LiveCompanion.journal] {
            states.append(try Self.state(of: name + ending, in: folder))
        }
    }

    private static func state(
        of name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> State {
        guard let status = try folder.status(of: name) else { return .absent }
        guard status.kind == .file, let content = try identity(of: name, in: folder) else {
            return .unclear
        }
        return .content(content)
    }

    /// Whether nothing was committed in between.
    func isSame(as other: Companions) -> Bool {
        states == other.states && !states.contains(.unclear)
    }
}

extension LiveCompanion {
    /// The endings of those that lie beside a name.
    static func present(
        beside name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for ending in all where try folder.status(of: name + ending) != nil { found.append(ending) }
        return found
    }
}

extension Staging {
    /// Takes what belongs to a live file after it, under the name that the file has here.
    func takeOutCompanions(
        _ folder: borrowing FileHandle, _ name: [UInt8], as aside: [UInt8]
    ) throws(SystemError) {
        for ending in LiveCompanion.all {
            do throws(SystemError) {
                try takeOut(folder, name + ending, as: aside + ending)
            } catch {
                guard error.number == ENOENT else { throw error }
            }
        }
    }

    /// Removes what was taken out, the live file first: its loss says that the step is done.
    func drop(_ aside: [UInt8], isLive: Bool) throws(SystemError) {
        try folder.unlink(aside)
        guard isLive else { return }
        for ending in LiveCompanion.all { try folder.unlink(aside + ending) }
    }
}
