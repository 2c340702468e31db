package import FilesinkiMerge
package import FilesinkiModel
package import FilesinkiReconcile

/// How conflicts of the files of rules end, whatever strategy the user has for other files.
///
/// What a rule ignores is private on the device that has the rule. A version of a file of rules that gave way would take
/// its rules along, and the same run would send what they ignore. So these files are merged; where that is
/// impossible, each side keeps its own, and the conflict stays open.
package struct RuleFileRules: StrategyRules {
    private let rules: any StrategyRules
    private let gitignore: Bool

    /// - Parameters:
    ///   - rules: What holds for other files.
    ///   - gitignore: Whether `.gitignore` files are files of rules.
    package init(_ rules: any StrategyRules, gitignore: Bool) {
        self.rules = rules
        self.gitignore = gitignore
    }

    package func strategy(for path: RelativePath) -> Strategy {
        guard isRuleFile(path) else { return rules.strategy(for: path) }
        return Strategy([.merge(.format(path.isIgnoreFile ? .lines : .toml)), .end(.leave)])
    }

    package func onDelete(for path: RelativePath) -> OnDelete {
        isRuleFile(path) ? .keep : rules.onDelete(for: path)
    }

    package func asksBeforeDeleting(_ path: RelativePath) -> Bool {
        !isRuleFile(path) && rules.asksBeforeDeleting(path)
    }

    /// One-line ignore files are easily equal: that of a user who begins here is no copy of one that was deleted.
    package func keepsUnreceived(_ path: RelativePath) -> Bool {
        isRuleFile(path) || rules.keepsUnreceived(path)
    }

    private func isRuleFile(_ path: RelativePath) -> Bool {
        path.holdsRules && (gitignore || !path.isGitignore)
    }

    /// How the synced settings are merged: member by member, and a value that both sides changed is the published one.
    package static var settingsMerge: MergeSettings {
        var settings = MergeSettings()
        settings.fieldChoice = .theirs
        settings.keepsMembers = true
        return settings
    }
}

extension RelativePath {
    fileprivate var isGitignore: Bool { name.elementsEqual(IgnoreFilter.fileNames[0].utf8) }

    /// Whether the path is that of the synced settings.
    package var isSyncedSettings: Bool { Settings.syncedFile.utf8.elementsEqual(bytes) }
}
