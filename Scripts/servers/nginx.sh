#!/bin/bash
# nginx with its own WebDAV module and the extension for PROPFIND: http://127.0.0.1:PORT
#
#   WORKERS=N   how many processes serve; 4 without it
. "$(dirname "$0")/lib.sh"
PROGRAMS=nginx
FILES=/usr/lib/nginx/modules/ngx_http_dav_ext_module.so
PACKAGES=nginx-extras

configuration() {
    [ "$(id -u)" != 0 ] || echo "user www-data;"
    cat <<END
load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
worker_processes ${WORKERS:-4};
daemon off;
pid $FOLDER/nginx.id;
error_log $FOLDER/error.log warn;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path $FOLDER/temporary/body;
    proxy_temp_path $FOLDER/temporary/proxy;
    fastcgi_temp_path $FOLDER/temporary/fastcgi;
    uwsgi_temp_path $FOLDER/temporary/uwsgi;
    scgi_temp_path $FOLDER/temporary/scgi;
    server {
        listen 127.0.0.1:$PORT;
        root $FOLDER/dav;
        client_max_body_size 0;
        location / {
            dav_methods PUT DELETE MKCOL COPY MOVE;
            dav_ext_methods PROPFIND OPTIONS;
            min_delete_depth 0;
            autoindex on;
        }
    }
}
END
}

launch() {
    mkdir "$FOLDER/dav" "$FOLDER/temporary"
    configuration >"$FOLDER/nginx.conf"
    as_other_user
    run nginx nginx -c "$FOLDER/nginx.conf" -e "$FOLDER/error.log"
    URL=http://127.0.0.1:$PORT
    wait_for_port nginx "$PORT"
}

main "$@"
