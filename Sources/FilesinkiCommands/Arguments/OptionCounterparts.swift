/// The options of other tools that people try first.
extension Counterparts {
    /// The counterpart of an option; nil if there is none.
    ///
    /// - Parameters:
    ///   - name: The option with its dashes.
    ///   - command: The whole name of its command; empty for the program itself.
    static func option(_ name: String, of command: String) -> Counterpart? {
        options["\(command) \(name)"] ?? options[name] ?? count(name, of: command)
    }

    /// `log -3`, as git has it, and a version that is counted back from the newest.
    private static func count(_ name: String, of command: String) -> Counterpart? {
        guard let count = Int(name.dropFirst()), count > 0 else { return nil }
        if command == "diff" { return versions }
        guard command == "log" else { return nil }
        return Counterpart(
            "To print the newest \(count == 1 ? "" : "\(count) ")only",
            "filesinki log -n \(count)")
    }

    private static let versions = Counterpart(
        "filesinki log PATH lists the versions of a path, by number; to compare two of them",
        "filesinki diff PATH 1 2")

    static let wholeReplica = Counterpart(
        "To hold everything again", "filesinki only disable")

    static let deleted = Counterpart("To list what was deleted", "filesinki ls --deleted")
    private static let everythingBelow = Counterpart(
        "A folder is listed with everything below it, without an option", "filesinki ls PATH")
    private static let openConflicts = Counterpart(
        "To list open conflicts", "filesinki conflicts")
    private static let hidden = Counterpart(
        "Hidden files are listed without an option; with mode, size and time", "filesinki ls -l")
    private static let wholeFolder = Counterpart(
        "A folder comes back with what was deleted with it, without an option",
        "filesinki undelete PATH")
    private static let forced = Counterpart(
        "delete asks nothing; a folder needs -r", "filesinki delete -r PATH")
    private static let archive = Counterpart(
        "Modes, times and symlinks are synced without an option, and --all syncs all replicas",
        "filesinki sync")
    private static let approval = Counterpart(
        "A run that a limit stopped prints the id of its plan; to approve it",
        "filesinki sync --approve PLAN")
    private static let patch = Counterpart(
        "To see what changed from one version of a file to another", "filesinki diff PATH 1 2")
    private static let target = Counterpart(
        "To restore into another folder", "filesinki restore --at TIME -o DIR")
    private static let ofCommit = Counterpart(
        "filesinki log lists the commits; to restore a path as it was after one",
        "filesinki restore PATH --commit 12")
    private static let publisher = Counterpart(
        "To see what one device published", "filesinki log --device NAME")
    private static let newer = Counterpart(
        "To see what is not older than a time", "filesinki log --since TIME")
    private static let older = Counterpart(
        "To see what is not newer than a time", "filesinki log --until TIME")
    private static let within = Counterpart(
        "What is older is removed; to say which time is kept", "filesinki prune --keep-within 90d")
    private static let renamedBack = Counterpart(
        "mv replaces nothing; to take a rename back", "filesinki mv NEW OLD")
    private static let replaced = Counterpart(
        "mv replaces nothing; to delete what has the name", "filesinki delete PATH")
    private static let versioned = Counterpart(
        "A version is part of the path", "filesinki restore PATH@VERSION")
    private static let side = Counterpart(
        "To choose a side", "filesinki resolve PATH --take here")
    private static let otherSide = Counterpart(
        "To choose a side", "filesinki resolve PATH --take there")

