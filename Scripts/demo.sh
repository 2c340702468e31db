#!/bin/sh
# The main job, shown for real: two replicas that meet in a plain directory. demo.sh BINARY
# Ends with 0 only when both are equal and the conflict was kept.
set -eu
binary=$(realpath "$1")
place=$(mktemp -d "${TMPDIR:-/tmp}/filesinki-demo.XXXXXX")
trap 'rm -rf "$place"' EXIT
cd "$place"

# Nothing of the person who runs the demo is read or written.
export HOME="$place/home" XDG_CONFIG_HOME="$place/home/config" XDG_DATA_HOME="$place/home/data"
unset FILESINKI_ROOT
mkdir -p "$HOME"

say() { printf '\n# %s\n' "$*"; }

# Prints a command as one would type it, runs it, and wants the exit codes in $expected.
expected=0
run() {
    printf '$ filesinki %s\n' "$*"
    code=0
    "$binary" "$@" || code=$?
    case " $expected " in
        *" $code "*) ;;
        *) fail "filesinki $1 ended with $code where $expected was expected." ;;
    esac
    expected=0
}

fail() {
    printf 'The demo failed: %s\n' "$*" >&2
    exit 1
}

say "laptop has some files, and becomes a replica that meets others in ./store"
mkdir -p laptop/notes laptop/photos/2023
printf 'milk\nbread\n' >laptop/notes/shopping
printf '{\n  "theme": "light",\n  "size": 12\n}\n' >laptop/settings.json
printf 'An idea.\n' >laptop/notes/idea
printf 'Old news.\n' >laptop/notes/old
for n in 1 2 3; do printf 'picture %s\n' "$n" >"laptop/photos/2023/$n.jpg"; done
chmod 755 laptop/notes/idea
ln -s notes/shopping laptop/today
run init laptop --remote "$place/store" --device laptop
run sync laptop

say "desktop clones it"
run clone "$place/store" desktop --device desktop
diff -r --no-dereference --exclude .filesinki laptop desktop || fail "the clone differs."

say "laptop renames a folder, deletes a file, edits the shopping list and a setting"
mv laptop/photos/2023 laptop/photos/holiday
rm laptop/notes/old
printf 'milk\nbread\ncheese\n' >laptop/notes/shopping
printf '{\n  "theme": "dark",\n  "size": 12\n}\n' >laptop/settings.json

say "at the same time desktop edits a picture in that folder, adds a setting, and edits the same list"
printf 'picture 2, cropped\n' >desktop/photos/2023/2.jpg
printf 'milk\nbread\nwine\n' >desktop/notes/shopping
printf '{\n  "theme": "light",\n  "size": 12,\n  "font": "serif"\n}\n' >desktop/settings.json
printf 'from desktop\n' >desktop/notes/new

say "laptop syncs first; desktop looks at the plan, then syncs: the settings are merged, the list, where
# both wrote the same line, is a conflict (exit 3)"
run sync laptop
run sync desktop --dry-run
expected="0 3"
run sync desktop
run sync laptop

say "a last sync finds nothing to do"
run sync desktop
expected="0 3"
run status --root desktop
expected="0 1 3"
run conflicts --root desktop
run log --root desktop notes/shopping

say "both folders now"
(cd laptop && find . -path ./.filesinki -prune -o ! -name . -print | LC_ALL=C sort)

diff -r --no-dereference --exclude .filesinki laptop desktop || fail "the replicas differ."
[ -e laptop/photos/holiday/2.jpg ] && [ ! -e laptop/photos/2023 ] ||
    fail "the folder was not renamed."
grep -q cropped laptop/photos/holiday/2.jpg || fail "the edit did not follow the rename."
[ ! -e desktop/notes/old ] || fail "the deletion did not travel."
grep -q dark laptop/settings.json && grep -q serif laptop/settings.json ||
    fail "the settings were not merged."
grep -rq cheese laptop/notes && grep -rq wine laptop/notes || fail "an edit was lost."

say "laptop and desktop are equal, and both edits of the shopping list are there:"
for file in laptop/notes/shopping*; do
    printf '%s: ' "${file#laptop/}"
    tr '\n' ' ' <"$file"
    echo
done

say "and the settings have both edits:"
cat laptop/settings.json
