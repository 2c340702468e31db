import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// The lines of some steps, of which one says what many have in common: the files of a folder that was renamed or deleted, and
/// those of which both sides changed the time only. Steps in which something was decided, and renames with another mode, keep a line of
/// their own.
struct FoldedSteps {
    /// In the order of the steps; a line for many stands where the first of them does.
    private(set) var lines: [StepLine] = []
    /// Whether a line stands for many steps.
    private(set) var isFolded = false

    /// Up to so many steps have lines of their own.
    private static let few = 3

    private let isPlan: Bool
    /// The folders that were deleted, by where.
    private var deletedFolders: Set<Place> = []

    private struct Place: Hashable {
        var direction: String
        var path: RelativePath
    }

    private struct Group: Hashable {
        enum What: Hashable {
            case times
            case renamed(from: RelativePath, to: RelativePath)
            case deleted(RelativePath)
        }

        var direction: String
        var what: What
    }

    /// - Parameters:
    ///   - copies: As for ``StepLine/init(_:copies:isPlan:)``.
    ///   - isPlan: Whether the steps are planned and were not carried out.
    init(_ steps: [Step], copies: [RelativePath: Step], isPlan: Bool) {
        self.isPlan = isPlan
        for step in steps where step.reason == .deleted && step.isFolder {
            deletedFolders.insert(Place(direction: direction(of: step), path: step.path))
        }
        let groups = steps.map { step in copies[step.path] == nil ? group(of: step) : nil }
        var counts: [Group: Int] = [:]
        for case (let step, let group?) in zip(steps, groups) {
            counts[group, default: 0] += step.isFolder ? 0 : 1
        }
        counts = counts.filter { $0.value > Self.few }
        let brought = Self.broughtFolders(
            zip(steps, groups).filter { _, group in group.flatMap { counts[$0] } != nil })
        var given: Set<Group> = []
        for (step, group) in zip(steps, groups) {
            if let group, let count = counts[group] {
                if given.insert(group).inserted { lines.append(line(for: group, count, step)) }
            } else if !(step.reason == .created && brought.contains(step.path)) {
                lines.append(StepLine(step, copies: copies, isPlan: isPlan))
            }
        }
        isFolded = !given.isEmpty
    }

    /// The folders that came with renamed ones: those that hold a file of them.
    private static func broughtFolders(_ folded: [(Step, Group?)]) -> Set<RelativePath> {
        var found: Set<RelativePath> = []
        for (step, group) in folded {
            guard case .renamed(_, let new)? = group?.what else { continue }
            found.formUnion(step.path.ancestors.filter { $0.isAtOrInside([new]) })
        }
        return found
    }

    private func direction(of step: Step) -> String { step.direction(isPlan: isPlan) }

    private func group(of step: Step) -> Group? {
        let direction = direction(of: step)
        switch step.reason {
        case .laterTime: return Group(direction: direction, what: .times)
        case .renamed(let old) where step.modeBefore == nil:
            guard let (from, to) = Self.folders(old, step.path) else { return nil }
            return Group(direction: direction, what: .renamed(from: from, to: to))
        case .deleted:
            let places = [step.path] + step.path.ancestors
            let folder = places.last {
                deletedFolders.contains(Place(direction: direction, path: $0))
            }
            return folder.map { Group(direction: direction, what: .deleted($0)) }
        default: return nil
        }
    }

    /// The topmost folder whose rename gave a file its new path; nil for a file that was renamed itself.
    private static func folders(
        _ old: RelativePath, _ new: RelativePath
    ) -> (from: RelativePath, to: RelativePath)? {
        var (from, to) = (old, new)
        while from.name == to.name, let fromParent = from.parent, let toParent = to.parent {
            (from, to) = (fromParent, toParent)
        }
        return from == old || from == to ? nil : (from, to)
    }

    private func line(for group: Group, _ count: Int, _ step: Step) -> StepLine {
        let files = CountText.text(count, "file")
        switch group.what {
        case .times:
            return StepLine(
                like: step, path: files, details: [step.explanation], isPlan: isPlan)
        case .renamed(let from, let to):
            return StepLine(
                like: step, path: "\(to)/", details: ["from \(from)/", "(\(files))"],
                isPlan: isPlan)
        case .deleted(let folder):
            return StepLine(
                like: step, path: "\(folder)/", details: ["(\(files))"], isPlan: isPlan)
        }
    }
}
