/// A series of random histories. The same seed makes another history in each.
package enum SimulationSeries: String, Sendable, CaseIterable {
    /// Edits, runs and faults.
    case plain
    /// Some replicas hold a part of the tree, or ignore paths of their own, and both changes midway.
    case parts
    /// As `parts`, and runs leave out paths by a pattern of their own.
    case exclusions
    /// The user of one replica writes rules that are synced. What they ignore is private from the run on that brings them.
    case rules
    /// As `exclusions`, and the user of one replica writes and ends rules that are synced: what they kept private on another
    /// one is not sent, and neither is what is private in folders that are renamed.
    case secrets
    /// Users edit texts and documents by line and member, and contents are merged.
    case texts
    /// Every device has a clock of its own, which is off by years, and goes backwards.
    case clocks
    /// Replicas are copied, restored from backups, asleep beyond a prune, and shown an old state of the store; requests
    /// are repeated and arrive late.
    case copies
}

/// What the histories of one seed have beside edits, runs and faults.
enum SimulationTrait: Hashable, Sendable {
    case parts, exclusions, rules, texts, clocks, copies, rollbacks, five
    /// Texts are not renamed and change no kind, so that what each merge has to come to is known.
    case inPlace
    /// One replica is not used in the middle of the history, in which devices are forgotten and versions pruned.
    case sleeper
    /// Rules name places, and the folders of private files are renamed between runs that do not publish it.
    case moves
    /// Requests are repeated and arrive late.
    case repeats
    /// Nothing happens during a run, so that the same history takes the same course whatever the clocks say.
    case calm
}

extension SimulationSeries {
    /// The traits of a seed: those that make the series, and some others by chance.
    func traits(_ seed: UInt64) -> Set<SimulationTrait> {
        var random = SeededRandom(seed: seed ^ 0x5eed_0f7a_1750)
        func some(_ chances: KeyValuePairs<SimulationTrait, Double>) -> Set<SimulationTrait> {
            Set(chances.filter { random.chance($0.value) }.map(\.key))
        }
        switch self {
        case .plain: return []
        case .parts: return [.parts]
        case .exclusions:
            return some([.five: 0.3, .clocks: 0.2, .texts: 0.2, .repeats: 0.2])
                .union([.parts, .exclusions])
        case .rules:
            return some([.parts: 0.2, .five: 0.3, .clocks: 0.2]).union([.rules])
        case .secrets:
            return some([.five: 0.3, .texts: 0.2, .moves: 0.6])
                .union([.parts, .exclusions, .rules])
        case .texts:
            return some([
                .inPlace: 0.6, .five: 0.3, .clocks: 0.2, .copies: 0.15, .repeats: 0.2,
                .sleeper: 0.15,
                .parts: 0.15,
            ]).union([.texts])
        case .clocks:
            return some([.texts: 0.4, .inPlace: 0.5, .five: 0.4, .calm: 0.5]).union([.clocks])
        case .copies:
            let traits = some([
                .copies: 0.6, .repeats: 0.6, .rollbacks: 0.6, .sleeper: 0.4, .five: 0.3,
                .clocks: 0.2,
            ])
            return traits.isEmpty ? [.copies] : traits
        }
    }
}
