"""OAI-PMH 2.0 as pure functions, for harvesters and providers."""
