#!/bin/sh
# Prints the version of a Debian package for a version of Scripts/version.sh: deb-version.sh VERSION [COMMIT]
# dpkg must sort them as they were made: 0.2.0~dev, 0.2.0, 0.2.0+5.g1a2b3c4, 0.3.0. The commits of 0.2.0~dev
# have no order, so that their time is named first.
set -eu
version=$1
commit=${2-}
case $version in
    *-dev)
        time=$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y%m%d%H%M)
        echo "${version%-dev}~dev$time${commit:+.g$(echo "$commit" | tr - .)}"
        ;;
    *-*-g*)
        tag=${version%-*-g*}
        rest=${version#"$tag-"}
        echo "$(echo "$tag" | tr - '~')+$(echo "$rest" | tr - .)"
        ;;
    *) echo "$version" | tr - '~' ;;
esac
