import FilesinkiModel

extension Planner {
    /// Rows 11 and 12: whatever survives needs its folders, up to the root.
    ///
    /// A folder that was deleted stays or comes back; where something else has taken its name, the
    /// folder keeps the name and the other gets a conflict name.
    mutating func keepParents() {
        var sound: Set<RelativePath> = []
        var index = 0
        // Folders and copies that are set on the way are appended, and looked at in their turn.
        while index < intents.count {
            let intent = intents[index]
            index += 1
            guard intent.survives else { continue }
            var path = intent.path
            while let folder = path.parent, sound.insert(folder).inserted {
                keepFolder(folder)
                path = folder
            }
        }
    }

    private mutating func keepFolder(_ folder: RelativePath) {
        guard let intent = intent(at: folder) else {
            if let entry = input.base.entry(folder)?.entry {
                guard entry.kind != .directory else { return }
                replace(entry, at: folder, origin: folder)
            } else {
                set(
                    Intent(
                        path: folder, outcome: .entry(.directory(mode: 0o755, modified: .zero)),
                        reason: .holdsSurvivor))
            }
            return
        }
        guard case .entry(let entry) = intent.outcome, entry.kind != .directory else { return }
        if entry.kind == .tombstone {
            set(
                Intent(
                    path: folder, outcome: .entry(directory(for: folder)), reason: .holdsSurvivor))
        } else {
            replace(entry, at: folder, origin: intent.origin)
        }
    }

    /// Puts a directory where `entry` was to be, and gives `entry` a conflict name.
    private mutating func replace(_ entry: Entry, at path: RelativePath, origin: RelativePath?) {
        set(
            Intent(
                path: path, outcome: .entry(directory(for: path)), reason: .folderKeepsName))
        let isOurs = input.local(path)?.hasSameContent(as: entry) ?? false
        let isTheirs = input.remote(path)?.hasSameContent(as: entry) ?? false
        addCopy(
            of: entry, at: path, from: isTheirs ? sender(of: path) : input.device,
            origin: isOurs ? path : origin)
    }

    /// The directory as some tree knows it, the committed one first.
    private func directory(for path: RelativePath) -> Entry {
        let known = [input.remote(path), input.local(path), input.base.entry(path)?.entry]
        return known.compactMap(\.self).first { $0.kind == .directory }
            ?? .directory(mode: 0o755, modified: .zero)
    }

    /// Row 24: a directory that holds something blocked cannot go, nor become something else.
    mutating func keepBlocked() {
        for blocked in input.blocked {
            for folder in blocked.ancestors {
                guard var intent = intent(at: folder), case .entry(let entry) = intent.outcome,
                    entry.kind != .directory
                else { continue }
                intent.outcome = .skip
                intent.reason = .holdsBlocked
                set(intent)
            }
        }
    }
}

extension Timestamp {
    /// The beginning of 1970: stands where no time is known.
    static let zero = Timestamp(nanoseconds: 0)
}
