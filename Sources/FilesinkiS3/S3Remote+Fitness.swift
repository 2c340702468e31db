import FilesinkiHTTP
import FilesinkiRemote
import FilesinkiXML

extension S3Remote: FitnessReporting {
    /// Asks whether the bucket keeps versions. Services were measured that then let every writer of a
    /// slot win.
    package func unfitness() async throws -> String? {
        let reply = try await connection.send(.init(method: "GET", query: [("versioning", "")]))
        // Who cannot keep versions, or does not let this key ask, is judged by the race.
        if [403, 405, 501].contains(reply.status),
            ["AccessDenied", "MethodNotAllowed", "NotImplemented"].contains(S3Fault(reply).code)
        {
            return nil
        }
        guard reply.isSuccess else { throw await connection.failure(reply, "") }
        guard let root = reply.xml(maximumElements: 64), root.name == "VersioningConfiguration"
        else { throw connection.strange("", "it does not say whether versions are kept") }
        guard root.text(of: "Status") == "Enabled" else { return nil }
        return "The bucket \(place.bucket) keeps versions (versioning is Enabled), and several "
            + "writers may win one slot there. Use a bucket that never had versioning."
    }
}
