"""The provider's half of OAI-PMH 2.0: see `provider_request` and `provider_response`."""
