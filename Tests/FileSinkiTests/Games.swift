import FileSinki
import Synchronization

/// The better score stays.
struct Score: FileSyncable {
    var score: Double
    var player = "somebody"

    func shouldOverwrite(other: Self) -> Bool { score > other.score }
}

/// A number, of which the greater one stays: `Comparable` says so.
struct Level: FileSyncable, Comparable {
    var level: Int
    static func < (left: Self, right: Self) -> Bool { left.level < right.level }
}

/// Trophies that are added up: a merge that is not idempotent.
struct Trophies: FileMergable {
    var trophies: [String]

    static let merges = Calls<[String]>()

    func merge(with other: Self) -> Self? {
        Self.merges.note(trophies + other.trophies)
        return Trophies(trophies: (trophies + other.trophies).sorted())
    }

    /// How often trophies with this beginning were merged.
    static func merges(of mark: String) -> Int {
        merges.all.count { $0.contains { $0.hasPrefix(mark) } }
    }
}

/// A counter that knows what both sides started from.
struct Coins: FileMergable {
    var coins: Int

    func merge(with other: Self, base: Self?) -> Self? {
        Coins(coins: coins + other.coins - (base?.coins ?? 0))
    }
}

/// Merges only what has the same player; else the better score stays.
struct Campaign: FileSyncable, FileMergable {
    var player: String
    var score: Int
    var levels: [Int]

    func merge(with other: Self) -> Self? {
        guard player == other.player else { return nil }
        return Campaign(
            player: player, score: max(score, other.score),
            levels: Set(levels + other.levels).sorted())
    }

    func shouldOverwrite(other: Self) -> Bool { score > other.score }
}

/// Is never deleted by another device.
struct Precious: FileSyncable {
    var name: String
    func shouldOverwrite(other: Self) -> Bool { name > other.name }
    static func shouldDelete(local: Self, remoteDeleted: Self) -> Bool { false }
}
