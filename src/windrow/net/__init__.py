"""One HTTP client for every source: limits, retries, politeness, Retry-After remembered across runs.

Sources hand it an address and get an `Answer` or one of our errors; nothing foreign leaves this folder.
Importing it is cheap: http.client and the decoders come with the first request, urllib3 only for a proxy.
"""

from windrow.net.client import Answer, HttpClient
from windrow.net.http_settings import HttpSettings, user_agent
from windrow.net.politeness import Hosts, Memory, Wait

__all__ = ["Answer", "Hosts", "HttpClient", "HttpSettings", "Memory", "Wait", "user_agent"]
