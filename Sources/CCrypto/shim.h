// SHA256_Update and its like are declared deprecated in favour of EVP, which finds the same code through
// providers: 3.8 MB more in the program, a million instructions before the first hash.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
