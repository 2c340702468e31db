import FileSinkiRecords
import Foundation

/// A thing to do, as a record: each property is a field.
struct Item: Codable {
    var title: String
    var isDone = false
    var due: Date?
}

/// `ExampleRecords ROOT STORE add TITLE`, `done NAME`, or `list`: a list of things to do that several devices share.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else {
            print("usage: ExampleRecords ROOT STORE add TITLE | done NAME | list")
            exit(2)
        }
        let zone = try await RecordZone.open(folder: arguments[0], remote: "dir:" + arguments[1])
        switch (arguments[2], arguments.dropFirst(3).first) {
        case ("add", let title?):
            let record = try await zone.save(Item(title: title), as: "item-\(title)")
            print("added \(record.name)")
        case ("done", let name?):
            // What others have changed meanwhile is merged, field by field.
            guard var item = try await zone.load(Item.self, name) else {
                print("no item of this name")
                exit(1)
            }
            item.isDone = true
            try await zone.save(item, as: name)
            print("done \(name)")
        default:
            try await zone.exchangeNow()
            var query = Query("Item", where: "isDone = 0")
            query.sort = [.ascending("title")]
            for record in try await zone.records(matching: query).records {
                print(try record.decode(Item.self).title)
            }
        }
    }
}
