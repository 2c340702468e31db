package import FilesinkiModel
import FilesinkiSystem

extension Surroundings {
    /// The system's clock and chance, for servers that have a clock, too; who sleeps goes on at once.
    package static let quick: Surroundings = {
        var quick = ofMachine
        quick.sleep = { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
        return quick
    }()
}
