import FileSinki
import Foundation

/// A list of trophies that grows on each device. What both devices have stays, what one of them has
/// taken away goes.
struct TrophyList: FileMergable, Sendable {
    var trophies: [String]

    func merge(with other: Self, base: Self?) -> Self? {
        let old = Set(base?.trophies ?? [])
        let (mine, theirs) = (Set(trophies), Set(other.trophies))
        let all = mine.union(theirs).filter { trophy in
            !old.contains(trophy) || mine.contains(trophy) && theirs.contains(trophy)
        }
        return TrophyList(trophies: all.sorted())
    }
}

/// `ExampleTrophies ROOT STORE TROPHY…`: adds trophies to what is here, and prints what came of it.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            print("usage: ExampleTrophies ROOT STORE TROPHY...")
            exit(2)
        }
        let root = URL(filePath: arguments[0])
        let sinki = try await FileSinki(root: root, remote: "dir:" + arguments[1])
        // Adds to what is here, without a look at the remote: the merge does the rest.
        var list = TrophyList(trophies: [])
        for try await loaded in sinki.loads(TrophyList.self, from: "trophies.json") {
            list = loaded.item ?? list
            break
        }
        list.trophies += arguments.dropFirst(2)
        switch try await sinki.save(list, to: "trophies.json") {
        case .merged(let both): print("merged: \(both.trophies.joined(separator: " "))")
        case .kept(let other), .keptBoth(let other, _):
            print("kept: \(other.trophies.joined(separator: " "))")
        case .uploaded: print("uploaded: \(list.trophies.joined(separator: " "))")
        case .queued: print("queued: \(list.trophies.joined(separator: " "))")
        case .stored: print("stored: \(list.trophies.joined(separator: " "))")
        }
    }
}
