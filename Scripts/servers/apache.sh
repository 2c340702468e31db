#!/bin/bash
# Apache with mod_dav_fs and threads (the event module): http://127.0.0.1:PORT/dav
#
#   APACHE_SPARE=50            ends processes, and cuts their connections, after each burst
#   APACHE_AUTH=basic|digest   lets in only the user "ann" with the password "open sesame"
. "$(dirname "$0")/lib.sh"
PROGRAMS=apache2
PACKAGES=apache2

modules() {
    local name
    for name in "$@"; do echo "LoadModule ${name}_module modules/mod_$name.so"; done
}

# What a request has to come with.
access() {
    case ${APACHE_AUTH:-} in
    basic)
        printf 'ann:{SHA}' >"$FOLDER/users"
        printf "$(printf 'open sesame' | sha1sum | cut -c 1-40 | sed 's/../\\x&/g')" |
            base64 >>"$FOLDER/users"
        echo "AuthType Basic"
        echo "AuthBasicProvider file"
        ;;
    digest)
        echo "ann:test store:$(printf 'ann:test store:open sesame' | md5sum | cut -c 1-32)" \
            >"$FOLDER/users"
        echo "AuthType Digest"
        echo "AuthDigestProvider file"
        # Short, so that a nonce ends in the middle of the tests, and longer than a busy machine takes
        # from a question to its answer.
        echo "AuthDigestNonceLifetime 60"
        ;;
    *)
        echo "Require all granted"
        return
        ;;
    esac
    echo "AuthName \"test store\""
    echo "AuthUserFile $FOLDER/users"
    echo "Require valid-user"
}

configuration() {
    echo "ServerRoot /usr/lib/apache2"
    modules mpm_event authz_core authz_user authn_core authn_file auth_basic auth_digest dav dav_fs \
        dir alias
    [ "$(id -u)" != 0 ] || printf 'User www-data\nGroup www-data\n'
    cat <<END
PidFile $FOLDER/httpd.id
DefaultRuntimeDir $FOLDER
Listen 127.0.0.1:$PORT
ServerName localhost
MaxKeepAliveRequests 0
# After a burst Apache ends the processes that it has to spare, and cuts the connections that they
# keep open. APACHE_SPARE=50 makes it do so all the time; as many as there can be, never.
MinSpareThreads 25
MaxSpareThreads ${APACHE_SPARE:-400}
KeepAliveTimeout 60
ErrorLog $FOLDER/error.log
DocumentRoot $FOLDER/dav
DavLockDB $FOLDER/lock/DavLock
Alias /dav $FOLDER/dav
<Directory $FOLDER/dav>
    Dav On
    AllowOverride None
    DirectoryIndex disabled
    $(access)
</Directory>
END
}

launch() {
    mkdir "$FOLDER/dav" "$FOLDER/lock"
    configuration >"$FOLDER/httpd.conf"
    as_other_user
    run apache apache2 -f "$FOLDER/httpd.conf" -D FOREGROUND
    URL=http://127.0.0.1:$PORT/dav
    wait_for_port apache "$PORT"
}

main "$@"
