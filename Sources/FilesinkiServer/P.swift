import Hummingbird
import HummingbirdTLS
import X509
import ServiceLifecycle
