"""Signs requests as botocore does: the oracle of BotocoreTests.

Reads one request of JSON on each line, with a path and a query that are not encoded; writes on each
line the address up to the question mark and the Authorization field.
"""
import datetime
import json
import sys

from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.utils import percent_encode


class Clock(datetime.datetime):
    """The moment of the request, for releases of botocore that ask this class."""

    moment = None

    @classmethod
    def utcnow(cls):
        return cls.moment


def sign(case):
    Clock.moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=case["time"])
    if hasattr(auth, "get_current_datetime"):
        auth.get_current_datetime = lambda *_: Clock.moment
    else:
        auth.datetime.datetime = Clock
    place = case["place"] + percent_encode(case["path"], safe="/~")
    query = "&".join(
        percent_encode(name) + "=" + percent_encode(value) for name, value in case["query"])
    request = AWSRequest(
        method=case["method"], url=place + ("?" + query if query else ""),
        headers=dict(case["fields"]), data=bytes.fromhex(case["body"]))
    credentials = Credentials(case["key"], case["secret"], case["token"] or None)
    auth.S3SigV4Auth(credentials, "s3", case["region"]).add_auth(request)
    return place + " " + request.headers["Authorization"]


for line in sys.stdin:
    print(sign(json.loads(line)))
