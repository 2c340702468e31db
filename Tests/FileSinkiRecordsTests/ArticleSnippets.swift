import FileSinkiRecords
import Foundation

/// The code of the article "Moving records from CloudKit", as it stands there: `ArticleTests` compares them, and that they
/// compile is seen by this file.
enum MovingRecordsFromCloudKit {
    static func open(_ folder: URL) async throws -> RecordZone {
        let zone = try await RecordZone.open(
            folder: folder.path, remote: "https://sync.example.org/notes")
        return zone
    }

    static func mend(_ record: Record, _ zone: RecordZone) async throws {
        do {
            try await zone.save(record, policy: .ifServerRecordUnchanged)
        } catch let error as RecordError where error.kind == .conflict {
            guard var server = error.conflict?.server else { throw error }
            server["title"] = record["title"]
            try await zone.save(server, policy: .ifServerRecordUnchanged)
        }
    }

    static func structures(_ zone: RecordZone) async throws -> (title: String?, count: Int) {
        struct Note: Codable {
            var title: String
            var count = 0
            var due: Date?
        }
        try await zone.save(Note(title: "Hello", count: 3), as: "n1")
        let note = try await zone.load(Note.self, "n1")
        let many = try await zone.loadAll(Note.self, where: "count > 2")
        return (note?.title, many.count)
    }
}
