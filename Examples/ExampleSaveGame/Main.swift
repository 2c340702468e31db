import FileSinki
import Foundation

/// A save game with a score: of two that were saved apart, the better one stays.
struct SaveGame: FileSyncable {
    let score: Double

    func shouldOverwrite(other: Self) -> Bool { score > other.score }
}

/// `ExampleSaveGame ROOT STORE SCORE`: saves a score, and says which one stays.
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let score = arguments.last.flatMap({ Double($0) }) else {
            print("usage: ExampleSaveGame ROOT STORE SCORE")
            exit(2)
        }
        FileSinki.setup(remote: "dir:" + arguments[2], root: URL(filePath: arguments[1]))
        FileSinki.save(SaveGame(score: score), toPath: "SaveGames/player1.save") { final in
            print("Another device was better: \(final.score).")
        }
        FileSinki.load(SaveGame.self, fromPath: "SaveGames/player1.save") { game, wasRemote in
            print("\(wasRemote ? "There" : "Here"): \(game?.score ?? 0).")
        }
        await FileSinki.settled()
    }
}
