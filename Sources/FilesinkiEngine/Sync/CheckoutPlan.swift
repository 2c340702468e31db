import FilesinkiModel
import FilesinkiStore

/// The files of a checkout, grouped by where their contents lie.
struct CheckoutPlan {
    /// What is staged and installed together.
    private(set) var windows: [[ContentJob]] = []
    /// Who wants a content.
    let wanted: [ContentID: [ApplyTask]]

    init(_ tasks: [ApplyTask], _ contents: ContentSource) async throws {
        var wanted: [ContentID: [ApplyTask]] = [:]
        for task in tasks { wanted[task.entry.content, default: []].append(task) }
        self.wanted = wanted
        divide(try await ContentPlan(wanted.keys, contents).jobs)
    }

    private mutating func divide(_ jobs: [ContentJob]) {
        var window: [ContentJob] = []
        var files = 0
        var bytes: Int64 = 0
        for job in jobs {
            window.append(job)
            for content in job.contents {
                let tasks = wanted[content] ?? []
                files += tasks.count
                bytes += tasks.reduce(0) { $0 + $1.entry.size }
            }
            if files >= Checkout.windowFiles || bytes >= Checkout.windowBytes {
                windows.append(window)
                window = []
                files = 0
                bytes = 0
            }
        }
        if !window.isEmpty { windows.append(window) }
    }
}
