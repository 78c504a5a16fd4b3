"""OAI-PMH 2.0 as pure functions: requests rendered, answers parsed."""
