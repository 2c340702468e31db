import ArgumentParser

/// The examples in the help of each command.
enum CommandExamples {
    /// The text that the help of the command which the arguments name ends with; nil for a group of
    /// commands.
    static func text(for arguments: [String]) -> String? {
        guard let examples = all[CommandNames.wholeName(in: arguments)] else { return nil }
        return (["EXAMPLES:"] + examples.map { "  " + $0 }).joined(separator: "\n")
    }

    /// Lines for a shell, by the whole name of their command.
    static let all: [String: [String]] = replicas.merging(files) { $1 }
        .merging(keysAndValues) { $1 }.merging(records) { $1 }.merging(history) { $1 }.merging(
            tools
        ) { $1 }

    private static let replicas = [
        "init": [
            "filesinki init ~/notes --remote /mnt/share/store",
            "filesinki init ~/notes --remote s3://bucket/notes --encrypt",
        ],
        "clone": [
            "filesinki clone /mnt/share/store ~/notes",
            "filesinki clone https://desktop:8390 ~/notes --token-file token",
            "filesinki clone /mnt/share/store ~/work --only docs --only photos/2024",
        ],
        "sync": [
            "filesinki sync", "filesinki sync --dry-run ~/notes", "filesinki sync --all --summary",
            "filesinki sync --exclude '*.iso' --exclude /cache/",
            "filesinki sync --bwlimit 2M",
        ],
        "watch": ["filesinki watch ~/notes", "filesinki watch --exec 'notify-send changed'"],
        "status": [
            "filesinki status --max-age 2h",
            "PS1='$(filesinki status --short . 2>/dev/null) \\$ '",
        ],
        "ui": ["filesinki ui ~/notes", "filesinki ui --listen 127.0.0.1:8391"],
        "devices list": ["filesinki devices"],
        "devices forget": ["filesinki devices forget old-laptop"],
        "remote show": ["filesinki remote show"],
        "remote set": [
            "filesinki remote set /mnt/share/store",
            "filesinki remote set https://desktop:8390 --migrate",
        ],
        "remote check": ["filesinki remote check webdavs://dav.example.org/store"],
        "key list": ["filesinki key list"],
        "key add": ["filesinki key add --key-file backup.key"],
        "key change": ["filesinki key change --passphrase-file new-passphrase"],
        "key remove": ["filesinki key remove 1"],
        "config get": [
            "filesinki config get on-delete --defaults", "filesinki config get rule.1",
        ],
        "config set": [
            "filesinki config set strategy 'newest, keep-both'",
            "filesinki config set --device gitignore true",
            "filesinki config set prune.keep-within 90d",
        ],
        "config unset": ["filesinki config unset max-delete"],
        "config list": ["filesinki config list --defaults"],
        "only list": ["filesinki only"],
        "only set": ["filesinki only set docs photos/2024"],
        "only add": ["filesinki only add photos/2025"],
        "only remove": ["filesinki only remove photos/2024"],
        "only disable": ["filesinki only disable"],
        "replicas": ["filesinki replicas", "filesinki replicas --forget /media/old/notes"],
        "deinit": ["filesinki deinit ~/notes", "filesinki deinit ~/notes --force"],
        "serve folder": [
            "filesinki serve /srv/store --create --listen 0.0.0.0:8390 --self-signed",
            "filesinki serve /srv/store --ui",
            "filesinki serve --stdio --rights read,append --name laptop /srv/store",
        ],
        "serve token make": ["filesinki serve token make /srv/store laptop -o laptop.token"],
        "serve token list": ["filesinki serve token list /srv/store"],
        "serve token revoke": ["filesinki serve token revoke /srv/store 3f2a"],
    ]

    private static let files = [
        "save": [
            "echo hello | filesinki save notes/a",
            "filesinki save report.pdf ~/Downloads/report.pdf --if-version 12",
        ],
        "load": [
            "filesinki load notes/a", "filesinki load notes/a --commit 120 -o a.old",
        ],
        "delete": [
            "filesinki delete old.log", "filesinki delete -r drafts",
            "filesinki delete --dry-run -r drafts", "filesinki delete --keep .env",
        ],
        "undelete": [
            "filesinki undelete old.log", "filesinki undelete '*.txt' drafts",
            "filesinki undelete --dry-run .",
        ],
        "mv": ["filesinki mv draft.txt report.txt", "filesinki mv a.jpg b.jpg photos/2024/"],
        "ls": ["filesinki ls -l photos", "filesinki ls --deleted '*.txt'"],
        "observe": ["filesinki observe notes/", "filesinki observe --since $token"],
        "changes": ["filesinki changes --since 0", "filesinki changes --since $token"],
    ]

