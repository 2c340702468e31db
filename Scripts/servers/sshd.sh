#!/bin/bash
# OpenSSH's sshd with SFTP, for the user who starts it: ssh://USER@127.0.0.1:PORT/FOLDER/data
#
# FOLDER/key is the user's key, FOLDER/known_hosts has the server's; FOLDER/ssh is ssh with both:
# a value for FILESINKI_SSH_COMMAND.
#
# FILESINKI_PROGRAM is found by the name filesinki at the host; without it, no filesinki is. KEY_OPTIONS
# are those of the user's key in authorized_keys, such as a forced command; @FOLDER@ in them is FOLDER.
. "$(dirname "$0")/lib.sh"
PROGRAMS="sshd ssh-keygen ssh"
FILES=/usr/lib/openssh/sftp-server
PACKAGES="openssh-server openssh-client"

configuration() {
    cat <<END
ListenAddress 127.0.0.1:$PORT
HostKey $FOLDER/host
PidFile none
AuthorizedKeysFile $FOLDER/authorized_keys
AuthenticationMethods publickey
PermitRootLogin prohibit-password
UsePAM no
StrictModes no
MaxStartups 1000
MaxSessions 1000
PerSourcePenalties no
Subsystem sftp /usr/lib/openssh/sftp-server
SetEnv PATH=$FOLDER/bin:/usr/bin:/bin HOME=$FOLDER
END
}

# command_line: ssh with the keys of this server and without the user's own settings.
command_line() {
    cat <<END
#!/bin/sh
exec ssh -F none -i $FOLDER/key -o IdentitiesOnly=yes -o IdentityAgent=none \\
    -o UserKnownHostsFile=$FOLDER/known_hosts -o GlobalKnownHostsFile=/dev/null "\$@"
END
}

launch() {
    local name
    # sshd needs this folder when root starts it.
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    for name in host key; do
        ssh-keygen -q -t ed25519 -N '' -C filesinki-test -f "$FOLDER/$name" || return 1
    done
    mkdir "$FOLDER/bin"
    [ -z "$FILESINKI_PROGRAM" ] || ln -s "$FILESINKI_PROGRAM" "$FOLDER/bin/filesinki"
    echo "${KEY_OPTIONS//@FOLDER@/$FOLDER} $(cat "$FOLDER/key.pub")" >"$FOLDER/authorized_keys"
    echo "[127.0.0.1]:$PORT $(cut -d' ' -f1,2 "$FOLDER/host.pub")" >"$FOLDER/known_hosts"
    configuration >"$FOLDER/sshd_config"
    # Older ones do not know each setting.
    "$(command -v sshd)" -t -f "$FOLDER/sshd_config" 2>/dev/null ||
        sed -i /PerSourcePenalties/d "$FOLDER/sshd_config"
    command_line >"$FOLDER/ssh"
    chmod 755 "$FOLDER/ssh"
    mkdir "$FOLDER/data"
    run sshd "$(command -v sshd)" -D -e -f "$FOLDER/sshd_config"
    URL=ssh://$(id -un)@127.0.0.1:$PORT$FOLDER/data
    wait_for_port sshd "$PORT"
}

main "$@"
