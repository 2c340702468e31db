package import FilesinkiModel
import FilesinkiSystem

extension SystemContext {
    /// The system's clock and chance, for servers that have a clock, too; who sleeps goes on at once.
    package static let quick: SystemContext = {
        var quick = ofMachine
        quick.sleep = { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
        return quick
    }()
}
