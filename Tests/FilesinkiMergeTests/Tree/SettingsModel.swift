/// Settings as sections of keys, to make up versions of a document and write them down in any format.
struct SettingsModel: Hashable {
    struct Entry: Hashable {
        var comment: String?
        var key: String
        var value: Int
    }

    struct Section: Hashable {
        var name: String
        var entries: [Entry]
        /// Whether a comment that stands alone is at its beginning.
        var hasNotes = false
    }

    var sections: [Section]

    /// The values by section and key.
    var values: [[String]: Int] {
        var result: [[String]: Int] = [:]
        for section in sections {
            for entry in section.entries { result[[section.name, entry.key]] = entry.value }
        }
        return result
    }
}

/// Makes up settings and edits of them.
struct SettingsMaker {
    var dice: Dice
    private var count = 0

    init(seed: UInt64) { dice = Dice(seed: seed) }

    private mutating func name(_ prefix: String) -> String {
        count += 1
        return prefix + String(dice.below(90) + 10) + "n\(count)"
    }

    private mutating func entry() -> SettingsModel.Entry {
        SettingsModel.Entry(
            comment: dice.once(in: 4) ? name("about ") : nil, key: name("k"),
            value: dice.below(1000))
    }

    mutating func model() -> SettingsModel {
        let sections = (0..<(2 + dice.below(4))).map { _ in
            let entries = (0..<(1 + dice.below(5))).map { _ in entry() }
            return SettingsModel.Section(
                name: name("s"), entries: entries, hasNotes: dice.once(in: 4))
        }
        return SettingsModel(sections: sections)
    }

    /// Two versions whose edits have nothing to do with each other, and both of them together.
    mutating func independentEdits(
        of base: SettingsModel
    ) -> (ours: SettingsModel, theirs: SettingsModel, both: SettingsModel) {
        var versions = (ours: base, theirs: base, both: base)
        for index in base.sections.indices.reversed() {
            switch dice.below(3) {
            case 0:
                let changed = edited(base.sections[index])
                versions.ours.sections[index] = changed
                versions.both.sections[index] = changed
            case 1:
                let changed = edited(base.sections[index])
                versions.theirs.sections[index] = changed
                versions.both.sections[index] = changed
            default:
                for key in base.sections[index].entries.indices {
                    let value = 1000 + dice.below(1000)
                    switch dice.below(3) {
                    case 0: versions.ours.sections[index].entries[key].value = value
                    case 1: versions.theirs.sections[index].entries[key].value = value
                    default: continue
                    }
                    versions.both.sections[index].entries[key].value = value
                }
            }
        }
        if dice.once(in: 2) {
            let added = SettingsModel.Section(name: name("s"), entries: [entry()])
            if dice.once(in: 2) {
                versions.ours.sections.append(added)
            } else {
                versions.theirs.sections.append(added)
            }
            versions.both.sections.append(added)
        }
        return versions
    }

    /// Any edits of one section.
    private mutating func edited(_ section: SettingsModel.Section) -> SettingsModel.Section {
        var section = section
        for _ in 0..<(1 + dice.below(3)) {
            let place = dice.below(section.entries.count)
            switch dice.below(4) {
            case 0: section.entries.insert(entry(), at: dice.below(section.entries.count + 1))
            case 1 where section.entries.count > 1: section.entries.remove(at: place)
            case 2: section.entries[place].comment = name("why ")
            default: section.entries[place].value = 1000 + dice.below(1000)
            }
        }
        return section
    }

    /// Edits that the other side may have made, too.
    mutating func edited(_ model: SettingsModel) -> SettingsModel {
        var model = model
        for index in model.sections.indices where dice.once(in: 2) {
            model.sections[index] = edited(model.sections[index])
            if dice.once(in: 3) {
                model.sections[index].entries.insert(
                    .init(key: "both", value: dice.below(2)),
                    at: dice.below(model.sections[index].entries.count + 1))
            }
        }
        if dice.once(in: 6), model.sections.count > 1 {
            model.sections.remove(at: dice.below(model.sections.count))
        }
        if dice.once(in: 6) { model.sections.append(.init(name: name("s"), entries: [entry()])) }
        return model
    }
}
