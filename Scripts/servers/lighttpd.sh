#!/bin/bash
# lighttpd with mod_webdav: http://127.0.0.1:PORT
#
#   WORKERS=N   how many processes serve; 1 without it
. "$(dirname "$0")/lib.sh"
PROGRAMS=lighttpd
FILES=/usr/lib/lighttpd/mod_webdav.so
PACKAGES="lighttpd lighttpd-mod-webdav"

# One process serves by itself; with more there is one above them.
workers() { [ "${WORKERS:-1}" = 1 ] && echo 0 || echo "$WORKERS"; }

configuration() {
    [ "$(id -u)" != 0 ] ||
        printf 'server.username = "www-data"\nserver.groupname = "www-data"\n'
    cat <<END
server.modules = ( "mod_webdav" )
server.document-root = "$FOLDER/dav"
server.bind = "127.0.0.1"
server.port = $PORT
server.pid-file = "$FOLDER/lighttpd.id"
server.errorlog = "$FOLDER/error.log"
server.upload-dirs = ( "$FOLDER/temporary" )
server.max-worker = $(workers)
server.max-keep-alive-requests = 1000000
server.max-keep-alive-idle = 60
mimetype.assign = ( "" => "application/octet-stream" )
webdav.activate = "enable"
webdav.is-readonly = "disable"
webdav.sqlite-db-name = "$FOLDER/webdav.db"
END
}

launch() {
    mkdir "$FOLDER/dav" "$FOLDER/temporary"
    configuration >"$FOLDER/lighttpd.conf"
    as_other_user
    run lighttpd lighttpd -D -f "$FOLDER/lighttpd.conf"
    URL=http://127.0.0.1:$PORT
    wait_for_port lighttpd "$PORT"
}

main "$@"
