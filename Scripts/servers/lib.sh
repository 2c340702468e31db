# Sourced by the scripts beside this one. Each starts one kind of server on loopback, for tests and
# for trying things out:
#
#   NAME.sh check               names the programs that are missing, and fails when any is
#   NAME.sh start PORT FOLDER   starts the server, keeps all it has in FOLDER, prints its address
#   NAME.sh stop FOLDER         ends every process that start has started, by its recorded id
#   NAME.sh guard PORT FOLDER   start; then waits for the end of its own input, stops the server
#                               and removes FOLDER: whoever holds the other end may die at any time
#
# FOLDER has to be empty or absent for start and guard. Further free ports that a script needs are
# in MORE_PORTS, separated by spaces; where it is not set, those after PORT are taken.
#
# A script sets PROGRAMS and FILES, what it needs, and PACKAGES, the Debian packages that have it;
# defines launch, which starts the server by "run" and sets URL; and ends with: main "$@"

# run TAG COMMAND...: starts a process in a session of its own and records its id.
run() {
    tag=$1
    shift
    setsid "$@" >"$FOLDER/$tag.log" 2>&1 </dev/null &
    echo $! >"$FOLDER/$tag.pid"
}

# port NUMBER: the free port with this number, 1 or more, beside PORT.
port() {
    set -- "$1" ${MORE_PORTS:-}
    if [ $# -gt "$1" ]; then
        shift "$1"
        echo "$1"
    else
        echo $((PORT + $1))
    fi
}

accepts() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# wait_for_port TAG PORT [TENTHS]: until the process accepts, or has ended, or the time is over.
wait_for_port() {
    local pid count
    pid=$(cat "$FOLDER/$1.pid")
    for ((count = 0; count < ${3:-300}; count++)); do
        kill -0 "$pid" 2>/dev/null || break
        # Whoever could not have the port ends at once: then it is somebody else who accepts.
        if accepts "$2" && sleep 0.05 && kill -0 "$pid" 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    echo "$1 does not accept connections on port $2:"
    tail -n 20 "$FOLDER"/*.log
    return 1
}

# as_other_user: whether servers should give up the rights of root, and the folder is made theirs.
as_other_user() {
    [ "$(id -u)" = 0 ] || return 1
    chmod 755 "$FOLDER"
    chown -R www-data:www-data "$FOLDER"
}

# is_alive ID: whether any process of the session that run began does more than wait for its burial,
# which may take a while where the first process of a container is not quick about it.
is_alive() {
    local file line
    kill -0 -- "-$1" 2>/dev/null || return 1
    for file in /proc/[0-9]*/stat; do
        { read -r line <"$file"; } 2>/dev/null || continue
        # After the name in brackets: state, parent, group.
        set -- "$1" ${line##*) }
        [ "$4" = "$1" ] && [ "$2" != Z ] && return 0
    done
    return 1
}

stop_all() {
    local file pid count
    # The last one first: it may need the others to end well.
    for file in $(ls -t "$FOLDER"/*.pid 2>/dev/null); do
        pid=$(cat "$file")
        kill -TERM -- "-$pid" 2>/dev/null
        for ((count = 0; count < 100; count++)); do
            is_alive "$pid" || break
            sleep 0.05
        done
        kill -KILL -- "-$pid" 2>/dev/null
        rm -f "$file"
    done
    return 0
}

start_server() {
    if [ -n "$(ls -A "$FOLDER" 2>/dev/null)" ]; then
        echo "$FOLDER is not empty."
        exit 2
    fi
    mkdir -p "$FOLDER" || exit 1
    FOLDER=$(cd "$FOLDER" && pwd)
    if accepts "$PORT"; then
        echo "Port $PORT is taken."
        return 1
    fi
    if ! launch; then
        stop_all
        return 1
    fi
    echo "$URL"
}

check() {
    local needed missing=0
    for needed in $PROGRAMS; do
        command -v "$needed" >/dev/null && continue
        echo "$needed is missing; it is in: $PACKAGES"
        missing=1
    done
    for needed in ${FILES:-}; do
        [ -e "$needed" ] && continue
        echo "$needed is missing; it is in: $PACKAGES"
        missing=1
    done
    return $missing
}

main() {
    PATH=$PATH:/usr/sbin:/sbin
    case ${1:-}:$# in
    check:1) check ;;
    start:3)
        PORT=$2 FOLDER=$3
        start_server
        ;;
    stop:2)
        FOLDER=$2
        stop_all
        ;;
    guard:3)
        PORT=$2 FOLDER=$3
        exec 2>&1
        start_server || {
            rm -rf "$FOLDER"
            exit 1
        }
        # Only the end of the input ends the guard; whoever it started has its own signals.
        trap '' HUP INT TERM PIPE
        while read -r _; do :; done
        stop_all
        rm -rf "$FOLDER"
        ;;
    *)
        sed -n '4,8s/^# *//p' "${BASH_SOURCE[0]}"
        exit 2
        ;;
    esac
}
