import FilesinkiModel
import FilesinkiSystem
import Glibc

/// What a folder's names say of the live files in it.
struct LiveNames {
    /// Companions, which are no files of the user's.
    private(set) var hidden: Set<[UInt8]> = []
    /// Files that may have a log beside them.
    var logged: Set<[UInt8]> = []

    init() {}

    init(_ listing: FolderListing, in folder: borrowing FileHandle, _ live: (any LiveFiles)?) {
        guard let live else { return }
        var names: Set<[UInt8]> = []
        for entry in listing.entries {
            let name = listing.name(entry)
            // Every ending ends in one of these; most names of a tree do not.
            guard let last = name.last, last == UInt8(ascii: "l") || last == UInt8(ascii: "m")
            else { continue }
            for ending in LiveCompanion.all where name.reversed().starts(with: ending.reversed()) {
                names.insert(Array(name))
            }
        }
        for name in names {
            for ending in LiveCompanion.all where name.reversed().starts(with: ending.reversed()) {
                let owner = Array(name.dropLast(ending.count))
                guard !owner.isEmpty, folder.holdsLive(owner, live) else { continue }
                hidden.insert(name)
                if ending == LiveCompanion.log { logged.insert(owner) }
            }
        }
    }
}
