"""The HTTP client of all sources, with limits, retries and politeness, and the senders of mail and webhooks.

The client returns an `Answer` or raises an error of Windrow's own; no foreign exception leaves this package.
Importing it is cheap: urllib3 and the decoders are loaded with the first request.
"""

from windrow.net.client import Answer, HttpClient
from windrow.net.http_settings import HttpSettings, user_agent
from windrow.net.politeness import Hosts, Memory, Wait

__all__ = ["Answer", "Hosts", "HttpClient", "HttpSettings", "Memory", "Wait", "user_agent"]