    /// By the whole name of the command and the option; for all commands, by the option alone.
    static let options: [String: Counterpart] = [
        "-V": version, "-v": version,
        "--token-file": Counterpart(
            "The replica keeps its token; to replace it",
            "filesinki remote set URL --token-file FILE"),
        "--ca-file": Counterpart(
            "The replica keeps its certificates; to replace them",
            "filesinki remote set URL --ca-file FILE"),
        "--fingerprint": Counterpart(
            "The replica keeps the fingerprint; to replace it",
            "filesinki remote set URL --fingerprint HEX"),
        "--batch": Counterpart("A run asks nothing without --ask", "filesinki sync"),
        "--exclude-from": Counterpart(
            "Patterns for every run are lines of .filesinkiignore in the replica; for one run",
            "filesinki sync --exclude PATTERN"),
        "--log-file": Counterpart(
            "Redirect the output to a file; one object a line is easier to search",
            "filesinki sync --json"),
        "--prefer": Counterpart(
            "To choose which version wins in this run", "filesinki sync --strategy newest"),
        "--stats": Counterpart(
            "A run prints its sums without an option; for what takes space", "filesinki stats"),
        "sync --pull": exchange, "sync --push": exchange, "sync --watch": continuous,
        "delete --force": forced, "delete -f": forced, "delete -fr": forced, "delete -rf": forced,
        "delete --local": local,
        "du -a": Counterpart("To list more levels, and with them files", "filesinki du --depth 9"),
        "du -s": Counterpart("To print the total only", "filesinki du --depth 0"),
        "log --after": newer, "log --before": older,
        "log --author": publisher, "log --committer": publisher, "log --host": publisher,
        "log --grep": Counterpart(
            "Commits have no messages; to see the versions of one path", "filesinki log PATH"),
        "log --follow": Counterpart(
            "A version that was renamed names the path that it had; for those before",
            "filesinki log PATH"),
        "config --list": Counterpart("To list the settings", "filesinki config list"),
        "mv -n": renamedBack, "mv --dry-run": renamedBack,
        "mv --force": replaced, "mv -f": replaced,
        "prune --all": Counterpart(
            "To keep the versions of the last commit only", "filesinki prune --keep-last 1"),
        "prune --dry": Counterpart(
            "To see what a prune would remove", "filesinki prune --keep-last 10 --dry-run"),
        "prune --keep": lastOnes, "prune --repack": lastOnes,
        "prune --keep-days": within, "prune --keep-tag": keeping,
        "prune --max-age": within, "prune --older-than": within,
        "clone --filter": partOfStore, "clone --sparse": partOfStore, "init --only": partOfStore,
        "only set --dry-run": held, "only set -n": held,
        "remote set --dry-run": copied, "remote set -n": copied,
        "resolve --dry-run": compared, "resolve -n": compared,
        "sync --only": Counterpart("To sync some paths in this run", "filesinki sync PATH"),
        "sync --resync": Counterpart(
            "Each run compares both sides with the last one, and none has to be begun anew",
            "filesinki sync"),
        "sync --remote": Counterpart(
            "A replica has one remote; to set its address", "filesinki remote set URL"),
        "resolve --here": side, "resolve --mine": side, "resolve --ours": side,
        "resolve --there": otherSide, "resolve --theirs": otherSide,
        "log --deleted": deleted, "log --diff-filter": deleted,
        "log --oneline": Counterpart("Each commit is one line already", "filesinki log"),
        "log --patch": patch, "log -p": patch,
        "log --stat": Counterpart(
            "To count the lines that changed from one version to another",
            "filesinki diff PATH 1 2 --stat"),
        "ls --all": hidden, "ls -a": hidden, "ls -al": hidden, "ls -la": hidden,
        "ls --recursive": everythingBelow, "ls -R": everythingBelow, "ls -r": everythingBelow,
        "ls --ignored": ignoring, "ls -d": deleted, "status --ignored": ignoring,
        "resolve --list": openConflicts, "resolve -l": openConflicts,
        "restore --date": Counterpart(
            "To restore a path as it was at a time", "filesinki restore PATH --at TIME"),
        "restore --include": Counterpart(
            "Paths are named without an option", "filesinki restore --at TIME -o DIR PATH"),
        "restore --revision": ofCommit, "restore --source": ofCommit, "restore -r": ofCommit,
        "restore -s": ofCommit,
        "restore --target": target, "restore -t": target, "restore --version": versioned,
        "status -s": Counterpart("To print one line", "filesinki status --short"),
        "undelete --all": Counterpart(
            "filesinki undelete . brings back what was deleted here since the last sync; for all that "
                + "was ever deleted", "filesinki undelete '*'"),
        "undelete --list": deleted, "undelete -l": deleted,
        "undelete -r": wholeFolder, "undelete --recursive": wholeFolder,
        "sync --archive": archive, "sync -a": archive, "sync -av": archive, "sync -avz": archive,
        "sync --delete": Counterpart(
            "Deletions are synced without an option; to allow more of them in a run",
            "filesinki sync --max-delete 90%"),
        "sync --force": approval, "sync -f": approval,
    ]
}
