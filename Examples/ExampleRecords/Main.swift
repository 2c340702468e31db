import FileSinkiRecords
import Foundation

/// A thing to do, as a record: each property is a field.
struct Item: Codable {
    var title: String
    var isDone = false
    var due: Date?
}

/// `ExampleRecords ROOT STORE add TITLE`, `rename NAME TITLE`, `done NAME`, `delete NAME`, or `list`: a list of things to
/// do that several devices share. All of it works offline, too; what was done then is published by the next command.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else {
            print(
                "usage: ExampleRecords ROOT STORE add TITLE | rename NAME TITLE | done NAME | delete NAME | list"
            )
            exit(2)
        }
        let zone = try await RecordZone.open(folder: arguments[0], remote: "dir:" + arguments[1])
        switch (arguments[2], arguments.dropFirst(3).first) {
        case ("add", let title?):
            let record = try await zone.save(Item(title: title), as: "item-\(title)")
            print("added \(record.name)")
        case ("rename", let name?):
            guard let title = arguments.dropFirst(4).first else { exit(2) }
            try await change(name, in: zone) { $0.title = title }
            print("renamed \(name)")
        case ("done", let name?):
            try await change(name, in: zone) { $0.isDone = true }
            print("done \(name)")
        case ("delete", let name?):
            try await zone.delete(name)
            print("deleted \(name)")
        default:
            do { try await zone.exchangeNow() } catch let error as RecordError
                where error.kind == .away
            {
                print("offline; on this device:")
            }
            var query = Query("Item", where: "isDone = 0")
            query.sort = [.ascending("title")]
            for record in try await zone.records(matching: query).records {
                print(try record.decode(Item.self).title)
            }
        }
    }

    /// What others have changed meanwhile is merged, field by field.
    private static func change(
        _ name: String, in zone: RecordZone, _ body: @Sendable (inout Item) -> Void
    ) async throws {
        guard var item = try await zone.load(Item.self, name) else {
            print("no item of this name")
            exit(1)
        }
        body(&item)
        try await zone.save(item, as: name)
    }
}
