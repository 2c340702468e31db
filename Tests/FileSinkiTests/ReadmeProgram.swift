import FileSinki
import Foundation

// FileSinki's own examples, typed in anew as its users have them. Nothing is changed for Linux.

enum FirstExample {
    struct SaveGame: FileSyncable {
        let score: Double

        func shouldOverwrite(other: Self) -> Bool {
            return score > other.score
        }
    }
}

enum MergingExample {
    struct Trophy: Codable, Comparable {
        let name: String

        static func < (lhs: Trophy, rhs: Trophy) -> Bool {
            return lhs.name < rhs.name
        }
    }

    struct SaveGame: FileSyncable, FileMergable {
        let trophies: [Trophy]

        func merge(with other: Self) -> Self? {
            let combinedTrophies = (trophies + other.trophies).sorted()
            return SaveGame(trophies: combinedTrophies)
        }
    }
}

enum InteractiveExample {
    struct SaveGame: Codable, Equatable {
        let score: Double
    }
}

extension InteractiveExample.SaveGame: FileSyncable {
    func shouldOverwriteAsync(
        other: InteractiveExample.SaveGame, keep: @escaping ShouldOverwriteClosure
    ) {
        // Who plays says that the other device's game is dearer.
        DispatchQueue.global().async {
            keep(other)
        }
    }
}

enum InteractiveMergingExample {
    struct SaveGame: Codable, Equatable {
        let score: Double
    }
}

extension InteractiveMergingExample.SaveGame: FileMergable, FileSyncable {
    func mergeAsync(
        with other: InteractiveMergingExample.SaveGame, merged: @escaping MergedClosure
    ) {
        let sum = InteractiveMergingExample.SaveGame(score: score + other.score)
        DispatchQueue.global().async {
            merged(sum)
        }
    }
}

/// A program of FileSinki's user.
final class ReadmeProgram {
    var log: [String] = []

    func run() {
        FileSinki.load(FirstExample.SaveGame.self, fromPath: "SaveGames/player1.save") {
            saveGame, wasRemote in
            // closure can be called multiple times
            self.log.append("loaded \(saveGame?.score ?? 0) \(wasRemote)")
        }
    }

    func save() {
        let saveGame = FirstExample.SaveGame(score: 5)
        FileSinki.save(saveGame, toPath: "SaveGames/player1.save") { finalVersion in
            // closure can be called with the final version
            self.log.append("final \(finalVersion.score)")
        }
    }

    func savePlainly(_ trophies: [String]) {
        let saveGame = MergingExample.SaveGame(
            trophies: trophies.map { MergingExample.Trophy(name: $0) })
        FileSinki.save(saveGame, toPath: "SaveGames/trophies.save") { finalVersion in
            self.log.append(finalVersion.trophies.map(\.name).joined(separator: " "))
        }
    }

    func saveInteractively() {
        FileSinki.save(InteractiveExample.SaveGame(score: 1), toPath: "asked.save") {
            finalVersion in
            self.log.append("kept \(finalVersion.score)")
        }
        FileSinki.save(InteractiveMergingExample.SaveGame(score: 1), toPath: "merged.save") {
            finalVersion in
            self.log.append("merged \(finalVersion.score)")
        }
    }

    func remove() {
        FileSinki.delete(FirstExample.SaveGame(score: 5), at: "SaveGames/player1.save")
    }

    func observe() {
        FileSinki.addObserver(self, for: FirstExample.SaveGame.self, path: "SaveGames/") {
            changed in
            self.log.append("observed \(changed.item.score) at \(changed.path)")
            assert(changed.localURL.path.hasSuffix(changed.path))
        }
        FileSinki.addObserver(self, path: "test.pdf") { changed in
            self.log.append("observed file \(changed.path)")
        }
    }

    func binary(_ pdf: Data) {
        FileSinki.loadBinaryFile(
            fromPath: "test.pdf",
            mergeAsync: { left, right, merged in
                merged(left + right)
            }
        ) { data, wasRemote in
            self.log.append("pdf \(data?.count ?? 0) \(wasRemote)")
        }
        FileSinki.saveBinaryFile(
            pdf, toPath: "test.pdf",
            mergeAsync: { left, right, merged in
                merged(left + right)
            }
        ) { finalData in
            self.log.append("final pdf \(finalData.count)")
        }
        FileSinki.deleteBinaryFile(pdf, at: "old.pdf")
    }

    func compressed(root saveGameURL: URL) {
        let saveGame = FirstExample.SaveGame(score: 3)
        FileSinki.saveCompressed(saveGame, toPath: "packed.save")
        FileSinki.loadCompressed(FirstExample.SaveGame.self, fromPath: "packed.save") {
            saveGame, wasRemote in
            self.log.append("packed \(saveGame?.score ?? 0)")
        }
        FileSinki.deleteCompressed(saveGame, at: "packed.save")
        FileSinki.load(FirstExample.SaveGame.self, fromPath: saveGameURL.path) { _, _ in }
        FileSinki.save(saveGame, toPath: "doc.save", root: .documentDirectory)
        FileSinki.didBecomeActive()
        FileSinki.receivedNotification([:])
    }
}
