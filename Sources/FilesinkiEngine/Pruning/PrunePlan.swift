package import FilesinkiModel
import FilesinkiStore

/// What a prune is to do: it is made from the whole log, and carried out in steps.
struct PrunePlan {
    private(set) var kept: KeptVersions
    /// Packs that commits name and that do not exist.
    let gone: Set<[UInt8]>
    var needed = NeededUnits()
    /// The last commit that ``needed`` includes.
    var token: ChangeToken?
    var report = PruneReport()
    private var candidates: ArraySlice<PackShare> = []

    init(_ kept: KeptVersions, gone: Set<[UInt8]> = []) {
        self.kept = kept
        self.gone = gone
    }

    /// Keeps further trees: those of conflicts that were found since the plan was made.
    mutating func keep(_ trees: [ClosedRange<UInt64>]) { kept = kept.adding(trees) }

    /// Chooses the packs that go.
    ///
    /// - Parameter rewrites: Whether those go, too, of which something is needed.
    mutating func measure(_ shares: [PackShare], rewrites: Bool = true) {
        let chosen = PackShare.candidates(of: shares)
        candidates = chosen.filter { rewrites || $0.first == 0 }[...]
        let left = chosen.dropFirst(candidates.count).filter(\.isMostlyUnused)
        report.unfreedBytes = left.reduce(0) { $0 + $1.unusedBytes }
        report.packs = shares.count
        report.bytes = shares.reduce(0) { $0 + $1.pack.size }
        report.removedPacks = candidates.count
        report.rewrittenPacks = candidates.rewritten.count
        report.freedBytes = candidates.reduce(0) { $0 + $1.unusedBytes }
    }

    /// Chooses packs to be compressed better, of those that stay.
    ///
    /// - Parameter saved: The part of the stored bytes that is saved, about; for the report of a dry run.
    mutating func addRecompression(_ shares: [PackShare], saving saved: Double) {
        candidates += shares.map { share in
            var share = share
            share.isRecompressed = true
            return share
        }
        report.removedPacks += shares.count
        report.rewrittenPacks += shares.count
        report.recompressedPacks = shares.count
        let bytes = shares.reduce(0) { $0 + $1.zstdBytes }
        report.freedBytes += Int64(Double(bytes) * saved)
    }

    /// The packs that the measured ones leave in use.
    func staying(of shares: [PackShare]) -> [PackShare] {
        let leaving = Set(candidates.map(\.pack.id))
        return shares.filter { !leaving.contains($0.pack.id) }
    }

    /// The packs of the next step, either to be compressed better or not; nil at the end.
    ///
    /// - Parameters:
    ///   - bytes: The most bytes that the step copies, about.
    ///   - packs: The most packs that it retires.
    mutating func nextStep(bytes: Int64 = 256 << 20, packs: Int = 4096) -> [PackShare]? {
        var step: [PackShare] = []
        var copied: Int64 = 0
        while let next = candidates.first, step.count < packs, copied < bytes,
            next.isRecompressed == step.first?.isRecompressed ?? next.isRecompressed
        {
            step.append(next)
            copied += next.usedBytes
            candidates.removeFirst()
        }
        return step.isEmpty ? nil : step
    }
}

extension Collection<PackShare> {
    /// The packs of which something is needed that no earlier pack has: it is copied, or read from one that stays.
    var rewritten: Set<[UInt8]> { Set(lazy.filter { $0.first > 0 }.map(\.pack.id)) }
}

/// What a prune has freed, or would free.
package struct PruneReport: Sendable {
    /// The versions of files that are kept, and those that are dropped now.
    package var keptVersions = 0
    package var droppedVersions = 0
    /// The dropped ones whose content lies in a commit, where a prune has no effect: they can still be read.
    package var readableVersions = 0
    /// The paths of the dropped ones.
    package var prunedPaths: [PrunedPath] = []
    /// Why the kept versions are kept; only for a dry run, and for a run that has removed no pack.
    package var reasons: KeptReasons?
    /// The packs of the store before, and their size in bytes.
    package var packs = 0
    package var bytes: Int64 = 0
    /// The packs that are removed; of these, those whose needed contents are copied.
    package var removedPacks = 0
    package var rewrittenPacks = 0
    /// Of the rewritten packs, those that were only compressed better.
    package var recompressedPacks = 0
    /// The bytes by which the packs are smaller in all; for a dry run an estimate.
    package var freedBytes: Int64 = 0
    /// Whether the store had no space to rewrite packs, and the bytes that are unused in those that stay therefore.
    package var lacksSpace = false
    package var unfreedBytes: Int64 = 0
    /// The deletions that are no longer listed.
    package var endedTombstones = 0
    /// The commits that were moved into archives, or would be.
    package var archivedCommits = 0
    /// The checkpoints that archives have made superfluous; for a dry run, those that are there now.
    package var removedCheckpoints = 0
    /// The objects that killed writers had left unfinished.
    package var removedUploads = 0
    /// The packs of failed uploads that were removed, and those that wait for devices which may still name them.
    package var removedUnnamedPacks = 0
    package var waitingUnnamedPacks = 0
    /// The bytes of those that wait, and the devices that have not published or acknowledged a commit since.
    package var waitingUnnamedBytes: Int64 = 0
    package var awaitedDevices: [String] = []
    /// The packs of an unfinished upload of this device that its next run goes on with, and their bytes.
    package var ownUnnamedPacks = 0
    package var ownUnnamedBytes: Int64 = 0
    /// The damage of packs that stay because of it.
    package var failures: [Failure] = []
    /// Of a dry run: that the store was moved, and why the prune itself would stop.
    package var notices: [Problem] = []
    package var refusal: Failure?

    package init() {}

    /// Whether no pack was removed, or would be.
    package var removesNoPack: Bool { removedPacks + removedUnnamedPacks == 0 }

    /// Replaces what was planned by what was done.
    mutating func replacePlanned(by done: PruneReport) {
        removedPacks = done.removedPacks
        rewrittenPacks = done.rewrittenPacks
        recompressedPacks = done.recompressedPacks
        freedBytes = done.freedBytes
        failures = done.failures
    }
}
