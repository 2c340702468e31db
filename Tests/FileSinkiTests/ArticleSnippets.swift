import FileSinki
import FileSinkiKeyValue
import Foundation

// The code of the articles in FileSinki.docc, as it stands there: `ArticleTests` compares them, and that
// they compile is seen by this file.

enum LandingPage {
    static func snippet(_ folder: URL) async throws -> Double? {
        struct SaveGame: FileSyncable, Comparable {
            var score: Double
            static func < (left: Self, right: Self) -> Bool { left.score < right.score }
        }

        let sinki = try await FileSinki(root: folder, remote: "dir:/mnt/shared/game")
        try await sinki.save(SaveGame(score: 12), to: "SaveGames/player1.save")
        let best = try await sinki.load(SaveGame.self, from: "SaveGames/player1.save")
        return best?.score
    }
}

struct SaveGameOfArticles: FileSyncable, Comparable {
    var score: Double
    static func < (left: Self, right: Self) -> Bool { left.score < right.score }
}

enum MovingFromCloudKit {
    typealias SaveGame = SaveGameOfArticles

    static func setUp(_ folder: URL) {
        FileSinki.setup(remote: "dir:/mnt/shared/game", root: folder)
    }

    static func snippet(_ folder: URL) async throws {
        let sinki = try await FileSinki(root: folder, remote: "dir:/mnt/shared/game")
        for try await loaded in sinki.loads(SaveGame.self, from: "SaveGames/player1.save") {
            print(loaded.item as Any, loaded.wasRemote)
        }
    }
}

enum WritingAMerge {
    struct Trophies: FileSyncable, FileMergable {
        var names: [String]

        func merge(with other: Self) -> Self? {
            Trophies(names: Array(Set(names + other.names)).sorted())
        }
    }

    struct Inventory: FileSyncable, FileMergable {
        var coins: Int

        func merge(with other: Self) -> Self? { nil }

        func merge(with other: Self, base: Self?) -> Self? {
            guard let base else { return nil }
            return Inventory(coins: coins + other.coins - base.coins)
        }
    }

    enum Asking {
        struct Person: Sendable {
            func choose<Item>(_ one: Item, _ other: Item) async -> Item? { one }
        }

        static let person = Person()

        struct Letter: FileMergable {
            var text: String

            func shouldOverwrite(other: Self) -> Bool { text.count > other.text.count }

            func mergeAsync(with other: Self, merged: @escaping MergedClosure) {
                Task { merged(await person.choose(self, other)) }
            }
        }
    }

    static func snippet(_ sinki: FileSinki, _ pdf: Data) async throws {
        try await sinki.save(pdf, to: "test.pdf") { here, there, base in
            here.count > there.count ? here : there
        }
    }
}

final class ObservingArticle {
    typealias SaveGame = SaveGameOfArticles

    func snippet(_ sinki: FileSinki) async throws {
        for try await change in sinki.changes(of: SaveGame.self, at: "SaveGames/") {
            switch change {
            case .changed(let game, let path): print(path, game.score)
            case .deleted(let path): print(path, "is gone")
            }
        }
    }

    func snippet() {
        let subscription = FileSinki.addObserver(self, for: SaveGame.self, path: "SaveGames/") {
            changed in
            print(changed.path, changed.item.score)
        }
        subscription.cancel()
    }
}

enum KeyValueArticle {
    static func snippet(_ folder: URL) async throws -> Double {
        let store = try await KeyValueStore.open(
            folder: folder.path, remote: "dir:/mnt/shared/game")
        store.set(0.5, forKey: "volume")
        let volume = store.double(forKey: "volume")
        for try await change in store.changes() {
            print(change.reason, change.keys)
        }
        return volume
    }

    static func property(_ store: KeyValueStore) -> Double {
        KeyValueStore.standard = store
        @CloudStorage("volume") var loudness = 0.5
        return loudness
    }
}