    private static let keysAndValues = [
        "kv get": ["filesinki kv get theme --default light"],
        "kv set": [
            "filesinki kv set theme dark", "filesinki kv set visits 1 --type int --add",
        ],
        "kv unset": ["filesinki kv unset theme"],
        "kv list": ["filesinki kv list --prefix editor."],
        "kv watch": ["filesinki kv watch theme --values"],
        "kv sync": ["filesinki kv sync"],
        "kv status": ["filesinki kv status --json"],
        "kv quota": ["filesinki kv quota --max-keys 1000 --max-total 1M"],
        "kv export": ["filesinki kv export -o settings.json"],
        "kv import": ["filesinki kv import settings.json"],
        "kv bridge": ["filesinki kv bridge settings.json --keys theme,font"],
        "kv log": ["filesinki kv log theme"],
        "kv off": ["filesinki kv off"],
        "kv on": ["filesinki kv on"],
    ]

    private static let records = [
        "rec save": [
            "filesinki rec save Note --set title=Hello --set count:int=3",
            "filesinki rec save Note n1 --set count=4 --policy unchanged",
            "filesinki rec save Note n1 --set photo:asset=@photo.png",
        ],
        "rec get": [
            "filesinki rec get n1 --fields title,count",
            "filesinki rec get n1 --asset photo -o photo.png",
        ],
        "rec query": ["filesinki rec query Note --where 'count > 3' --sort -count --limit 10"],
        "rec delete": ["filesinki rec delete n1"],
        "rec batch": ["filesinki rec batch --atomic operations.jsonl"],
        "rec changes": ["filesinki rec changes --fresh --since $token"],
        "rec conflicts": ["filesinki rec conflicts"],
        "rec log": ["filesinki rec log n1"],
        "rec sync": ["filesinki rec sync", "filesinki rec sync --pull-only"],
        "rec status": ["filesinki rec status --json"],
        "rec zones list": ["filesinki rec zones list --fresh"],
        "rec zones create": ["filesinki rec zones create notes"],
        "rec zones delete": ["filesinki rec zones delete notes"],
        "rec zones purge": ["filesinki rec zones purge notes"],
        "rec zones reset": ["filesinki rec zones reset notes"],
        "rec zones changes": ["filesinki rec zones changes --since $token"],
        "rec watch": ["filesinki rec watch --subscription large"],
        "rec subscribe add": [
            "filesinki rec subscribe add large --query Note --where 'count > 5'"
        ],
        "rec subscribe list": ["filesinki rec subscribe list"],
        "rec subscribe rm": ["filesinki rec subscribe rm large"],
        "rec index rebuild": ["filesinki rec index rebuild"],
        "rec schema show": ["filesinki rec schema show > schema.txt"],
        "rec schema import": ["filesinki rec schema import schema.txt"],
        "rec schema diff": ["filesinki rec schema diff schema.txt"],
        "rec schema lock": ["filesinki rec schema lock"],
        "rec schema unlock": ["filesinki rec schema unlock"],
        "rec schema set": ["filesinki rec schema set 'Note.count int sortable merge=sum'"],
    ]

    private static let history = [
        "log": [
            "filesinki log -n 10", "filesinki log notes/a",
            "filesinki log --since '2 days ago' --device laptop",
        ],
        "show": [
            "filesinki show notes/a@12", "filesinki show notes/a --at 2024-05-01",
            "filesinki show plan.txt --conflict there",
        ],
        "diff": [
            "filesinki diff notes/a", "filesinki diff notes/a 11 12 --stat",
            "filesinki diff --commit 12",
            "filesinki diff --explain notes/data.sqlite 11 12",
            "filesinki diff --conflict --explain notes/data.sqlite",
        ],
        "restore": [
            "filesinki restore notes/a@12",
            "filesinki restore --at '2024-05-01 11:30' --dry-run notes",
            "filesinki restore --at '2024-05-01 11:30' -o old-notes",
        ],
        "explain": ["filesinki explain notes/a"],
        "conflicts": ["filesinki conflicts"],
        "resolve": [
            "filesinki resolve -i",
            "filesinki resolve plan.txt --take here", "filesinki resolve --all --take there",
            "filesinki resolve plan.txt --tool meld",
        ],
        "merge": [
            "filesinki merge --strategy json base.json here.json there.json",
            "filesinki merge --explain -o merged.csv base.csv here.csv there.csv",
            "filesinki merge --install-git-driver",
        ],
    ]

    private static let tools = [
        "check": ["filesinki check", "filesinki check --read-data=10%"],
        "repair": ["filesinki repair", "filesinki repair --forget-damaged"],
        "prune": [
            "filesinki prune --keep-last 10 --keep-within 90d --dry-run",
            "filesinki prune",
        ],
        "du": ["filesinki du --depth 2 --sort size"],
        "stats": ["filesinki stats"],
        "doctor": ["filesinki doctor ~/notes"],
        "trust": ["filesinki trust --show"],
        "lint": ["filesinki lint"],
        "check-ignore": ["filesinki check-ignore build/main.o"],
        "compress": [
            "filesinki compress big.log -o big.log.xz",
            "tar c folder | filesinki compress --format zstd > folder.tar.zst",
        ],
        "decompress": ["filesinki decompress big.log.xz -o big.log"],
        "rpc": [
            "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"kv.list\"}' | filesinki rpc"
        ],
        "completions": ["filesinki completions bash > ~/.bash_completion"],
    ]
}
