import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile

/// What a person or a program wrote to resolve a conflict is looked at before it is taken.
extension Session {
    /// Refuses a content with conflict markers, and one that is no document of its format, unless the versions are such, too.
    func check(_ given: [UInt8], for conflict: OpenConflict) async throws {
        if let line = try await markerLine(in: given, of: conflict) {
            throw Failure(
                .usage, path: conflict.path.bytes,
                "There are conflict markers left, the first in line \(line).",
                remedy: "Remove them; if such lines belong to the file, give --unchecked.")
        }
        if let problem = try await formatProblem(of: given, for: conflict) {
            throw Failure(
                .usage, path: conflict.path.bytes, problem,
                remedy: "Correct it, or give --unchecked.")
        }
    }

    /// The first line of a content that is a conflict marker, and of a kind that no version of the conflict has; nil for none.
    func markerLine(in given: [UInt8], of conflict: OpenConflict) async throws -> Int? {
        var markers = ConflictMarkers(in: given)
        for side in conflict.sides.inOrder where markers.first != nil {
            guard conflict.entry(of: side)?.kind == .file else { continue }
            let version = try await knownContent(of: side, in: conflict)
            markers = markers.without(ConflictMarkers(in: version))
        }
        return markers.first
    }

    /// Why a content is no document of the file's format, although the versions of the conflict are: a sentence; nil if it is
    /// one, or nobody can tell. An empty content is what it seems to be.
    func formatProblem(of given: [UInt8], for conflict: OpenConflict) async throws -> String? {
        let format = try await replica.mergeSettings(of: conflict.path).format
        let check = DocumentCheck(fileName: conflict.path.name, format: format)
        guard !given.isEmpty, check.isDoubtful(given) else { return nil }
        var versions: [[UInt8]] = []
        for side in conflict.sides.inOrder where conflict.entry(of: side)?.kind == .file {
            do {
                versions.append(try await knownContent(of: side, in: conflict))
            } catch let failure as Failure
                where [.away, .notFound, .limit].contains(failure.code)
            {
                // A conflict can be resolved while the store is away, and without a version that is lost or too large.
                return nil
            }
        }
        return check.problem(of: given, beside: versions.filter { !$0.isEmpty })
    }
}
